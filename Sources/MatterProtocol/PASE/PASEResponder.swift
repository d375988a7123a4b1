import HAPCrypto
import HAPWire
import MatterWire

/// The device's end of PASE: one attempt of a commissioner to prove that it knows the passcode. Matter 1.4 §4.14.1.
///
/// The caller limits the time of an attempt (60 s), and the number of failures in a commissioning window (20).
package struct PASEResponder: Handshake {
  private enum State: Sendable {
    case awaitingRequest
    case awaitingShare(PASE.Peer, context: [UInt8])
    case awaitingProof(PASE.Peer, SPAKE2Plus.Outcome)
    case ended
  }

  private let verifier: @Sendable () -> SPAKE2Plus.Verifier
  private let derivation: PasscodeDerivation
  private let localSession: UInt16
  private let parameters: SessionParameters?
  private let random: RandomSource
  private var state = State.awaitingRequest

  /// - Parameters:
  ///   - verifier: returns the verifier of the passcode; called when the peer's share has arrived.
  ///   - derivation: the parameters that made the verifier of the passcode.
  ///   - localSession: the identifier of the session that the handshake establishes, from
  ///     `MessageLayer.allocateSessionID`.
  ///   - parameters: of this end; nil: they are not sent, and the peer uses the defaults.
  package init(
    verifier: @escaping @Sendable () -> SPAKE2Plus.Verifier, derivation: PasscodeDerivation, localSession: UInt16,
    parameters: SessionParameters? = SessionParameters(), random: RandomSource
  ) {
    (self.verifier, self.derivation) = (verifier, derivation)
    (self.localSession, self.parameters, self.random) = (localSession, parameters, random)
  }

  package mutating func receive(_ message: HandshakeMessage) -> HandshakeStep {
    let current = state
    state = .ended
    do throws(HandshakeFailure) {
      switch (current, message.opcode) {
      case (.ended, _): return .fail(HandshakeFailure("the handshake has ended"), nil)
      case (_, .statusReport): return message.stepAfterStatus(confirming: nil)
      case (.awaitingRequest, .pbkdfParamRequest): return .send(try receiveRequest(message))
      case (.awaitingShare(let peer, let context), .pake1): return .send(try receiveShare(message, peer, context))
      case (.awaitingProof(let peer, let outcome), .pake3): return try receiveProof(message, peer, outcome)
      default: throw HandshakeFailure("a message of opcode \(message.opcode) is out of order")
      }
    } catch { return .fail(error, .status(.invalidParameter)) }
  }

  private mutating func receiveRequest(_ request: HandshakeMessage) throws(HandshakeFailure) -> HandshakeMessage {
    let fields = try HandshakeFields(request)
    let initiatorRandom = try fields.octets(1, count: PASE.randomByteCount)
    let session = try fields.session(2)
    // Only the passcode of the device itself, number 0, exists.
    _ = try fields.unsigned(3, in: 0...0)
    let isDerivationKnown = try fields.bool(4)
    let peer = PASE.Peer(session: session, parameters: try fields.parameters(5))
    let response = HandshakeMessage(.pbkdfParamResponse) { buffer in
      buffer.appendElement(.context(1), octets: initiatorRandom)
      buffer.appendElement(.context(2), octets: random.bytes(PASE.randomByteCount))
      buffer.appendElement(.context(3), unsigned: UInt64(localSession))
      if !isDerivationKnown { derivation.encode(.context(4), into: &buffer) }
      parameters?.encode(.context(5), into: &buffer)
    }
    state = .awaitingShare(peer, context: PASE.context(request, response))
    return response
  }

  private mutating func receiveShare(
    _ message: HandshakeMessage, _ peer: PASE.Peer, _ context: [UInt8]
  ) throws(HandshakeFailure) -> HandshakeMessage {
    let share = try HandshakeFields(message).octets(1, count: PASE.pointByteCount)
    var run = SPAKE2Plus.Run(verifier: verifier(), random: random)
    guard let outcome = run.finish(share, context: context) else {
      throw HandshakeFailure("the commissioner's share is not a point, or is worthless")
    }
    state = .awaitingProof(peer, outcome)
    return HandshakeMessage(.pake2) { buffer in
      buffer.appendElement(.context(1), octets: run.share)
      buffer.appendElement(.context(2), octets: outcome.proof)
    }
  }

  private func receiveProof(
    _ message: HandshakeMessage, _ peer: PASE.Peer, _ outcome: SPAKE2Plus.Outcome
  ) throws(HandshakeFailure) -> HandshakeStep {
    let proof = try HandshakeFields(message).octets(1, count: SHA256.byteCount)
    guard let key = outcome.key(ifPeerProofIs: proof) else { throw HandshakeFailure("the passcode is wrong") }
    let session = PASE.session(key, isInitiator: false, localSession: localSession, peer: peer)
    return .establish(session, .status(.sessionEstablished))
  }
}
