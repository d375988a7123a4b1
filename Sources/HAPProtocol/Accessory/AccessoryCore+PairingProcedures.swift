import HAPCrypto
import HAPModel
import HAPWire

extension AccessoryCore {
  // MARK: Pair Setup

  /// `POST /pair-setup`. HAP R2 §5.6.
  /// - Parameter body: nil when the request had none.
  func receivePairSetup(_ body: UnsafeRawBufferPointer?, on connection: ConnectionCore, at now: Duration) {
    endTransientSessions(but: connection)
    guard let message = body.flatMap({ try? TLV(decoding: $0) }) else {
      return perform(connection.setup.receiveUnreadable(), for: connection)
    }
    connection.setupHeard = now
    if message.state == 1 { connection.setupBegan = now }
    // A pairing that is being stored counts, also when its connection has gone: it will be there.
    var isOtherUnderWay = waiting.values.contains {
      if case .newPairing(_, let other) = $0 { other !== connection } else { false }
    }
    setups.removeAll { $0 === connection || !$0.setup.isUnderWay || $0.phase == .closed }
    for other in setups {
      let since = conduct.takeoverCountsFromStart ? other.setupBegan : other.setupHeard
      if message.state == 1, now - since >= conduct.setupTakeover, !other.isWaiting {
        other.setup.reset()
      } else {
        isOtherUnderWay = true
      }
    }
    setups.append(connection)
    let context = PairSetupServer.Context(
      isPaired: isPaired, isLocked: isLocked, isOtherUnderWay: isOtherUnderWay && conduct.tellsBusy,
      keys: setupKeys)
    perform(connection.setup.receive(message, context: context), for: connection)
  }

  /// A transient session ends when anybody starts Pair Setup elsewhere (HomeKitADK).
  private func endTransientSessions(but connection: ConnectionCore) {
    for other in sessions where other !== connection && other.session?.isTransient == true {
      refuse(other, request: "", reason: "its transient session ends: Pair Setup has begun on another connection")
      close(other)
    }
  }

  func perform(_ steps: [PairSetupServer.Action], for connection: ConnectionCore) {
    for (index, step) in steps.enumerated() {
      switch step {
      case .reply(let reply):
        connection.isWaiting = false
        if let error = reply.error {
          refuse(
            connection, request: "POST /pair-setup", reason: error.reason(inReplyTo: "Pair Setup", step: reply.state))
        }
        if connection.phase == .open { connection.answer(reply) }
      case .badRequest:
        connection.isWaiting = false
        refuse(
          connection, request: "POST /pair-setup", reason: "the message is malformed, lacks an item or is out of order")
        if connection.phase == .open { connection.answer(.badRequest) }
      case .outOfOrder(let state):
        connection.isWaiting = false
        refuse(connection, request: "POST /pair-setup", reason: "the message is out of order")
        if connection.phase == .open { answerOutOfOrder(state, on: connection) }
      case .exchangeFailed(let isOpened):
        connection.isWaiting = false
        refuse(
          connection, request: "POST /pair-setup",
          reason: PairingError.authentication.reason(inReplyTo: "Pair Setup", step: 6))
        if connection.phase == .open {
          answer(isOpened ? conduct.signatureFailure : conduct.exchangeFailure, on: connection)
        }
      case .methodRefused(let status, let items):
        connection.isWaiting = false
        refuse(connection, request: "POST /pair-setup", reason: "the method needs an authentication coprocessor")
        guard connection.phase == .open else { break }
        if let items { connection.answer(items, status) } else { connection.answer(status) }
      case .compute(let work):
        connection.isWaiting = true
        queue.append(.compute(work, ticket: newTicket(.pairSetup(connection))))
      case .store(let pairing):
        connection.isWaiting = true
        queue.append(.store(.upsert(pairing), ticket: newTicket(.newPairing(pairing, connection))))
      case .failedAttempt:
        failedAttempts = min(failedAttempts + 1, max(100, conduct.maximumTries))
        guard conduct.keepsFailedTries else { break }
        connection.isWaiting = true
        let rest = Array(steps[(index + 1)...])
        let ticket = newTicket(.failedAttempt(connection, then: rest))
        return queue.append(.store(.failedAttempts(failedAttempts), ticket: ticket))
      case .clearFailedAttempts:
        guard failedAttempts != 0, conduct.clearsFailedTries else { break }
        failedAttempts = 0
        guard conduct.keepsFailedTries else { break }
        queue.append(.store(.failedAttempts(0), ticket: newTicket(.nothing)))
      case .startTransientSession(let keys):
        guard connection.phase == .open else { break }
        secure(connection, keys, controller: nil)
      }
    }
  }

  private func answerOutOfOrder(_ state: UInt8, on connection: ConnectionCore) {
    switch conduct.setupOutOfOrder {
    case .badRequest: connection.answer(.badRequest)
    case .internalError: connection.answer(.internalError)
    case .badRequestWithError: connection.answer(.error(.unknown, state: state), .badRequest)
    case .unknownError: connection.answer(.error(.unknown, state: state))
    case .internalErrorWithError: connection.answer(.error(.unknown, state: state), .internalError)
    }
  }

  private func answer(_ failure: Conduct.ExchangeFailure, on connection: ConnectionCore) {
    switch failure {
    case .state6: connection.answer(.error(.authentication, state: 6))
    case .state4: connection.answer(.error(.authentication, state: 4))
    case .internalError: connection.answer(.error(.unknown, state: 6), .internalError)
    case .internalErrorWithStatus: connection.answer(.internalError, .unableToCommunicate)
    }
  }

  /// The pairing of M5 is on the disk, or isn't: M6, and only behind it the new `sf`.
  func finishPairSetup(_ pairing: Pairing, on connection: ConnectionCore, stored: Bool) {
    let wasPaired = isPaired
    if stored {
      // Also when the connection has gone meanwhile: what is stored is so.
      pairings.removeAll { $0.identifier == pairing.identifier }
      pairings.append(pairing)
      report(.paired(controller: pairing.name, isAdmin: pairing.isAdmin))
    }
    perform(connection.setup.stored(stored), for: connection)
    connection.isWaiting = false
    if wasPaired != isPaired { advertise(after: connection) }
  }

  // MARK: Pair Verify

  /// `POST /pair-verify`. HAP R2 §5.7.
  /// - Parameter body: nil when the request had none.
  func receivePairVerify(_ body: UnsafeRawBufferPointer?, on connection: ConnectionCore) {
    guard let message = body.flatMap({ try? TLV(decoding: $0) }) else {
      return perform(connection.verify.receiveUnreadable(), for: connection)
    }
    // Drawn here, in the order of the requests, and not when the pool comes to it.
    let drawn = message.state == 1 ? random.secret(32) : SecretBytes([])
    let source = RandomSource { room in drawn.withBytes { room.copyMemory(from: $0) } }
    connection.isWaiting = true
    let task = SlowWork.Task.pairVerify(connection.verify, message, identity, pairings: pairings, source)
    queue.append(.compute(SlowWork(number: 0, task: task), ticket: newTicket(.pairVerify(connection))))
  }

  func finishPairVerify(_ result: SlowWork.Result, on connection: ConnectionCore, at now: Duration) {
    guard case .pairVerify(let server, let steps) = result.outcome else {
      preconditionFailure("Pair Verify's work has another's outcome")
    }
    connection.isWaiting = false
    guard connection.phase == .open else { return }
    connection.verify = server
    // The first M1 alone, so that repeated ones protect the connection no longer.
    if server.isUnderWay, connection.verifyStarted == nil { connection.verifyStarted = now }
    // A pairing that went away meanwhile is of no use.
    let isRevoked = steps.contains {
      if case .established(_, let pairing) = $0 { !pairings.contains(pairing) } else { false }
    }
    perform(isRevoked ? [.reply(.error(.authentication, state: 4))] : steps, for: connection)
  }

  private func perform(_ steps: [PairVerifyServer.Action], for connection: ConnectionCore) {
    for step in steps {
      switch step {
      case .reply(let reply):
        if let error = reply.error {
          refuse(
            connection, request: "POST /pair-verify", reason: error.reason(inReplyTo: "Pair Verify", step: reply.state))
        }
        connection.answer(reply)
      case .badRequest:
        refuse(
          connection, request: "POST /pair-verify", reason: "the message is malformed, lacks an item or is out of order"
        )
        connection.answer(.badRequest)
      case .established(let keys, let pairing):
        // M4 is in the outgoing buffer, in plain; from here on every byte of both directions is sealed.
        secure(connection, keys, controller: pairing.identifier)
        report(.verified(connection.id, controller: connection.controller))
      }
    }
  }
}

extension PairingError {
  /// The error in words, for people who look for the cause.
  func reason(inReplyTo procedure: String, step: UInt8?) -> String {
    let cause =
      switch self {
      case .unknown: "something else went wrong"
      case .authentication:
        procedure == "Pair Setup"
          ? "authentication failed: a wrong setup code, or a bad signature"
          : "authentication failed: the controller is not paired, or its signature is bad"
      case .backoff: "the accessory asks to wait"
      case .maxPeers: "no room for another pairing"
      case .maxTries: "too many wrong setup codes; a factory reset lifts it"
      case .unavailable: "the accessory is paired already"
      case .busy: "another controller is pairing"
      }
    return "\(procedure) M\(step ?? 0): \(cause)"
  }
}
