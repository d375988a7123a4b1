import HAPModel

/// What happens to it, and what is expected to happen.
///
/// **What counts.** An expectation is met by the first event that fits and that no expectation before it was met by: one that has happened
/// already counts, back to when the accessory was started, and two expectations of a write want two writes. ``forgetEvents()`` lets what happened so
/// far count for nothing.
///
/// **Deadlines** are the machine's time, also where simulated time stands still.
extension RunningAccessory {
  /// What has happened since the accessory was started or ``forgetEvents()``, in order: the last 10000 events. Where there were more, the first one is
  /// of the kind ``AccessoryEvent/Kind/dropped``.
  public var history: [AccessoryEvent] { served.record.history }

  /// What happened so far counts for no expectation any more, and is no history.
  public func forgetEvents() { served.record.forget() }

  /// What happens from this moment on.
  public func events() -> AccessoryEvents { AccessoryEvents(served.record.listen()) }

  /// Expects that a controller writes a characteristic, or has written it.
  ///
  /// ```swift
  /// try await door.written("TargetDoorState", "open")
  /// ```
  /// - Parameters:
  ///   - value: what is written, or the catalogue's word for it; nil: anything.
  ///   - controller: the identifier of who writes; nil: anybody.
  ///   - limit: how long it may take from now on, in the machine's time.
  ///   - file: stands in the message.
  ///   - line: stands in the message.
  /// - Throws: ``SimulatorError/Code/unmet``, with what happened instead. ``SimulatorError/Code/invalidValue`` or
  ///   ``SimulatorError/Code/noSuchCharacteristic`` where it can't happen. ``SimulatorError/Code/cancelled``, ``SimulatorError/Code/stopped``.
  /// - Returns: the event.
  @discardableResult
  public func written(
    _ characteristic: CharacteristicName, _ value: Value? = nil, by controller: String? = nil,
    within limit: Duration = .seconds(5), file: String = #fileID, line: Int = #line
  ) async throws(SimulatorError) -> AccessoryEvent {
    try await expect(.wrote, of: characteristic, value, by: controller, within: limit, file: file, line: line)
  }

  /// Expects an event of a kind.
  ///
  /// ```swift
  /// try await door.expect(.paired)
  /// try await door.expect(.subscribed, of: "CurrentDoorState")
  /// try await door.expect(.told, of: "CurrentDoorState", "opening")
  /// ```
  /// - Parameters:
  ///   - kind: what is to happen.
  ///   - characteristic: which one it is about; nil: any or none.
  ///   - value: what is written, changed or told of the characteristic, or the catalogue's word for it; nil: anything.
  ///   - controller: the identifier of whose doing it is; nil: anybody's.
  ///   - limit: how long it may take from now on, in the machine's time.
  ///   - file: stands in the message.
  ///   - line: stands in the message.
  /// - Throws: as ``written(_:_:by:within:file:line:)``.
  /// - Returns: the event.
  @discardableResult
  public func expect(
    _ kind: AccessoryEvent.Kind, of characteristic: CharacteristicName? = nil, _ value: Value? = nil,
    by controller: String? = nil, within limit: Duration = .seconds(5), file: String = #fileID, line: Int = #line
  ) async throws(SimulatorError) -> AccessoryEvent {
    guard characteristic != nil || value == nil else {
      throw SimulatorError(.malformed, "\(file):\(line): a value is a characteristic's: say which characteristic")
    }
    var subject: ServedAccessory.Subject?
    if let characteristic { subject = try await find(characteristic, value) }
    let wanted = subject
    let who = controller.map { "controller \($0)" } ?? "a controller"
    let what =
      switch (kind, wanted?.text) {
      case (.wrote, let text?): "\(who) writes \(text)"
      case (_, let text): "\"\(kind)\"" + (text.map { " of \($0)" } ?? "") + (controller == nil ? "" : " by \(who)")
      }
    return try await wait(for: what, about: wanted?.id, within: limit, file, line) { event in
      event.kind == kind && (wanted == nil || event.characteristic == wanted?.id)
        && (wanted?.value == nil || event.value == wanted?.value)
        && (controller == nil || event.controller == controller)
    }
  }

  /// Expects an event that is described by a condition.
  /// - Parameters:
  ///   - what: says in the message what is expected: "the lamp is dimmed below 50 %".
  ///   - limit: how long it may take from now on, in the machine's time.
  ///   - file: stands in the message.
  ///   - line: stands in the message.
  ///   - matches: whether this is the event. It is called on the simulator's thread, which waits for it.
  /// - Throws: as ``written(_:_:by:within:file:line:)``.
  /// - Returns: the event.
  @discardableResult
  public func expect(
    _ what: String, within limit: Duration = .seconds(5), file: String = #fileID, line: Int = #line,
    where matches: @escaping @Sendable (AccessoryEvent) -> Bool
  ) async throws(SimulatorError) -> AccessoryEvent {
    try await wait(for: what, about: nil, within: limit, file, line, matches)
  }

  /// Expects that a characteristic has a value, now or soon.
  ///
  /// ```swift
  /// try await simulator.advance(by: .seconds(10))
  /// try await door.becomes("CurrentDoorState", "open")
  /// ```
  /// - Parameters:
  ///   - value: a value, or the catalogue's word for one.
  ///   - limit: how long it may take from now on, in the machine's time.
  ///   - file: stands in the message.
  ///   - line: stands in the message.
  /// - Throws: as ``written(_:_:by:within:file:line:)``.
  public func becomes(
    _ characteristic: CharacteristicName, _ value: Value, within limit: Duration = .seconds(5), file: String = #fileID,
    line: Int = #line
  ) async throws(SimulatorError) {
    let subject = try await find(characteristic, value)
    guard let wanted = subject.value else { preconditionFailure("a value was given") }
    let ending = await wait(within: limit) { .value(subject.id, wanted) }
    if case .met = ending { return }
    throw try await failure(ending, subject.text, about: subject.id, within: limit, file, line)
  }

  // MARK: Waiting

  private func find(
    _ characteristic: CharacteristicName, _ value: Value?
  ) async throws(SimulatorError) -> ServedAccessory.Subject {
    try await served.loop.answer { [served] done in
      done(Result { () throws(SimulatorError) in try served.subject(characteristic, value) })
    }
  }

  private func wait(
    for what: String, about id: AttributeID?, within limit: Duration, _ file: String, _ line: Int,
    _ matches: @escaping @Sendable (AccessoryEvent) -> Bool
  ) async throws(SimulatorError) -> AccessoryEvent {
    let ending = await wait(within: limit) { .event(matches) }
    if case .met(let event?) = ending { return event }
    throw try await failure(ending, what, about: id, within: limit, file, line)
  }

  /// - Parameter makeWish: called on the loop.
  private func wait(within limit: Duration, _ makeWish: @escaping @Sendable () -> Wish) async -> WaitEnding {
    let ticket = WaitTicket()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<WaitEnding, Never>) in
        let isRunning = served.loop.schedule { [served] in
          served.wait(for: makeWish(), within: limit, ticket) { continuation.resume(returning: $0) }
        }
        if !isRunning { continuation.resume(returning: .stopped) }
      }
    } onCancel: {
      served.loop.schedule { [served] in served.giveUp(ticket) }
    }
  }

  private func failure(
    _ ending: WaitEnding, _ what: String, about id: AttributeID?, within limit: Duration, _ file: String, _ line: Int
  ) async throws(SimulatorError) -> SimulatorError {
    switch ending {
    case .cancelled: return .cancelled
    case .stopped: return .stopped
    case .met, .late: break
    }
    let state = try await served.loop.answer { [served] done in done(.success(id.flatMap { served.state(of: $0) })) }
    let now = state.map { "; now it is \($0)" } ?? ""
    return SimulatorError(
      .unmet, "\(file):\(line): expected of \"\(name)\" within \(limit.roundText): \(what)\(now)",
      events: served.record.last(20))
  }
}
