import HAPCrypto
import HAPModel
import HAPWire

extension PairingServer {
  /// Handles a message of Pair Setup. HAP R2 §5.6.
  /// - Parameter message: nil: the body is missing or isn't TLV8.
  package func receivePairSetup(_ message: TLV?, on connection: any PairingConnection, at now: Duration) {
    endTransientSessions(but: connection)
    let session = connection.pairing
    guard let message else { return perform(session.setup.receiveUnreadable(), for: connection) }
    session.setupHeard = now
    if message.state == 1 { session.setupStarted = now }
    // A pairing that is being stored counts even if its connection is closed, because it will exist.
    var isOtherUnderWay = waiting.values.contains {
      if case .newPairing(_, let other) = $0 { other !== connection } else { false }
    }
    setups.removeAll { $0 === connection || !$0.pairing.isSettingUp || !$0.isOpen }
    for other in setups {
      let since = quirks.takeoverCountsFromStart ? other.pairing.setupStarted : other.pairing.setupHeard
      if message.state == 1, now - since >= quirks.setupTakeover, !other.isWaiting {
        other.pairing.setup.reset()
      } else {
        isOtherUnderWay = true
      }
    }
    setups.append(connection)
    let context = PairSetupServer.Context(
      isPaired: isPaired, isLocked: isLocked, isOtherUnderWay: isOtherUnderWay && quirks.tellsBusy,
      arithmetic: setupArithmetic)
    perform(session.setup.receive(message, context: context), for: connection)
  }

  /// Ends transient sessions when any other connection starts Pair Setup (HomeKitADK).
  private func endTransientSessions(but connection: any PairingConnection) {
    for other in sessions where other !== connection && other.pairing.peer == .transient {
      refuse(nil, other, "its transient session ends: Pair Setup started on another connection")
      close(other)
    }
  }

  func perform(_ steps: [PairSetupServer.Action], for connection: any PairingConnection) {
    for (index, step) in steps.enumerated() {
      switch step {
      case .reply(let reply):
        if let error = reply.error {
          refuse(.pairSetup, connection, error.reason(inReplyTo: .pairSetup, step: reply.state))
        }
        answer(.reply(reply), on: connection)
      case .badRequest:
        refuse(.pairSetup, connection, "the message is malformed, lacks an item or is out of order")
        answer(.badRequest(nil), on: connection)
      case .outOfOrder(let state):
        refuse(.pairSetup, connection, "the message is out of order")
        answer(quirks.setupOutOfOrder.answer(state), on: connection)
      case .exchangeFailed(let isOpened):
        refuse(.pairSetup, connection, PairingError.authentication.reason(inReplyTo: .pairSetup, step: 6))
        answer((isOpened ? quirks.signatureFailure : quirks.exchangeFailure).answer, on: connection)
      case .methodRefused(let refusal):
        refuse(.pairSetup, connection, "the method needs an authentication coprocessor")
        answer(refusal, on: connection)
      case .compute(let work):
        connection.isWaiting = true
        waiting[actions.compute(work)] = .pairSetup(connection)
      case .store(let pairing):
        connection.isWaiting = true
        waiting[actions.store(.upsert(pairing))] = .newPairing(pairing, connection)
      case .failedAttempt:
        failedAttempts = min(failedAttempts + 1, max(100, quirks.maximumTries))
        guard quirks.keepsFailedTries else { break }
        connection.isWaiting = true
        let rest = Array(steps[(index + 1)...])
        waiting[actions.store(.failedAttempts(failedAttempts))] = .failedAttempt(connection, then: rest)
        return
      case .clearFailedAttempts:
        guard failedAttempts != 0, quirks.clearsFailedTries else { break }
        failedAttempts = 0
        guard quirks.keepsFailedTries else { break }
        waiting[actions.store(.failedAttempts(0))] = .nothing
      case .startTransientSession(let keys):
        if connection.isOpen { secure(connection, keys, controller: nil) }
      }
    }
  }

  /// Sends M6 after the pairing of M5 was stored or could not be stored, and then reports the new state of the
  /// accessory.
  func finishPairSetup(_ pairing: Pairing, on connection: any PairingConnection, stored: Bool) {
    let wasPaired = isPaired
    if stored {
      // The pairing is stored even if the connection was closed meanwhile.
      pairings.removeAll { $0.identifier == pairing.identifier }
      pairings.append(pairing)
      actions.report(.paired(controller: pairing.name, isAdmin: pairing.isAdmin))
    }
    perform(connection.pairing.setup.stored(stored), for: connection)
    connection.isWaiting = false
    if wasPaired != isPaired { pairedStateChanged(after: connection) }
  }
}

extension PairingQuirks.OutOfOrder {
  /// - Parameter state: the state of the reply.
  fileprivate func answer(_ state: UInt8) -> PairingAnswer {
    switch self {
    case .badRequest: .badRequest(nil)
    case .internalError: .failure(nil)
    case .badRequestWithError: .badRequest(.error(.unknown, state: state))
    case .unknownError: .reply(.error(.unknown, state: state))
    case .internalErrorWithError: .failure(.error(.unknown, state: state))
    }
  }
}

extension PairingQuirks.ExchangeFailure {
  fileprivate var answer: PairingAnswer {
    switch self {
    case .state6: .reply(.error(.authentication, state: 6))
    case .state4: .reply(.error(.authentication, state: 4))
    case .internalError: .failure(.error(.unknown, state: 6))
    case .internalErrorWithStatus: .failureStatus(.unableToCommunicate)
    }
  }
}

extension PairingError {
  /// Returns the error as a text for the user.
  func reason(inReplyTo operation: PairingOperation, step: UInt8?) -> String {
    let isSetup = operation == .pairSetup
    let cause =
      switch self {
      case .unknown: "unknown error"
      case .authentication:
        isSetup
          ? "authentication failed: a wrong setup code, or a bad signature"
          : "authentication failed: the controller is not paired, or its signature is bad"
      case .backoff: "the accessory asks to wait"
      case .maxPeers: "no room for another pairing"
      case .maxTries: "too many wrong setup codes; a factory reset is needed"
      case .unavailable: "the accessory is paired already"
      case .busy: "another controller is pairing"
      }
    return "\(isSetup ? "Pair Setup" : "Pair Verify") M\(step ?? 0): \(cause)"
  }
}
