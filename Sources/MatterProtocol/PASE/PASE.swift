import HAPCrypto
import HAPWire
import MatterWire

/// The parts of PASE that both ends share. Matter 1.4 §4.14.1.
enum PASE {
  static let randomByteCount = 32
  static let pointByteCount = 65

  /// The hash that binds the proofs to the first two messages.
  static func context(_ request: HandshakeMessage, _ response: HandshakeMessage) -> [UInt8] {
    SHA256.hash(Array("CHIP PAKE V1 Commissioning".utf8) + request.payload + response.payload)
  }

  static func session(
    _ key: SecretBytes, isInitiator: Bool, localSession: UInt16, peer: Peer
  ) -> EstablishedSession {
    let keys = SessionKeys(key)
    return EstablishedSession(
      subject: .passcode(fabric: 0), localSession: localSession, peerSession: peer.session,
      inboundKey: isInitiator ? keys.ofResponder : keys.ofInitiator,
      outboundKey: isInitiator ? keys.ofInitiator : keys.ofResponder,
      attestationChallenge: keys.attestationChallenge, peerParameters: peer.parameters)
  }

  /// The facts that the first message of the peer gives.
  struct Peer: Sendable {
    var session: UInt16
    var parameters: SessionParameters
  }
}

/// The parameters with which PBKDF2 makes the secrets of a passcode. Matter 1.4 §3.9.
package struct PasscodeDerivation: Hashable, Sendable {
  /// 1000...100000.
  package let iterations: Int
  /// 16...32 bytes.
  package let salt: [UInt8]

  /// - Returns: nil for values out of range.
  package init?(iterations: Int, salt: [UInt8]) {
    guard SPAKE2Plus.iterations.contains(iterations), SPAKE2Plus.saltByteCount.contains(salt.count) else { return nil }
    (self.iterations, self.salt) = (iterations, salt)
  }

  func encode(_ tag: ElementTag, into buffer: inout ByteBuffer) {
    buffer.openContainer(tag, .structure)
    buffer.appendElement(.context(1), unsigned: UInt64(iterations))
    buffer.appendElement(.context(2), octets: salt)
    buffer.closeContainer()
  }

  init(_ fields: HandshakeFields) throws(HandshakeFailure) {
    let limits = SPAKE2Plus.iterations
    iterations = Int(try fields.unsigned(1, in: UInt64(limits.lowerBound)...UInt64(limits.upperBound)))
    salt = try fields.octets(2, count: SPAKE2Plus.saltByteCount)
  }
}
