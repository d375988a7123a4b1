import HAPModel
import HAPSimulatorCore

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
  public var history: [AccessoryEvent] { served.record.history.map { AccessoryEvent($0) } }

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
  ///   - limit: how long it may take from now on, in the machine's time or the simulated world's.
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
  ///   - limit: how long it may take from now on, in the machine's time or the simulated world's.
  ///   - file: stands in the message.
  ///   - line: stands in the message.
  /// - Throws: as ``written(_:_:by:within:file:line:)``.
  /// - Returns: the event.
  @discardableResult
  public func expect(
    _ kind: AccessoryEvent.Kind, of characteristic: CharacteristicName? = nil, _ value: Value? = nil,
    by controller: String? = nil, within limit: Duration = .seconds(5), file: String = #fileID, line: Int = #line
  ) async throws(SimulatorError) -> AccessoryEvent {
    return AccessoryEvent(
      try await failing { () throws(SimulationFailure) in
        try await served.expect(
          kind.rawValue, of: characteristic?.place, value, by: controller, within: limit,
          at: ExpectationPlace(file, line))
      })
  }

  /// Expects an event that is described by a condition.
  /// - Parameters:
  ///   - what: says in the message what is expected: "the lamp is dimmed below 50 %".
  ///   - limit: how long it may take from now on, in the machine's time or the simulated world's.
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
    return AccessoryEvent(
      try await failing { () throws(SimulationFailure) in
        try await served.expect(what, within: limit, at: ExpectationPlace(file, line)) { matches(AccessoryEvent($0)) }
      })
  }

  /// Expects that no controller writes a characteristic: neither has one, in a way that no expectation was met by, nor does one for some time.
  ///
  /// ```swift
  /// door.forgetEvents()
  /// try await door.notWritten("TargetDoorState", within: .seconds(1))
  /// ```
  /// - Parameters:
  ///   - value: what is not written, or the catalogue's word for it; nil: anything.
  ///   - controller: the identifier of who doesn't write; nil: anybody.
  ///   - time: for how long from now on, in the machine's time or the simulated world's. 0: what has happened is looked through, and nothing is waited for.
  ///   - file: stands in the message.
  ///   - line: stands in the message.
  /// - Throws: as ``written(_:_:by:within:file:line:)``; ``SimulatorError/Code/unmet`` as soon as it is written.
  public func notWritten(
    _ characteristic: CharacteristicName, _ value: Value? = nil, by controller: String? = nil, within time: Duration,
    file: String = #fileID, line: Int = #line
  ) async throws(SimulatorError) {
    try await expectNo(.wrote, of: characteristic, value, by: controller, within: time, file: file, line: line)
  }

  /// Expects that no event of a kind comes, and that none has come that no expectation was met by.
  /// - Parameters:
  ///   - kind: what is not to happen.
  ///   - characteristic: which one it is about; nil: any or none.
  ///   - value: what is not written, changed or told of the characteristic, or the catalogue's word for it; nil: anything.
  ///   - controller: the identifier of whose doing it is; nil: anybody's.
  ///   - time: for how long from now on, in the machine's time or the simulated world's.
  ///   - file: stands in the message.
  ///   - line: stands in the message.
  /// - Throws: as ``notWritten(_:_:by:within:file:line:)``.
  public func expectNo(
    _ kind: AccessoryEvent.Kind, of characteristic: CharacteristicName? = nil, _ value: Value? = nil,
    by controller: String? = nil, within time: Duration, file: String = #fileID, line: Int = #line
  ) async throws(SimulatorError) {
    try await failing { () throws(SimulationFailure) in
      try await served.expectNo(
        kind.rawValue, of: characteristic?.place, value, by: controller, within: time, at: ExpectationPlace(file, line))
    }
  }

  /// Expects that no event comes that fits a condition, and that none has come that no expectation was met by.
  /// - Parameters:
  ///   - what: says in the message what is not to happen: "the lamp is dimmed below 50 %".
  ///   - time: for how long from now on, in the machine's time or the simulated world's.
  ///   - file: stands in the message.
  ///   - line: stands in the message.
  ///   - matches: whether this is such an event. It is called on the simulator's thread, which waits for it.
  /// - Throws: as ``notWritten(_:_:by:within:file:line:)``.
  public func expectNo(
    _ what: String, within time: Duration, file: String = #fileID, line: Int = #line,
    where matches: @escaping @Sendable (AccessoryEvent) -> Bool
  ) async throws(SimulatorError) {
    try await failing { () throws(SimulationFailure) in
      try await served.expectNo(what, within: time, at: ExpectationPlace(file, line)) { matches(AccessoryEvent($0)) }
    }
  }

  /// Expects that a characteristic has a value, now or soon.
  ///
  /// ```swift
  /// try await simulator.advance(by: .seconds(10))
  /// try await door.becomes("CurrentDoorState", "open")
  /// ```
  /// - Parameters:
  ///   - value: a value, or the catalogue's word for one.
  ///   - limit: how long it may take from now on, in the machine's time or the simulated world's.
  ///   - file: stands in the message.
  ///   - line: stands in the message.
  /// - Throws: as ``written(_:_:by:within:file:line:)``.
  public func becomes(
    _ characteristic: CharacteristicName, _ value: Value, within limit: Duration = .seconds(5), file: String = #fileID,
    line: Int = #line
  ) async throws(SimulatorError) {
    try await failing { () throws(SimulationFailure) in
      try await served.awaitValue(value, of: characteristic.place, within: limit, at: ExpectationPlace(file, line))
    }
  }
}
