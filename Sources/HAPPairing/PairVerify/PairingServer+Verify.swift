import HAPCrypto
import HAPModel
import HAPWire

extension PairingServer {
  /// Handles a message of Pair Verify. HAP R2 §5.7.
  /// - Parameter message: nil: the body is missing or isn't TLV8.
  package func receivePairVerify(_ message: TLV?, on connection: any PairingConnection) {
    let session = connection.pairing
    guard let message else { return perform(session.verify.receiveUnreadable(), for: connection) }
    // The random bytes are drawn in the order of the requests, not in the order in which the pool runs the work.
    let drawn = message.state == 1 ? random.secret(32) : SecretBytes([])
    let source = RandomSource { room in drawn.withBytes { room.copyMemory(from: $0) } }
    connection.isWaiting = true
    let task = SlowWork.Task.pairVerify(session.verify, message, identity, pairings: pairings, source)
    waiting[actions.compute(SlowWork(number: 0, task: task))] = .pairVerify(connection)
  }

  func finishPairVerify(_ result: SlowWork.Result, on connection: any PairingConnection, at now: Duration) {
    guard case .pairVerify(let server, let steps) = result.outcome else {
      preconditionFailure("the outcome is not Pair Verify's")
    }
    connection.isWaiting = false
    guard connection.isOpen else { return }
    let session = connection.pairing
    session.verify = server
    // Only the first M1 counts. Repeated ones must not protect the connection from eviction for longer.
    if server.isUnderWay, session.verifyStarted == nil { session.verifyStarted = now }
    // A pairing that was removed meanwhile is not used.
    let isRevoked = steps.contains {
      if case .established(_, let pairing) = $0 { !pairings.contains(pairing) } else { false }
    }
    perform(isRevoked ? [.reply(.error(.authentication, state: 4))] : steps, for: connection)
  }

  private func perform(_ steps: [PairVerifyServer.Action], for connection: any PairingConnection) {
    for step in steps {
      switch step {
      case .reply(let reply):
        if let error = reply.error {
          refuse(.pairVerify, connection, error.reason(inReplyTo: .pairVerify, step: reply.state))
        }
        answer(.reply(reply), on: connection)
      case .badRequest:
        refuse(.pairVerify, connection, "the message is malformed, lacks an item or is out of order")
        answer(.badRequest(nil), on: connection)
      case .established(let keys, let pairing):
        // M4 is sent unencrypted. After it, every byte of both directions is encrypted.
        secure(connection, keys, controller: pairing.identifier)
        actions.report(.verified(connection.id, controller: pairing.name))
      }
    }
  }
}
