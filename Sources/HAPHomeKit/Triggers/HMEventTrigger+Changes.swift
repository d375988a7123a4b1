import Foundation
import HAPHome

extension HMEventTrigger {
  /// Changes the content in the home.
  private func update(
    _ change: @escaping @Sendable (inout EventTrigger) throws(HMError) -> Void,
    _ done: @escaping ((any Error)?) -> Void
  ) {
    let request: TriggerLink.Request = { trigger throws(HMError) in
      guard case .event(var events) = trigger.kind else { throw .otherKind(trigger) }
      try change(&events)
      return .updateTrigger(trigger.id, .event(events))
    }
    perform(request, done)
  }

  /// Converts values of the app for the home of the trigger.
  /// - Parameter then: called at once, unless the values are refused.
  private func convert<Value>(
    _ done: @escaping ((any Error)?) -> Void, _ conversion: (Home) throws(HMError) -> Value, then: (Value) -> Void
  ) {
    let value: Value
    do throws(HMError) {
      guard let handle else { throw .notInHome }
      guard let home = handle.homeRecord else { throw handle.isGone ? .removedObject : .sessionEnded }
      value = try conversion(home)
    } catch { return AppSession.refuse(error) { done($0.error) } }
    then(value)
  }

  /// Replaces one of the lists of events.
  private func replace(
    _ list: WritableKeyPath<EventTrigger, [HomeEvent]> & Sendable, by events: [HMEvent], areEnds: Bool,
    _ done: @escaping ((any Error)?) -> Void
  ) {
    convert(done) { home throws(HMError) in
      try events.records(in: home)
    } then: { records in
      update({ $0[keyPath: list] = records }) { [link] error in
        if error == nil { link?.adopt(events, as: records, areEnds: areEnds) }
        done(error)
      }
    }
  }

  // MARK: Events

  /// Replaces the events.
  /// - Throws: 3 without events, or for an event that can't activate a trigger; 11 for a characteristic of another home;
  ///   43 to 46, 51 for a value; 84 for an event that needs the location of a home without one.
  public func updateEvents(_ events: [HMEvent], completionHandler completion: @escaping ((any Error)?) -> Void) {
    replace(\.events, by: events, areEnds: false, completion)
  }

  /// Replaces the events.
  /// - Throws: as the form with a handler.
  public func updateEvents(_ events: [HMEvent]) async throws {
    try await awaiting { updateEvents(events, completionHandler: $0) }
  }

  /// Replaces the end events.
  /// - Throws: 3 for other events than durations, characteristics and ranges; 11, 43 to 46, 51 as for events.
  public func updateEndEvents(_ endEvents: [HMEvent], completionHandler completion: @escaping ((any Error)?) -> Void) {
    replace(\.endEvents, by: endEvents, areEnds: true, completion)
  }

  /// Replaces the end events.
  /// - Throws: as the form with a handler.
  public func updateEndEvents(_ endEvents: [HMEvent]) async throws {
    try await awaiting { updateEndEvents(endEvents, completionHandler: $0) }
  }

  /// Adds an event.
  /// - Throws: as ``updateEvents(_:completionHandler:)``.
  @available(*, deprecated, message: "Use updateEvents(_:completionHandler:).")
  public func addEvent(_ event: HMEvent, completionHandler completion: @escaping ((any Error)?) -> Void) {
    add(event, completion)
  }

  /// Adds an event.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Use updateEvents(_:).")
  public func addEvent(_ event: HMEvent) async throws { try await awaiting { add(event, $0) } }

  private func add(_ event: HMEvent, _ done: @escaping ((any Error)?) -> Void) {
    convert(done) { home throws(HMError) in
      try event.record(in: home)
    } then: { record in
      update({ $0.events.append(record) }) { [link] error in
        if error == nil { link?.adopt([event], as: [record], areEnds: false) }
        done(error)
      }
    }
  }

  /// Removes an event: one that the trigger gave, or one with the same content.
  /// - Throws: 2 for an event that the trigger does not have; 3 for its only event.
  @available(*, deprecated, message: "Use updateEvents(_:completionHandler:).")
  public func removeEvent(_ event: HMEvent, completionHandler completion: @escaping ((any Error)?) -> Void) {
    remove(event, completion)
  }

  /// Removes an event.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Use updateEvents(_:).")
  public func removeEvent(_ event: HMEvent) async throws { try await awaiting { remove(event, $0) } }

  private func remove(_ event: HMEvent, _ done: @escaping ((any Error)?) -> Void) {
    guard let link else { return AppSession.refuse(.notInHome) { done($0.error) } }
    // The content of an event that the trigger gave is known, also if its characteristic was removed.
    let isKnown = event.key(in: link) != nil
    convert(done) { home throws(HMError) in
      isKnown ? nil : try event.record(in: home)
    } then: { record in
      let change: @Sendable (inout EventTrigger) throws(HMError) -> Void = { trigger throws(HMError) in
        guard let index = (record ?? event.key(in: link)?.record).flatMap({ trigger.events.firstIndex(of: $0) }) else {
          throw HMError(.notFound, "the trigger has no such event: remove one of its events")
        }
        trigger.events.remove(at: index)
      }
      update(change, done)
    }
  }

  // MARK: Conditions

  /// Replaces the condition; nil: always true.
  /// - Throws: 3 for a predicate that the class methods of this class do not make, such as a block, and for more than 32
  ///   levels; 11 for a characteristic of another home; 43 for a value; 84 for a condition that needs the location of a
  ///   home without one.
  public func updatePredicate(
    _ predicate: NSPredicate?, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    convert(completion) { home throws(HMError) in
      try Condition(predicate, in: home)
    } then: { condition in
      update({ $0.condition = condition }, completion)
    }
  }

  /// Replaces the condition; nil: always true.
  /// - Throws: as the form with a handler.
  public func updatePredicate(_ predicate: NSPredicate?) async throws {
    try await awaiting { updatePredicate(predicate, completionHandler: $0) }
  }

  /// Replaces the days of the week on which events count: each with `weekday` from 1 (Sunday) to 7; nil or empty: all
  /// days. Other fields are ignored.
  /// - Throws: 3 for a recurrence without a valid weekday.
  public func updateRecurrences(
    _ recurrences: [DateComponents]?, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    convert(completion) { _ throws(HMError) in
      try Set(recurrences: recurrences)
    } then: { weekdays in
      update({ $0.weekdays = weekdays }, completion)
    }
  }

  /// Replaces the days of the week on which events count.
  /// - Throws: as the form with a handler.
  public func updateRecurrences(_ recurrences: [DateComponents]?) async throws {
    try await awaiting { updateRecurrences(recurrences, completionHandler: $0) }
  }

  /// Changes whether the trigger is disabled when it first fires.
  public func updateExecuteOnce(
    _ executeOnce: Bool, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    update({ $0.executesOnce = executeOnce }, completion)
  }

  /// Changes whether the trigger is disabled when it first fires.
  /// - Throws: as the form with a handler.
  public func updateExecuteOnce(_ executeOnce: Bool) async throws {
    try await awaiting { updateExecuteOnce(executeOnce, completionHandler: $0) }
  }
}
