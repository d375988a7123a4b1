import HAPCrypto
import MatterWire

/// An exchange of a message layer. It is never reused for another exchange.
package struct ExchangeHandle: Hashable, Sendable {
  package let session: SessionHandle
  package let number: UInt64
}

/// The state of one exchange, with the Message Reliability Protocol (MRP). Matter 1.4 §4.10, §4.12.
struct MessageExchange {
  /// An acknowledgement that this end still has to send.
  struct Owed {
    var counter: UInt32
    /// When it is sent alone.
    var due: Duration
  }

  /// A reliable message that the peer has not acknowledged.
  struct Pending {
    let counter: UInt32
    let packet: [UInt8]
    var transmissions = 1
    /// The time of the next transmission, or of the failure after the last one.
    var due: Duration
    /// nil: it was not observed.
    var observed: SentMessage?
    /// The number of the next transmissions that do not leave.
    var lostTransmissions = 0
    /// Whether a transmission has left.
    var hasLeft = true
  }

  /// A message before it is sent.
  struct Outgoing {
    var opcode: UInt8
    var protocolID: ExchangeHeader.ProtocolID
    var payload: [UInt8]
    var isReliable: Bool
    /// The number of transmissions that do not leave, from the first one on.
    var lostTransmissions = 0

    static let acknowledgement = Outgoing(
      opcode: SecureChannelOpcode.acknowledgement.rawValue, protocolID: .secureChannel, payload: [], isReliable: false)

    var isAcknowledgement: Bool {
      protocolID == .secureChannel && opcode == SecureChannelOpcode.acknowledgement.rawValue
    }
  }

  let handle: ExchangeHandle
  let number: UInt16
  /// Whether this end began it.
  let isOwn: Bool
  var owed: Owed?
  var pending: Pending?
  /// Reliable messages that wait until `pending` is acknowledged.
  var queue: [Outgoing] = []
  /// The time at which it fails if nothing is sent or received, and nothing is pending.
  var idleDue: Duration?
  /// Whether its user has closed it. It remains until the peer has everything.
  var isClosing = false

  init(_ handle: ExchangeHandle, number: UInt16, isOwn: Bool) {
    (self.handle, self.number, self.isOwn) = (handle, number, isOwn)
  }

  var isFinished: Bool { isClosing && pending == nil && queue.isEmpty }

  /// The time of the next acknowledgement, transmission or failure.
  var due: Duration? {
    // A peer that sleeps can have a longer interval than the limit.
    let due = pending?.due ?? idleDue
    guard let owed, let due else { return owed?.due ?? due }
    return min(owed.due, due)
  }

  /// The factors after each transmission: 1.6 to the power of the retransmissions so far, less one.
  private static let backOff = [1, 1, 1.6, 2.56, 4.096]
  static let transmissionLimit = backOff.count

  /// The wait after a transmission. Matter 1.4 §4.12.2.1.
  /// - Parameter transmissions: 1...5, with this one.
  static func wait(_ interval: Duration, after transmissions: Int, _ random: RandomSource) -> Duration {
    let jitter = Double(random.integer(UInt16.self)) / 65_536
    return interval * (1.1 * backOff[transmissions - 1] * (1 + 0.25 * jitter))
  }
}
