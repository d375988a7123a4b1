import Foundation
import HAPHome
import HAPLoop

// Safe: it adds constants and a lock to `HMTrigger`. A predicate never changes.
/// Executes action sets after an event, if a condition is true. HMEventTrigger
public final class HMEventTrigger: HMTrigger, @unchecked Sendable {
  private struct Draft {
    var events: [HMEvent]
    var endEvents: [HMEvent]
    var recurrences: [DateComponents]?
    var predicate: NSPredicate?
  }

  private struct Shown {
    let condition: Condition
    let predicate: NSPredicate
  }

  /// The content that the app gave; nil for a trigger that is read from a home.
  private let draft: Draft?
  /// The predicate that the app got last. It leaves the lock, because it never changes.
  private let shown = Guarded<Shown?>(nil)

  required init(_ handle: Handle<Trigger>) {
    draft = nil
    super.init(handle)
  }

  private init(_ name: String, _ draft: Draft) {
    self.draft = draft
    super.init(draft: name)
  }

  /// Creates a trigger for a home. Its content is checked when it is added.
  /// - Parameters:
  ///   - name: the name, unique in the home.
  ///   - events: each of them activates the trigger; at least one.
  ///   - predicate: the condition, from the class methods of this class; nil: always true.
  public convenience init(name: String, events: [HMEvent], predicate: NSPredicate?) {
    self.init(name: name, events: events, end: nil, recurrences: nil, predicate: predicate)
  }

  /// Creates a trigger for a home. Its content is checked when it is added.
  /// - Parameters:
  ///   - name: the name, unique in the home.
  ///   - events: each of them activates the trigger; at least one.
  ///   - endEvents: each of them restores the values before the trigger fired: durations, and values of characteristics.
  ///   - recurrences: the days of the week, each with `weekday` from 1 (Sunday) to 7; nil: all days.
  ///   - predicate: the condition, from the class methods of this class; nil: always true.
  public convenience init(
    name: String, events: [HMEvent], end endEvents: [HMEvent]?, recurrences: [DateComponents]?,
    predicate: NSPredicate?
  ) {
    self.init(
      name, Draft(events: events, endEvents: endEvents ?? [], recurrences: recurrences, predicate: predicate))
  }

  override func kind(in home: Home) throws(HMError) -> Trigger.Kind {
    guard let draft, handle == nil else { return try super.kind(in: home) }
    return .event(
      EventTrigger(
        events: try draft.events.records(in: home), endEvents: try draft.endEvents.records(in: home),
        weekdays: try Set(recurrences: draft.recurrences), condition: try Condition(draft.predicate, in: home)))
  }

  override func join(_ handle: Handle<Trigger>) {
    super.join(handle)
    guard let draft, let link, let record else { return }
    link.adopt(draft.events, as: record.events, areEnds: false)
    link.adopt(draft.endEvents, as: record.endEvents, areEnds: true)
  }

  // MARK: Properties

  private var record: EventTrigger? { if case .event(let events) = handle?.record.kind { events } else { nil } }

  /// The events, each of which activates the trigger. Those of a home never change.
  public var events: [HMEvent] {
    guard let link, let record else { return draft?.events ?? [] }
    return link.events(record.events, areEnds: false)
  }

  /// The events, each of which restores the values before the trigger fired.
  public var endEvents: [HMEvent] {
    guard let link, let record else { return draft?.endEvents ?? [] }
    return link.events(record.endEvents, areEnds: true)
  }

  /// The days of the week, each with `weekday` from 1 (Sunday) to 7; nil: all days.
  public var recurrences: [DateComponents]? {
    guard let record else { return draft?.recurrences }
    return record.weekdays.recurrences
  }

  /// Whether the trigger is disabled when it first fires.
  public var executeOnce: Bool { record?.executesOnce ?? false }

  /// The condition; nil: always true. It is the same object as long as the condition is the same. A predicate that was
  /// given for a trigger gives an equal one, with other objects.
  public var predicate: NSPredicate? {
    guard let record else { return draft?.predicate }
    guard let condition = record.condition else { return nil }
    if let shown = shown.withLock({ $0 }), shown.condition == condition { return shown.predicate }
    guard let session = handle?.session, let home = handle?.homeRecord else { return nil }
    let new = Shown(
      condition: condition, predicate: .make(from: condition) { session.characteristic($0, in: home) })
    return shown.withLock { shown in
      // Another thread may have been faster.
      if let shown, shown.condition == condition { return shown.predicate }
      shown = new
      return new.predicate
    }
  }

  /// Whether the trigger is active, or why not.
  public var triggerActivationState: HMEventTriggerActivationState {
    guard let record, isEnabled, let session = handle?.session, let home = handle?.homeRecord else { return .disabled }
    guard session.hubState == .connected else { return .disabledNoHomeHub }
    guard home.location != nil || !record.needsLocation else { return .disabledNoLocationServicesAuthorization }
    return .enabled
  }
}

extension [HMEvent] {
  /// The records for a trigger of a home.
  func records(in home: Home) throws(HMError) -> [HomeEvent] {
    var records: [HomeEvent] = []
    for event in self { records.append(try event.record(in: home)) }
    return records
  }
}
