import HAPCrypto
import HAPWire
import MatterWire

/// The commissioner's end of PASE: proves that it knows the passcode. Matter 1.4 §4.14.1.
package struct PASEInitiator: Handshake {
  private enum State: Sendable {
    case awaitingResponse
    case awaitingProof(PASE.Peer, SPAKE2Plus.Run, context: [UInt8])
    case awaitingStatus(EstablishedSession)
    case ended
  }

  /// The first message. The caller sends it to begin.
  package let request: HandshakeMessage
  private let passcode: UInt32
  private let known: PasscodeDerivation?
  private let localSession: UInt16
  private let initiatorRandom: [UInt8]
  private let random: RandomSource
  private var state = State.awaitingResponse

  /// - Parameters:
  ///   - known: the device's parameters if they are known from an earlier attempt; nil: the device sends them.
  ///   - localSession: the identifier of the session that the handshake establishes, from
  ///     `MessageLayer.allocateSessionID`.
  ///   - parameters: of this end; nil: they are not sent, and the peer uses the defaults.
  package init(
    passcode: UInt32, known: PasscodeDerivation? = nil, localSession: UInt16,
    parameters: SessionParameters? = SessionParameters(), random: RandomSource
  ) {
    (self.passcode, self.known, self.localSession, self.random) = (passcode, known, localSession, random)
    let initiatorRandom = random.bytes(PASE.randomByteCount)
    self.initiatorRandom = initiatorRandom
    request = HandshakeMessage(.pbkdfParamRequest) { buffer in
      buffer.appendElement(.context(1), octets: initiatorRandom)
      buffer.appendElement(.context(2), unsigned: UInt64(localSession))
      buffer.appendElement(.context(3), unsigned: 0)
      buffer.appendElement(.context(4), bool: known != nil)
      parameters?.encode(.context(5), into: &buffer)
    }
  }

  package mutating func receive(_ message: HandshakeMessage) -> HandshakeStep {
    let current = state
    state = .ended
    do throws(HandshakeFailure) {
      switch (current, message.opcode) {
      case (.ended, _): return .fail(HandshakeFailure("the handshake has ended"), nil)
      case (.awaitingStatus(let session), .statusReport): return message.stepAfterStatus(confirming: session)
      case (_, .statusReport): return message.stepAfterStatus(confirming: nil)
      case (.awaitingResponse, .pbkdfParamResponse): return .send(try receiveResponse(message))
      case (.awaitingProof(let peer, let run, let context), .pake2):
        return .send(try receiveProof(message, peer, run, context))
      default: throw HandshakeFailure("a message of opcode \(message.opcode) is out of order")
      }
    } catch { return .fail(error, .status(.invalidParameter)) }
  }

  private mutating func receiveResponse(_ response: HandshakeMessage) throws(HandshakeFailure) -> HandshakeMessage {
    let fields = try HandshakeFields(response)
    guard try fields.octets(1, count: PASE.randomByteCount) == initiatorRandom else {
      throw HandshakeFailure("the response belongs to another request")
    }
    _ = try fields.octets(2, count: PASE.randomByteCount)
    let peer = PASE.Peer(session: try fields.session(3), parameters: try fields.parameters(5))
    let sent: PasscodeDerivation? =
      if let member = try fields.structure(4) { try PasscodeDerivation(member) } else { nil }
    guard let derivation = known ?? sent, sent == nil || sent == derivation else {
      throw HandshakeFailure("the parameters of the passcode are missing, or differ from the known ones")
    }
    guard
      let secrets = SPAKE2Plus.Secrets(
        passcode: passcode, salt: derivation.salt, iterations: derivation.iterations)
    else { preconditionFailure("the parameters were checked") }
    let run = SPAKE2Plus.Run(prover: secrets, random: random)
    state = .awaitingProof(peer, run, context: PASE.context(request, response))
    return HandshakeMessage(.pake1) { $0.appendElement(.context(1), octets: run.share) }
  }

  private mutating func receiveProof(
    _ message: HandshakeMessage, _ peer: PASE.Peer, _ run: SPAKE2Plus.Run, _ context: [UInt8]
  ) throws(HandshakeFailure) -> HandshakeMessage {
    let fields = try HandshakeFields(message)
    let share = try fields.octets(1, count: PASE.pointByteCount)
    let proof = try fields.octets(2, count: SHA256.byteCount)
    var run = run
    guard let outcome = run.finish(share, context: context) else {
      throw HandshakeFailure("the device's share is not a point, or is worthless")
    }
    guard let key = outcome.key(ifPeerProofIs: proof) else { throw HandshakeFailure("the passcode is wrong") }
    state = .awaitingStatus(PASE.session(key, isInitiator: true, localSession: localSession, peer: peer))
    return HandshakeMessage(.pake3) { $0.appendElement(.context(1), octets: outcome.proof) }
  }
}
