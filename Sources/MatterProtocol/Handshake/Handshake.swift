import HAPCrypto
import MatterModel
import MatterWire

/// The opcodes of the secure channel (protocol 0). Matter 1.4 §4.11.1.
package enum SecureChannelOpcode: UInt8, Hashable, Sendable {
  case acknowledgement = 0x10
  case pbkdfParamRequest = 0x20
  case pbkdfParamResponse = 0x21
  case pake1 = 0x22
  case pake2 = 0x23
  case pake3 = 0x24
  case sigma1 = 0x30
  case sigma2 = 0x31
  case sigma3 = 0x32
  case sigma2Resume = 0x33
  case statusReport = 0x40
}

/// A message of a handshake, without its headers.
package struct HandshakeMessage: Hashable, Sendable {
  package var opcode: SecureChannelOpcode
  package var payload: [UInt8]

  package init(_ opcode: SecureChannelOpcode, _ payload: [UInt8]) { (self.opcode, self.payload) = (opcode, payload) }
}

/// What an end of PASE or CASE does after a message.
package enum HandshakeStep: Sendable {
  /// Sends a message on the same exchange, and waits for the next one.
  case send(HandshakeMessage)
  /// The session is established. The message, if there is one, is the last.
  case establish(EstablishedSession, HandshakeMessage?)
  /// The handshake has failed. The message, if there is one, is the last.
  case fail(HandshakeFailure, HandshakeMessage?)
}

/// Why a handshake ended without a session.
package struct HandshakeFailure: Error, Hashable, Sendable {
  /// What failed, for logs: a phrase.
  package var reason: String

  package init(_ reason: String) { self.reason = reason }
}

/// The result of a handshake.
package struct EstablishedSession: Sendable {
  /// The peer of the session.
  package var subject: Subject
  /// The session identifier of messages to this end.
  package var localSession: UInt16
  /// The session identifier of messages to the peer.
  package var peerSession: UInt16
  /// Opens the peer's messages: 16 bytes.
  package var inboundKey: SecretBytes
  /// Seals the own messages: 16 bytes.
  package var outboundKey: SecretBytes
  /// Signed together with attestations: 16 bytes.
  package var attestationChallenge: SecretBytes
  /// The own node, of which the nonces of sealed messages consist; 0 in PASE.
  package var localNode: NodeID
  /// The peer's node; 0 in PASE.
  package var peerNode: NodeID
  package var peerParameters: SessionParameters
  /// The secret and the identifier with which CASE can be resumed; nil: of PASE.
  package var resumption: Resumption?

  package struct Resumption: Sendable {
    /// 16 bytes.
    package var id: [UInt8]
    package var sharedSecret: SecretBytes

    package init(id: [UInt8], sharedSecret: SecretBytes) { (self.id, self.sharedSecret) = (id, sharedSecret) }
  }

  package init(
    subject: Subject, localSession: UInt16, peerSession: UInt16, inboundKey: SecretBytes, outboundKey: SecretBytes,
    attestationChallenge: SecretBytes, localNode: NodeID = 0, peerNode: NodeID = 0, peerParameters: SessionParameters,
    resumption: Resumption? = nil
  ) {
    (self.subject, self.localSession, self.peerSession) = (subject, localSession, peerSession)
    (self.inboundKey, self.outboundKey) = (inboundKey, outboundKey)
    (self.attestationChallenge, self.localNode, self.peerNode) = (attestationChallenge, localNode, peerNode)
    (self.peerParameters, self.resumption) = (peerParameters, resumption)
  }
}

/// One end of PASE or CASE, as a value: messages in, steps out. It can compute for a millisecond, so it belongs in
/// `EventLoop.offload`.
package protocol Handshake: Sendable {
  mutating func receive(_ message: HandshakeMessage) -> HandshakeStep
}
