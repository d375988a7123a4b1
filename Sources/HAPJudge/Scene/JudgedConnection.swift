import HAPIP
import HAPModel
import HAPReport

/// The state of a connection while its controller is judged.
package final class JudgedConnection {
  package let accessory: any JudgedAccessory
  /// The peer's address, such as "192.0.2.7:51234".
  package let peer: String
  package let openedAt: Duration
  /// The controller's identifier; nil before Pair Verify.
  package internal(set) var controller: String?
  package internal(set) var verifiedAt: Duration?
  /// The request without an answer yet, and its time of arrival.
  package internal(set) var owed: (request: PlainMessage, at: Duration)?
  /// Whether bytes arrived since the last request.
  package internal(set) var hasArrived = false
  package internal(set) var requests = 0
  /// The status of the last answer; nil before the first one, and if the answer was not HTTP.
  package internal(set) var lastStatus: Int?
  /// Whether the last answer was a full or partial refusal.
  package internal(set) var wasRefused = false
  package internal(set) var lastAnswerAt: Duration?
  /// Whether any request was answered with success.
  package internal(set) var hasServed = false
  package internal(set) var lastEventAt: Duration?
  /// The subscriptions that the controller requested and the accessory accepted.
  package internal(set) var subscriptions: Set<AttributeID> = []
  /// All characteristics that the controller has ever requested to subscribe to.
  package internal(set) var attempted: Set<AttributeID> = []
  /// The time at which the controller ended the connection; nil if it has not.
  package internal(set) var leftAt: Duration?
  package internal(set) var closedAt: Duration?
  /// The last events, as evidence.
  private(set) var recent: [TranscriptEntry] = []

  private static let mostRecent = 12
  private let told: SentDatabases

  init(to accessory: any JudgedAccessory, from peer: String, at now: Duration, _ told: SentDatabases) {
    self.accessory = accessory
    self.told = told
    self.peer = peer
    openedAt = now
  }

  /// Whether a connection is before another in findings. This order is the same in every run, unlike that of a
  /// dictionary.
  static func precedes(_ one: JudgedConnection, _ other: JudgedConnection) -> Bool {
    (one.openedAt, one.peer, one.accessory.id) < (other.openedAt, other.peer, other.accessory.id)
  }

  /// The peer's address without the port. It groups connections before their controllers are known.
  package var host: String {
    guard let colon = peer.lastIndex(of: ":") else { return peer }
    return String(peer[..<colon])
  }

  /// The host and the accessory.
  var origin: String { "\(host) \(accessory.id)" }

  /// The controller's identifier, or else its host.
  package var who: String { controller ?? host }

  /// Whether the characteristic exists in the last database that the controller received; in the accessory's own
  /// database if it received none.
  func knows(_ id: AttributeID) -> Bool {
    told.has(id, on: self) ?? (accessory.database.slot(of: id) != nil)
  }

  /// Returns the characteristic, unless the accessory has described it to the controller differently.
  func characteristic(_ id: AttributeID) -> Characteristic? {
    guard let characteristic = accessory.database.characteristic(id), told.isTrue(characteristic, at: id, on: self)
    else { return nil }
    return characteristic
  }

  /// Whether the controller ended the connection.
  package var wasLeft: Bool { leftAt != nil }

  func keep(_ entry: TranscriptEntry) {
    recent.append(entry)
    if recent.count > Self.mostRecent { recent.removeFirst() }
  }
}
