import HAPCrypto
import HAPWire
import MatterModel
import MatterWire

/// The end of CASE that asks for a session. Matter 1.4 §4.14.2.
package struct CASEInitiator: Handshake {
  private enum State: Sendable {
    case awaitingSigma2
    case awaitingStatus(EstablishedSession)
    case ended
  }

  /// Sigma1. The caller sends it to begin.
  package let request: HandshakeMessage
  private let fabric: FabricCredentials
  private let peer: NodeID
  private let resumable: ResumableSession?
  private let localSession: UInt16
  private let initiatorRandom: [UInt8]
  private let key: CurveKey
  private let random: RandomSource
  private var state = State.awaitingSigma2

  /// - Parameters:
  ///   - fabric: the own membership in the fabric of both ends.
  ///   - resumable: an earlier session with the peer; nil: none is known.
  ///   - localSession: the identifier of the session that the handshake establishes, from
  ///     `MessageLayer.allocateSessionID`.
  ///   - parameters: of this end; nil: they are not sent, and the peer uses the defaults.
  package init(
    fabric: FabricCredentials, peer: NodeID, resumable: ResumableSession? = nil, localSession: UInt16,
    parameters: SessionParameters? = SessionParameters(), random: RandomSource
  ) {
    (self.fabric, self.peer, self.resumable) = (fabric, peer, resumable)
    (self.localSession, self.random) = (localSession, random)
    let (initiatorRandom, key) = (random.bytes(CASE.randomByteCount), CurveKey(random: random))
    (self.initiatorRandom, self.key) = (initiatorRandom, key)
    request = HandshakeMessage(.sigma1) { buffer in
      buffer.appendElement(.context(1), octets: initiatorRandom)
      buffer.appendElement(.context(2), unsigned: UInt64(localSession))
      buffer.appendElement(
        .context(3), octets: fabric.destinationID(of: peer, key: fabric.operationalKeys[0], random: initiatorRandom))
      buffer.appendElement(.context(4), octets: key.publicKey)
      parameters?.encode(.context(5), into: &buffer)
      if let resumption = resumable?.resumption {
        buffer.appendElement(.context(6), octets: resumption.id)
        buffer.appendElement(
          .context(7), octets: CASE.MessageKey.sigma1Resumption(resumption, random: initiatorRandom).proof)
      }
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
      case (.awaitingSigma2, .sigma2): return .send(try receiveSigma2(message))
      case (.awaitingSigma2, .sigma2Resume): return try receiveSigma2Resume(message)
      default: throw HandshakeFailure("a message of opcode \(message.opcode) is out of order")
      }
    } catch { return .fail(error, .status(.invalidParameter)) }
  }

  /// Answers with Sigma3.
  private mutating func receiveSigma2(_ message: HandshakeMessage) throws(HandshakeFailure) -> HandshakeMessage {
    let fields = try HandshakeFields(message)
    let peerRandom = try fields.octets(1, count: CASE.randomByteCount)
    let peerSession = try fields.session(2)
    let peerKey = try fields.octets(3, count: CurveKey.publicKeyByteCount)
    let sealed = try fields.octets(4, count: CASE.sealedByteCounts)
    let peerParameters = try fields.parameters(5)
    guard let secret = key.agree(with: peerKey) else { throw HandshakeFailure("the responder's key is not a point") }
    let operationalKey = fabric.operationalKeys[0]
    let messageKey = CASE.MessageKey.sigma2(
      secret, operationalKey: operationalKey, random: peerRandom, publicKey: peerKey, sigma1: request.payload)
    guard let opened = messageKey.open(sealed) else { throw HandshakeFailure("Sigma2 can't be opened") }
    let members = try HandshakeFields(HandshakeMessage(.sigma2, opened))
    let credentials = try CASE.Credentials(members)
    let resumptionID = try members.octets(4, count: CASE.resumptionIDByteCount)
    let chain = try credentials.verify(fabric, ownKey: key.publicKey, peerKey: peerKey)
    guard chain.node == peer else { throw HandshakeFailure("another node has answered") }

    let messages = request.payload + message.payload
    let own = CASE.Credentials(fabric, ownKey: key.publicKey, peerKey: peerKey, random: random)
    let sealedProof = CASE.MessageKey.sigma3(secret, operationalKey: operationalKey, messages: messages)
      .seal(HandshakeMessage(.sigma3) { own.encode(into: &$0) }.payload)
    let sigma3 = HandshakeMessage(.sigma3) { $0.appendElement(.context(1), octets: sealedProof) }
    let session = ResumableSession(
      resumption: EstablishedSession.Resumption(id: resumptionID, sharedSecret: secret), fabric: fabric.index,
      node: chain.node, tags: chain.tags)
    let keys = CASE.keys(secret, operationalKey: operationalKey, messages: messages + sigma3.payload)
    state = .awaitingStatus(establish(session, keys, peerSession, peerParameters))
    return sigma3
  }

  private func receiveSigma2Resume(_ message: HandshakeMessage) throws(HandshakeFailure) -> HandshakeStep {
    guard let resumable else { throw HandshakeFailure("a resumption that was not requested") }
    let fields = try HandshakeFields(message)
    var resumed = resumable
    resumed.resumption.id = try fields.octets(1, count: CASE.resumptionIDByteCount)
    let proof = try fields.octets(2, count: CASE.proofByteCount)
    let peerSession = try fields.session(3)
    let peerParameters = try fields.parameters(4)
    guard CASE.MessageKey.sigma2Resumption(resumed.resumption, random: initiatorRandom).isProof(proof) else {
      throw HandshakeFailure("the proof of the resumption is wrong")
    }
    let keys = CASE.keys(resuming: resumable.resumption, random: initiatorRandom)
    return .establish(establish(resumed, keys, peerSession, peerParameters), .status(.sessionEstablished))
  }

  private func establish(
    _ session: ResumableSession, _ keys: SessionKeys, _ peerSession: UInt16, _ peerParameters: SessionParameters
  ) -> EstablishedSession {
    CASE.session(
      session, keys: keys, isInitiator: true, localSession: localSession, localNode: fabric.node,
      peerSession: peerSession, peerParameters: peerParameters)
  }
}
