import HAPLoop
import HAPModel

/// The expectations of tests on an accessory. May be used from any task.
extension ServedAccessory {
  /// The events that an expectation matches.
  private struct Expectation {
    /// For users: "a controller writes Target Door State (1.13): open (0)".
    let text: String
    let id: AttributeID?
    let matches: @Sendable (RecordedEvent) -> Bool
  }

  /// Waits for an event of a kind.
  /// - Parameters:
  ///   - value: the value of the characteristic; `nil`: any.
  ///   - controller: the identifier of the controller that causes the event; `nil`: any.
  ///   - limit: from now on, in the machine's time or in that of the simulated world.
  /// - Throws: `unmet`; a code for an impossible characteristic or value; `cancelled`, `stopped`.
  package func expect(
    _ kind: String, of characteristic: CharacteristicPlace?, _ value: Value?, by controller: String?,
    within limit: Duration, at place: ExpectationPlace
  ) async throws(SimulationFailure) -> RecordedEvent {
    let wanted = try await expectation(of: kind, characteristic, value, by: controller, place)
    return try await wait(for: wanted.text, about: wanted.id, within: limit, place, wanted.matches)
  }

  /// Waits for an event that matches.
  /// - Parameter matches: called on the loop.
  package func expect(
    _ what: String, within limit: Duration, at place: ExpectationPlace,
    where matches: @escaping @Sendable (RecordedEvent) -> Bool
  ) async throws(SimulationFailure) -> RecordedEvent {
    try await wait(for: what, about: nil, within: limit, place, matches)
  }

  /// Waits for the given time, and fails if an event of a kind has come or comes.
  package func expectNo(
    _ kind: String, of characteristic: CharacteristicPlace?, _ value: Value?, by controller: String?,
    within time: Duration, at place: ExpectationPlace
  ) async throws(SimulationFailure) {
    let unwanted = try await expectation(of: kind, characteristic, value, by: controller, place)
    try await expectNo(unwanted.text, within: time, at: place, where: unwanted.matches)
  }

  /// Waits for the given time, and fails if an event that matches has come or comes.
  /// - Parameter matches: called on the loop.
  package func expectNo(
    _ what: String, within time: Duration, at place: ExpectationPlace,
    where matches: @escaping @Sendable (RecordedEvent) -> Bool
  ) async throws(SimulationFailure) {
    let ending = await wait(within: time) { .event(matches) }
    switch ending {
    case .late: return
    case .met(let event):
      throw SimulationFailure(
        .unmet,
        "\(place): not expected of \"\(name)\" within \(time.roundText): \(what); but it happened: \(event?.text ?? what)",
        at: place, events: record.last(20))
    case .cancelled, .stopped: throw try await failure(ending, what, about: nil, within: time, place)
    }
  }

  /// Waits until a characteristic has a value.
  package func awaitValue(
    _ value: Value, of characteristic: CharacteristicPlace, within limit: Duration, at place: ExpectationPlace
  ) async throws(SimulationFailure) {
    let subject = try await find(characteristic, value)
    guard let wanted = subject.value else { preconditionFailure("a value was given") }
    let ending = await wait(within: limit) { .value(subject.id, wanted) }
    if case .met = ending { return }
    throw try await failure(ending, subject.text, about: subject.id, within: limit, place)
  }

  // MARK: Implementation

  private var name: String { card.withLock { $0.name } }

  private func expectation(
    of kind: String, _ characteristic: CharacteristicPlace?, _ value: Value?, by controller: String?,
    _ place: ExpectationPlace
  ) async throws(SimulationFailure) -> Expectation {
    guard characteristic != nil || value == nil else {
      throw SimulationFailure(.malformed, "\(place): a value needs a characteristic: name the characteristic")
    }
    var subject: Subject?
    if let characteristic { subject = try await find(characteristic, value) }
    let wanted = subject
    let who = controller.map { "controller \($0)" } ?? "a controller"
    let text =
      switch (kind, wanted?.text) {
      case ("wrote", let text?): "\(who) writes \(text)"
      case (_, let text): "\"\(kind)\"" + (text.map { " of \($0)" } ?? "") + (controller == nil ? "" : " by \(who)")
      }
    return Expectation(text: text, id: wanted?.id) { event in
      event.name == kind && (wanted == nil || event.characteristic?.id == wanted?.id)
        && (wanted?.value == nil || event.value?.value == wanted?.value)
        && (controller == nil || event.controller == controller)
    }
  }

  private func find(
    _ characteristic: CharacteristicPlace, _ value: Value?
  ) async throws(SimulationFailure) -> Subject {
    try await loop.answer { [self] done in
      done(Result { () throws(SimulationFailure) in try subject(characteristic, value) })
    }
  }

  private func wait(
    for what: String, about id: AttributeID?, within limit: Duration, _ place: ExpectationPlace,
    _ matches: @escaping @Sendable (RecordedEvent) -> Bool
  ) async throws(SimulationFailure) -> RecordedEvent {
    let ending = await wait(within: limit) { .event(matches) }
    if case .met(let event?) = ending { return event }
    throw try await failure(ending, what, about: id, within: limit, place)
  }

  /// - Parameter makeWish: called on the loop.
  private func wait(within limit: Duration, _ makeWish: @escaping @Sendable () -> WaitCondition) async -> WaitEnding {
    let ticket = WaitTicket()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<WaitEnding, Never>) in
        let isRunning = loop.schedule { [self] in
          wait(for: makeWish(), within: limit, ticket) { continuation.resume(returning: $0) }
        }
        if !isRunning { continuation.resume(returning: .stopped) }
      }
    } onCancel: {
      loop.schedule { [self] in giveUp(ticket) }
    }
  }

  private func failure(
    _ ending: WaitEnding, _ what: String, about id: AttributeID?, within limit: Duration, _ place: ExpectationPlace
  ) async throws(SimulationFailure) -> SimulationFailure {
    switch ending {
    case .cancelled: return .cancelled
    case .stopped: return .stopped
    case .met, .late: break
    }
    let state = try await loop.answer { [self] (done: @escaping SimulatorCore.Done<String?>) in
      done(.success(id.flatMap { self.state(of: $0) }))
    }
    let now = state.map { "; now it is \($0)" } ?? ""
    return SimulationFailure(
      .unmet, "\(place): expected of \"\(name)\" within \(limit.roundText): \(what)\(now)", at: place,
      events: record.last(20))
  }
}
