import HAPModel
import HAPSimulatorCore

/// Events, and expectations of tests.
///
/// **Matching.** An expectation is met by the first event that matches it and has not met another expectation. Past
/// events count too, back to the start of the accessory. Two expectations of a write need two writes.
/// ``forgetEvents()`` discards all past events.
///
/// **Deadlines** use the machine's time, even if simulated time is frozen.
extension RunningAccessory {
  /// The events since the accessory was started or ``forgetEvents()`` was called, in order: the last 10000 events. If
  /// there were more, the first element has the kind ``AccessoryEvent/Kind/dropped``.
  public var history: [AccessoryEvent] { served.record.history.map { AccessoryEvent($0) } }

  /// Discards all past events: they meet no expectation and are not in the history.
  public func forgetEvents() { served.record.forget() }

  /// Returns the events from this moment on.
  public func events() -> AccessoryEvents { AccessoryEvents(served.record.listen()) }

  /// Expects that a controller writes a characteristic, or has written it.
  ///
  /// ```swift
  /// try await door.written("TargetDoorState", "open")
  /// ```
  /// - Parameters:
  ///   - characteristic: the characteristic, by name, type or address.
  ///   - value: the written value, or the catalogue's name for it; `nil`: any.
  ///   - controller: the identifier of the controller that writes; `nil`: any.
  ///   - limit: the maximum time from now on, in the machine's time or that of the simulated world.
  ///   - file: appears in the message.
  ///   - line: appears in the message.
  /// - Throws: ``SimulatorError/Code/unmet``, with the events that happened instead.
  ///   ``SimulatorError/Code/invalidValue`` or ``SimulatorError/Code/noSuchCharacteristic`` if it can't happen.
  ///   ``SimulatorError/Code/cancelled``, ``SimulatorError/Code/stopped``.
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
  ///   - kind: the expected kind.
  ///   - characteristic: the characteristic of the event; `nil`: any or none.
  ///   - value: the value that is written, changed or sent, or the catalogue's name for it; `nil`: any.
  ///   - controller: the identifier of the controller that causes the event; `nil`: any.
  ///   - limit: the maximum time from now on, in the machine's time or that of the simulated world.
  ///   - file: appears in the message.
  ///   - line: appears in the message.
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

  /// Expects an event that meets a condition.
  /// - Parameters:
  ///   - what: describes the expected event in the message: "the lamp is dimmed below 50 %".
  ///   - limit: the maximum time from now on, in the machine's time or that of the simulated world.
  ///   - file: appears in the message.
  ///   - line: appears in the message.
  ///   - matches: returns whether an event is the expected one. It is called on the simulator's thread and blocks it.
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

  /// Expects that no controller writes a characteristic within a time. A past write that has met no expectation yet is
  /// a failure, too.
  ///
  /// ```swift
  /// door.forgetEvents()
  /// try await door.notWritten("TargetDoorState", within: .seconds(1))
  /// ```
  /// - Parameters:
  ///   - characteristic: the characteristic, by name, type or address.
  ///   - value: the value that must not be written, or the catalogue's name for it; `nil`: any.
  ///   - controller: the identifier of the controller that must not write; `nil`: any.
  ///   - time: the time from now on, in the machine's time or that of the simulated world. 0: only past events are
  ///     checked.
  ///   - file: appears in the message.
  ///   - line: appears in the message.
  /// - Throws: as ``written(_:_:by:within:file:line:)``; ``SimulatorError/Code/unmet`` as soon as it is written.
  public func notWritten(
    _ characteristic: CharacteristicName, _ value: Value? = nil, by controller: String? = nil, within time: Duration,
    file: String = #fileID, line: Int = #line
  ) async throws(SimulatorError) {
    try await expectNo(.wrote, of: characteristic, value, by: controller, within: time, file: file, line: line)
  }

  /// Expects that no event of a kind comes within a time. A past one that has met no expectation yet is a failure,
  /// too.
  /// - Parameters:
  ///   - kind: the kind that must not occur.
  ///   - characteristic: the characteristic of the event; `nil`: any or none.
  ///   - value: the value that must not be written, changed or sent, or the catalogue's name for it; `nil`: any.
  ///   - controller: the identifier of the controller that causes the event; `nil`: any.
  ///   - time: the time from now on, in the machine's time or that of the simulated world.
  ///   - file: appears in the message.
  ///   - line: appears in the message.
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

  /// Expects that no event that meets a condition comes within a time. A past one that has met no expectation yet is a
  /// failure, too.
  /// - Parameters:
  ///   - what: describes the event in the message: "the lamp is dimmed below 50 %".
  ///   - time: the time from now on, in the machine's time or that of the simulated world.
  ///   - file: appears in the message.
  ///   - line: appears in the message.
  ///   - matches: returns whether an event meets the condition. It is called on the simulator's thread and blocks it.
  /// - Throws: as ``notWritten(_:_:by:within:file:line:)``.
  public func expectNo(
    _ what: String, within time: Duration, file: String = #fileID, line: Int = #line,
    where matches: @escaping @Sendable (AccessoryEvent) -> Bool
  ) async throws(SimulatorError) {
    try await failing { () throws(SimulationFailure) in
      try await served.expectNo(what, within: time, at: ExpectationPlace(file, line)) { matches(AccessoryEvent($0)) }
    }
  }

  /// Expects that a characteristic has a value now or within a time.
  ///
  /// ```swift
  /// try await simulator.advance(by: .seconds(10))
  /// try await door.becomes("CurrentDoorState", "open")
  /// ```
  /// - Parameters:
  ///   - characteristic: the characteristic, by name, type or address.
  ///   - value: a value, or the catalogue's name for one.
  ///   - limit: the maximum time from now on, in the machine's time or that of the simulated world.
  ///   - file: appears in the message.
  ///   - line: appears in the message.
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
