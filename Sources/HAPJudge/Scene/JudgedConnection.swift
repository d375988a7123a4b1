import HAPIP
import HAPModel
import HAPReport

/// What is known of a connection while its controller is judged.
package final class JudgedConnection {
  package let accessory: any JudgedAccessory
  /// "192.0.2.7:51234".
  package let peer: String
  package let openedAt: Duration
  /// Nil: not verified yet.
  package internal(set) var controller: String?
  package internal(set) var verifiedAt: Duration?
  /// The request that has no answer yet, and when it came.
  package internal(set) var owed: (request: PlainMessage, at: Duration)?
  /// Whether bytes came since the last request.
  package internal(set) var hasArrived = false
  package internal(set) var requests = 0
  /// Of the last answer; nil before the first, and where it was no HTTP.
  package internal(set) var lastStatus: Int?
  /// Whether the last answer was a refusal, or one in part.
  package internal(set) var wasRefused = false
  package internal(set) var lastAnswerAt: Duration?
  /// Whether any request was answered well.
  package internal(set) var hasServed = false
  package internal(set) var lastEventAt: Duration?
  /// As it asked for, and was not refused.
  package internal(set) var subscriptions: Set<AttributeID> = []
  /// All that it asked for at some time.
  package internal(set) var attempted: Set<AttributeID> = []
  /// The controller has ended it; nil: it hasn't.
  package internal(set) var leftAt: Duration?
  package internal(set) var closedAt: Duration?
  /// The last things that happened, for evidence.
  private(set) var recent: [TranscriptEntry] = []

  private static let mostRecent = 12
  private let told: ToldDatabases

  init(to accessory: any JudgedAccessory, from peer: String, at now: Duration, _ told: ToldDatabases) {
    self.accessory = accessory
    self.told = told
    self.peer = peer
    openedAt = now
  }

  /// The order of connections in findings: the same in every run, unlike that of a dictionary.
  static func precedes(_ one: JudgedConnection, _ other: JudgedConnection) -> Bool {
    (one.openedAt, one.peer, one.accessory.id) < (other.openedAt, other.peer, other.accessory.id)
  }

  /// Without the port: whose connections belong together before it is known who they are.
  package var host: String {
    guard let colon = peer.lastIndex(of: ":") else { return peer }
    return String(peer[..<colon])
  }

  /// The host, at this accessory.
  var origin: String { "\(host) \(accessory.id)" }

  /// The controller's identifier, or where it comes from.
  package var who: String { controller ?? host }

  /// Whether there is such a characteristic, by the database that the controller was told last; the accessory's own where it was told none.
  func knows(_ id: AttributeID) -> Bool {
    told.has(id, on: self) ?? (accessory.database.slot(of: id) != nil)
  }

  /// The characteristic, where the accessory told the controller nothing else about it than what is so.
  func characteristic(_ id: AttributeID) -> Characteristic? {
    guard let characteristic = accessory.database.characteristic(id), told.isTrue(characteristic, at: id, on: self)
    else { return nil }
    return characteristic
  }

  /// Whether it was the controller who ended it.
  package var wasLeft: Bool { leftAt != nil }

  func keep(_ entry: TranscriptEntry) {
    recent.append(entry)
    if recent.count > Self.mostRecent { recent.removeFirst() }
  }
}
