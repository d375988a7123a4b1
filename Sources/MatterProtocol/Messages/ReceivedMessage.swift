import MatterModel
import MatterWire

/// A message of a peer, in order and without duplicates.
package struct ReceivedMessage: Hashable, Sendable {
  package var exchange: ExchangeHandle
  /// Whether it is the first message of an exchange that the peer began.
  package var isFirst: Bool
  /// nil: the session is unsecured.
  package var subject: Subject?
  package var protocolID: ExchangeHeader.ProtocolID
  package var opcode: UInt8
  package var payload: [UInt8]

  package var session: SessionHandle { exchange.session }

  /// The message of a handshake; nil: it is of another protocol, or of an opcode that is not known.
  package var handshakeMessage: HandshakeMessage? {
    guard protocolID == .secureChannel, let opcode = SecureChannelOpcode(rawValue: opcode) else { return nil }
    return HandshakeMessage(opcode, payload)
  }
}

/// Why a session has ended.
package enum SessionEnd: Hashable, Sendable {
  /// By `removeSession`.
  case removed
  /// The peer sent CloseSession.
  case closedByPeer
  /// It was the least recently used one when another session was added.
  case evicted
  /// It has sent 2³² messages at most.
  case countersExhausted
}
