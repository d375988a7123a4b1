import HAPCrypto
import HAPWire
import MatterModel
import MatterWire

/// The end of CASE that is asked for a session. Matter 1.4 §4.14.2.
package struct CASEResponder: Handshake {
  /// The facts of the first two messages.
  private struct Exchange: Sendable {
    let fabric: FabricCredentials
    let operationalKey: SecretBytes
    let secret: SecretBytes
    let ownKey: [UInt8]
    let peerKey: [UInt8]
    let peerSession: UInt16
    let peerParameters: SessionParameters
    let resumptionID: [UInt8]
    /// Sigma1 and Sigma2.
    let messages: [UInt8]
  }

  private enum State: Sendable {
    case awaitingSigma1
    case awaitingSigma3(Exchange)
    /// After Sigma2Resume.
    case awaitingStatus(EstablishedSession)
    case ended
  }

  private let fabrics: [FabricCredentials]
  private let resumptions: [[UInt8]: ResumableSession]
  private let localSession: UInt16
  private let parameters: SessionParameters?
  private let random: RandomSource
  private var state = State.awaitingSigma1

  /// - Parameters:
  ///   - fabrics: all fabrics of this node.
  ///   - resumptions: the sessions that can be resumed, by the identifiers of their resumptions. After the handshake,
  ///     the caller replaces the one of the same peer by the new one.
  ///   - localSession: the identifier of the session that the handshake establishes, from
  ///     `MessageLayer.allocateSessionID`.
  ///   - parameters: of this end; nil: they are not sent, and the peer uses the defaults.
  package init(
    fabrics: [FabricCredentials], resumptions: [[UInt8]: ResumableSession], localSession: UInt16,
    parameters: SessionParameters? = SessionParameters(), random: RandomSource
  ) {
    (self.fabrics, self.resumptions, self.localSession) = (fabrics, resumptions, localSession)
    (self.parameters, self.random) = (parameters, random)
  }

  package mutating func receive(_ message: HandshakeMessage) -> HandshakeStep {
    let current = state
    state = .ended
    do throws(HandshakeFailure) {
      switch (current, message.opcode) {
      case (.ended, _): return .fail(HandshakeFailure("the handshake has ended"), nil)
      case (.awaitingStatus(let session), .statusReport): return message.stepAfterStatus(confirming: session)
      case (_, .statusReport): return message.stepAfterStatus(confirming: nil)
      case (.awaitingSigma1, .sigma1): return try receiveSigma1(message)
      case (.awaitingSigma3(let exchange), .sigma3): return try receiveSigma3(message, exchange)
      default: throw HandshakeFailure("a message of opcode \(message.opcode) is out of order")
      }
    } catch { return .fail(error, .status(.invalidParameter)) }
  }

  // MARK: Sigma1

  private struct Sigma1 {
    let random: [UInt8]
    let session: UInt16
    let destination: [UInt8]
    let publicKey: [UInt8]
    let parameters: SessionParameters
    /// The identifier and the proof.
    let resumption: (id: [UInt8], proof: [UInt8])?

    init(_ message: HandshakeMessage) throws(HandshakeFailure) {
      let fields = try HandshakeFields(message)
      random = try fields.octets(1, count: CASE.randomByteCount)
      session = try fields.session(2)
      destination = try fields.octets(3, count: CASE.destinationByteCount)
      publicKey = try fields.octets(4, count: CurveKey.publicKeyByteCount)
      parameters = try fields.parameters(5)
      let id = try fields.octets(ifPresent: 6, count: CASE.resumptionIDByteCount...CASE.resumptionIDByteCount)
      let proof = try fields.octets(ifPresent: 7, count: CASE.proofByteCount...CASE.proofByteCount)
      switch (id, proof) {
      case (let id?, let proof?): resumption = (id, proof)
      case (nil, nil): resumption = nil
      default: throw HandshakeFailure("a resumption needs an identifier and a proof")
      }
    }
  }

  private mutating func receiveSigma1(_ message: HandshakeMessage) throws(HandshakeFailure) -> HandshakeStep {
    let sigma1 = try Sigma1(message)
    if let answer = resume(sigma1) { return .send(answer) }
    for fabric in fabrics {
      if let key = fabric.operationalKey(ofDestination: sigma1.destination, random: sigma1.random) {
        return .send(try answer(message, sigma1, fabric, key))
      }
    }
    return .fail(HandshakeFailure("the initiator asks for another node"), .status(.noSharedTrustRoots))
  }

  /// Answers with Sigma2.
  private mutating func answer(
    _ message: HandshakeMessage, _ sigma1: Sigma1, _ fabric: FabricCredentials, _ operationalKey: SecretBytes
  ) throws(HandshakeFailure) -> HandshakeMessage {
    let key = CurveKey(random: random)
    guard let secret = key.agree(with: sigma1.publicKey) else {
      throw HandshakeFailure("the initiator's key is not a point")
    }
    let (ownRandom, resumptionID) = (random.bytes(CASE.randomByteCount), random.bytes(CASE.resumptionIDByteCount))
    let credentials = CASE.Credentials(fabric, ownKey: key.publicKey, peerKey: sigma1.publicKey, random: random)
    let sealed = CASE.MessageKey.sigma2(
      secret, operationalKey: operationalKey, random: ownRandom, publicKey: key.publicKey, sigma1: message.payload
    ).seal(
      HandshakeMessage(.sigma2) { buffer in
        credentials.encode(into: &buffer)
        buffer.appendElement(.context(4), octets: resumptionID)
      }.payload)
    let sigma2 = HandshakeMessage(.sigma2) { buffer in
      buffer.appendElement(.context(1), octets: ownRandom)
      buffer.appendElement(.context(2), unsigned: UInt64(localSession))
      buffer.appendElement(.context(3), octets: key.publicKey)
      buffer.appendElement(.context(4), octets: sealed)
      parameters?.encode(.context(5), into: &buffer)
    }
    state = .awaitingSigma3(
      Exchange(
        fabric: fabric, operationalKey: operationalKey, secret: secret, ownKey: key.publicKey,
        peerKey: sigma1.publicKey, peerSession: sigma1.session, peerParameters: sigma1.parameters,
        resumptionID: resumptionID, messages: message.payload + sigma2.payload))
    return sigma2
  }

  /// Answers with Sigma2Resume; nil: the session is not known, or the proof is wrong.
  private mutating func resume(_ sigma1: Sigma1) -> HandshakeMessage? {
    guard let (id, proof) = sigma1.resumption, let known = resumptions[id],
      let fabric = fabrics.first(where: { $0.index == known.fabric }),
      CASE.MessageKey.sigma1Resumption(known.resumption, random: sigma1.random).isProof(proof)
    else { return nil }
    var resumed = known
    resumed.resumption.id = random.bytes(CASE.resumptionIDByteCount)
    state = .awaitingStatus(
      CASE.session(
        resumed, keys: CASE.keys(resuming: known.resumption, random: sigma1.random), isInitiator: false,
        localSession: localSession, localNode: fabric.node, peerSession: sigma1.session,
        peerParameters: sigma1.parameters))
    return HandshakeMessage(.sigma2Resume) { buffer in
      buffer.appendElement(.context(1), octets: resumed.resumption.id)
      buffer.appendElement(
        .context(2),
        octets: CASE.MessageKey.sigma2Resumption(resumed.resumption, random: sigma1.random).proof)
      buffer.appendElement(.context(3), unsigned: UInt64(localSession))
      parameters?.encode(.context(4), into: &buffer)
    }
  }

  // MARK: Sigma3

  private func receiveSigma3(
    _ message: HandshakeMessage, _ exchange: Exchange
  ) throws(HandshakeFailure) -> HandshakeStep {
    let sealed = try HandshakeFields(message).octets(1, count: CASE.sealedByteCounts)
    let key = CASE.MessageKey.sigma3(
      exchange.secret, operationalKey: exchange.operationalKey, messages: exchange.messages)
    guard let opened = key.open(sealed) else { throw HandshakeFailure("Sigma3 can't be opened") }
    let credentials = try CASE.Credentials(HandshakeFields(HandshakeMessage(.sigma3, opened)))
    let chain = try credentials.verify(exchange.fabric, ownKey: exchange.ownKey, peerKey: exchange.peerKey)
    let peer = ResumableSession(
      resumption: EstablishedSession.Resumption(id: exchange.resumptionID, sharedSecret: exchange.secret),
      fabric: exchange.fabric.index, node: chain.node, tags: chain.tags)
    let keys = CASE.keys(
      exchange.secret, operationalKey: exchange.operationalKey, messages: exchange.messages + message.payload)
    return .establish(
      CASE.session(
        peer, keys: keys, isInitiator: false, localSession: localSession, localNode: exchange.fabric.node,
        peerSession: exchange.peerSession, peerParameters: exchange.peerParameters),
      .status(.sessionEstablished))
  }
}
