import HAPModel
import HAPWire

/// A request that waits until a change of the pairings is stored.
enum PairingsTurn {
  case request(PairingsRequest, any PairingConnection)
  case unpairing([[UInt8]], done: (Bool) -> Void)
}

extension PairingServer {
  /// Removes pairings without a controller, as a button on the accessory would. Their sessions end. If no admin is left, all pairings are
  /// removed, as for the last admin in HAP R2 §5.11.
  /// - Parameters:
  ///   - identifiers: unknown ones are ignored.
  ///   - done: receives whether the change was stored.
  package func unpair(_ identifiers: [[UInt8]], done: @escaping (Bool) -> Void) {
    guard !isStoringPairings else { return pairingsQueue.append(.unpairing(identifiers, done: done)) }
    let rest = pairings.filter { !identifiers.contains($0.identifier) }
    let gone = rest.contains { $0.isAdmin } ? pairings.filter { identifiers.contains($0.identifier) } : pairings
    guard !gone.isEmpty else { return done(true) }
    isStoringPairings = true
    let ids = gone.map(\.identifier)
    waiting[actions.store(.remove(ids))] = .unpairing(ids, done: done)
  }

  func finishUnpairing(_ identifiers: [[UInt8]]) {
    let wasPaired = isPaired
    remove(identifiers)
    if wasPaired != isPaired { pairedStateChanged(after: nil) }
    closeRemovedSessions()
  }

  /// Adds, removes or lists pairings for a verified controller. HAP R2 §5.10–5.12.
  /// - Parameter message: nil: the body isn't TLV8.
  package func receivePairings(_ message: TLV?, on connection: any PairingConnection) {
    guard case .controller(let controller) = connection.pairing.peer, let message,
      let request = PairingsRequest(message)
    else {
      refuse(.pairings, connection, "the message is malformed or lacks an item")
      return answer(.badRequest(nil), on: connection)
    }
    // One change at a time: the permissions of the next request depend on the result of this one.
    guard !isStoringPairings else {
      connection.isWaiting = true
      return pairingsQueue.append(.request(request, connection))
    }
    perform(request, of: controller, on: connection)
  }

  private func perform(_ request: PairingsRequest, of controller: [UInt8], on connection: any PairingConnection) {
    // The permissions are looked up now, not at Pair Verify, because they may have changed meanwhile.
    let byAdmin = isAdmin(controller)
    let outcome = request.outcome(for: pairings, byAdmin: byAdmin, quirks: quirks)
    if !byAdmin { refuse(.pairings, connection, "the controller is not an admin") }
    guard let change = outcome.change else { return finishPairings(outcome, for: connection, stored: true) }
    connection.isWaiting = true
    isStoringPairings = true
    waiting[actions.store(change)] = .pairings(connection, outcome)
  }

  /// Performs the requests that waited for a store, up to the next one that changes something.
  func takeUpQueuedPairings(at now: Duration) {
    while !isStoringPairings, !pairingsQueue.isEmpty {
      let turn = pairingsQueue.removeFirst()
      guard case .request(let request, let connection) = turn else {
        if case .unpairing(let identifiers, let done) = turn { unpair(identifiers, done: done) }
        continue
      }
      // Its controller may have lost its pairing and its session while the request waited.
      guard connection.isOpen, case .controller(let controller) = connection.pairing.peer else { continue }
      connection.isWaiting = false
      perform(request, of: controller, on: connection)
      proceed(with: connection, at: now)
    }
  }

  /// Answers after the change is stored, and closes the sessions of controllers that are no longer paired.
  func finishPairings(_ outcome: PairingsRequest.Outcome, for connection: any PairingConnection, stored: Bool) {
    guard stored else {
      refuse(.pairings, connection, "the change could not be stored")
      return answer(.reply(.error(.unknown, state: 2)), on: connection)
    }
    let wasPaired = isPaired
    apply(outcome)
    answer(outcome.answer, on: connection)
    if wasPaired != isPaired { pairedStateChanged(after: connection) }
    if quirks.closesRemovedSessions { closeRemovedSessions() }
  }

  private func closeRemovedSessions() {
    // Sessions of a removed controller are closed at once. If it removed itself, its session is closed after the
    // answer.
    for other in sessions where other.isOpen {
      guard case .controller(let controller) = other.pairing.peer,
        !pairings.contains(where: { $0.identifier == controller })
      else { continue }
      close(other)
    }
  }

  private func apply(_ outcome: PairingsRequest.Outcome) {
    guard let change = outcome.change else { return }
    // Another session's change may have been stored since the request. Apply the change, not the list.
    switch change {
    case .upsert(let pairing):
      if let index = pairings.firstIndex(where: { $0.identifier == pairing.identifier }) {
        pairings[index] = pairing
      } else {
        pairings.append(pairing)
        actions.report(.paired(controller: pairing.name, isAdmin: pairing.isAdmin))
      }
    case .remove(let identifiers): remove(identifiers)
    case .failedAttempts, .frontEnd: break
    }
  }

  private func remove(_ identifiers: [[UInt8]]) {
    pairings.removeAll { identifiers.contains($0.identifier) }
    for identifier in identifiers {
      actions.report(.unpaired(controller: String(decoding: identifier, as: UTF8.self)))
    }
  }
}
