import Foundation
import HAPAlmanac
import HAPHome

// Safe: it adds constants to `HMTrigger`.
/// Executes action sets at a time, and again after each period. HMTimerTrigger
public final class HMTimerTrigger: HMTrigger, @unchecked Sendable {
  private struct Draft {
    var fireDate: Date
    var zone: TimeZone?
    var recurrence: DateComponents?
    var calendar: Calendar?
  }

  /// The content that the app gave; nil for a trigger that is read from a home.
  private let draft: Draft?

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
  ///   - fireDate: the first time, without seconds.
  ///   - recurrence: the period, 5 minutes to 5 weeks, in minutes, hours, days, weeks (`weekOfYear`) and months; nil: the
  ///     trigger fires once. Days, weeks and months count in the zone of the home.
  public convenience init(name: String, fireDate: Date, recurrence: DateComponents?) {
    self.init(name, Draft(fireDate: fireDate, recurrence: recurrence))
  }

  /// Creates a trigger for a home.
  ///
  /// `timeZone` is the zone for days, weeks and months of the period; nil: the zone of the home. `recurrenceCalendar` is
  /// nil or the Gregorian calendar; a home refuses others.
  @available(*, deprecated, message: "Use init(name:fireDate:recurrence:).")
  public convenience init(
    name: String, fireDate: Date, timeZone: TimeZone?, recurrence: DateComponents?, recurrenceCalendar: Calendar?
  ) {
    self.init(
      name, Draft(fireDate: fireDate, zone: timeZone, recurrence: recurrence, calendar: recurrenceCalendar))
  }

  // MARK: Properties

  private var timer: TimerTrigger? { if case .timer(let timer) = handle?.record.kind { timer } else { nil } }

  /// The first time.
  public var fireDate: Date {
    if let timer { return Date(timer.fireDate) }
    // A hub can make another kind of it by mistake.
    return draft?.fireDate ?? .distantPast
  }

  /// The zone for days, weeks and months of the period; nil: the zone of the home.
  @available(*, deprecated, message: "Apple's system uses the zone of the home.")
  public var timeZone: TimeZone? {
    guard let timer else { return draft?.zone }
    return timer.zone.flatMap { TimeZone(identifier: $0.text) }
  }

  /// The period; nil: the trigger fires once. Weeks are in `weekOfYear`.
  public var recurrence: DateComponents? {
    guard let timer else { return draft?.recurrence }
    return timer.recurrence.map { DateComponents($0) }
  }

  /// The calendar that the app gave to the initializer; nil for a trigger that is read from a home.
  @available(*, deprecated, message: "Apple's system uses the Gregorian calendar.")
  public var recurrenceCalendar: Calendar? { draft?.calendar }

  override func kind(in home: Home) throws(HMError) -> Trigger.Kind {
    guard let draft, handle == nil else { return try super.kind(in: home) }
    try draft.calendar?.requireGregorian()
    return .timer(
      TimerTrigger(
        fireDate: Instant(draft.fireDate), recurrence: try CivilPeriod(optional: draft.recurrence),
        zone: try ZoneName(optional: draft.zone)))
  }

  // MARK: Changes

  private func update(
    _ change: @escaping @Sendable (inout TimerTrigger) throws(HMError) -> Void,
    _ done: @escaping ((any Error)?) -> Void
  ) {
    let request: TriggerLink.Request = { trigger throws(HMError) in
      guard case .timer(var timer) = trigger.kind else { throw .otherKind(trigger) }
      try change(&timer)
      return .updateTrigger(trigger.id, .timer(timer))
    }
    perform(request, done)
  }

  /// Changes the first time.
  /// - Throws: 70 for a time with seconds; 28 for a time that is over, without a period; 71 for an enabled trigger that
  ///   would fire in 5 weeks or later.
  public func updateFireDate(_ fireDate: Date, completionHandler completion: @escaping ((any Error)?) -> Void) {
    let instant = Instant(fireDate)
    update({ $0.fireDate = instant }, completion)
  }

  /// Changes the first time.
  /// - Throws: as the form with a handler.
  public func updateFireDate(_ fireDate: Date) async throws {
    try await awaiting { updateFireDate(fireDate, completionHandler: $0) }
  }

  /// Changes the zone for days, weeks and months of the period; nil: the zone of the home.
  /// - Throws: 3 for a zone that the hub does not have.
  @available(*, deprecated, message: "Apple's system uses the zone of the home.")
  public func updateTimeZone(_ timeZone: TimeZone?, completionHandler completion: @escaping ((any Error)?) -> Void) {
    replaceZone(timeZone, completion)
  }

  /// Changes the zone for days, weeks and months of the period.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Apple's system uses the zone of the home.")
  public func updateTimeZone(_ timeZone: TimeZone?) async throws { try await awaiting { replaceZone(timeZone, $0) } }

  private func replaceZone(_ zone: TimeZone?, _ done: @escaping ((any Error)?) -> Void) {
    update({ timer throws(HMError) in timer.zone = try ZoneName(optional: zone) }, done)
  }

  /// Changes the period; nil: the trigger fires once.
  /// - Throws: 42 for less than 5 minutes; 72 for more than 5 weeks; 70 for seconds; 3 for other fields than minutes, hours,
  ///   days, weeks and months; 28 for a time that is over, without a period.
  public func updateRecurrence(
    _ recurrence: DateComponents?, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    update({ timer throws(HMError) in timer.recurrence = try CivilPeriod(optional: recurrence) }, completion)
  }

  /// Changes the period; nil: the trigger fires once.
  /// - Throws: as the form with a handler.
  public func updateRecurrence(_ recurrence: DateComponents?) async throws {
    try await awaiting { updateRecurrence(recurrence, completionHandler: $0) }
  }
}

extension CivilPeriod {
  fileprivate init?(optional components: DateComponents?) throws(HMError) {
    guard let components else { return nil }
    try self.init(recurrence: components)
  }
}

extension ZoneName {
  fileprivate init?(optional zone: TimeZone?) throws(HMError) {
    guard let zone else { return nil }
    try self.init(zone)
  }
}
