import MatterInteraction
import MatterModel
import MatterWire

/// The handshakes of peers.
extension NodeServer {
  func receiveHandshake(_ received: ReceivedMessage, at now: Duration) {
    let exchange = received.exchange
    guard let message = received.handshakeMessage else { return layer.closeExchange(exchange, at: now) }
    if received.isFirst { return begin(message, on: exchange, at: now) }
    guard let handshake = handshakes.take(exchange) else {
      // The peer did not wait for the answer to its last message.
      handshakes.fail(exchange)
      return layer.closeExchange(exchange, at: now)
    }
    continueHandshake(handshake, with: message, on: exchange, at: now)
  }

  private func begin(_ message: HandshakeMessage, on exchange: ExchangeHandle, at now: Duration) {
    // Computations of handshakes that were given up count, too: a flood must not fill the queue of the caller.
    guard max(handshakes.count, computationCount) < HandshakeTable.limit else {
      return refuse(exchange, .busy, at: now)
    }
    switch message.opcode {
    case .pbkdfParamRequest:
      guard !handshakes.hasPasscodeHandshake else { return refuse(exchange, .busy, at: now) }
      guard node.window != nil else {
        report(HandshakeFailure("no commissioning window is open"), on: exchange)
        return refuse(exchange, .invalidParameter, at: now)
      }
      guard let access = node.passcodeAccess,
        let derivation = PasscodeDerivation(iterations: access.iterations, salt: access.salt)
      else { return refuse(exchange, .busy, at: now) }
      handshakes.add(.passcode(access), on: exchange, at: now)
      let responder = PASEResponder(
        verifier: { access.verifier }, derivation: derivation, localSession: layer.allocateSessionID(), random: random)
      continueHandshake(responder, with: message, on: exchange, at: now)
    case .sigma1:
      handshakes.add(.node(endings: endingCount), on: exchange, at: now)
      let responder = CASEResponder(
        fabrics: node.fabricCredentials, resumptions: handshakes.resumptions,
        localSession: layer.allocateSessionID(), random: random)
      continueHandshake(responder, with: message, on: exchange, at: now)
    default: layer.closeExchange(exchange, at: now)
    }
  }

  private func refuse(_ exchange: ExchangeHandle, _ code: StatusReport.SecureChannelCode, at now: Duration) {
    layer.send(.status(code), on: exchange, at: now)
    layer.closeExchange(exchange, at: now)
    layer.removeSession(exchange.session, afterExchanges: true)
  }

  private func continueHandshake(
    _ handshake: any Handshake, with message: HandshakeMessage, on exchange: ExchangeHandle, at now: Duration
  ) {
    let work = HandshakeWork(exchange: exchange, handshake: handshake, message: message)
    switch message.opcode {
    case .pbkdfParamRequest, .statusReport: take(work.perform(), at: now)
    default:
      computationCount += 1
      act(.compute(work))
    }
  }

  /// Takes the result of a computation.
  package func computed(_ result: HandshakeWork.Result, at now: Duration) {
    computationCount -= 1
    node.advance(to: now)
    take(result, at: now)
    finish(at: now)
  }

  private func take(_ result: HandshakeWork.Result, at now: Duration) {
    let exchange = result.exchange
    // The exchange can have failed meanwhile.
    guard let kind = handshakes.putBack(result.handshake, on: exchange) else { return }
    switch result.step {
    case .send(let message):
      if message.opcode == .pake2 { handshakes.noteProof(on: exchange) }
      if !layer.send(message, on: exchange, at: now) { handshakes.fail(exchange) }
    case .establish(let session, let message):
      establish(session, kind, message, on: exchange, at: now)
      handshakes.finish(exchange)
    case .fail(let failure, let message):
      report(failure, on: exchange)
      if let message { layer.send(message, on: exchange, at: now) }
      handshakes.fail(exchange)
      layer.closeExchange(exchange, at: now)
      layer.removeSession(exchange.session, afterExchanges: true)
    }
  }

  private func establish(
    _ session: EstablishedSession, _ kind: HandshakeTable.Kind, _ message: HandshakeMessage?,
    on exchange: ExchangeHandle, at now: Duration
  ) {
    defer {
      layer.closeExchange(exchange, at: now)
      layer.removeSession(exchange.session, afterExchanges: true)
    }
    guard let peer = layer.peer(of: exchange.session), add(session, kind, peer: peer, at: now) else {
      report(HandshakeFailure("the window was closed, or the fabric was removed meanwhile"), on: exchange)
      return refuse(exchange, .invalidParameter, at: now)
    }
    if let message { layer.send(message, on: exchange, at: now) }
    if let resumable = ResumableSession(session) { handshakes.keep(resumable) }
  }
}
