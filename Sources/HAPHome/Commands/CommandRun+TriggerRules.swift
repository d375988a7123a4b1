import HAPAlmanac
import HAPModel

extension CommandRun {
  /// Checks a trigger's time or events.
  /// - Throws: rules T1 to T3 for a timer; O1, O2, T6 to T8 and L1 for events.
  func check(_ kind: Trigger.Kind, in home: Home) throws(HomeError) {
    switch kind {
    case .timer(let timer): try check(timer, in: home)
    case .event(let events): try check(events, in: home)
    }
  }

  private func check(_ timer: TimerTrigger, in home: Home) throws(HomeError) {
    guard timer.fireDate.nanoseconds % 60_000_000_000 == 0 else {
      throw HomeError(
        .dateMustBeOnSpecifiedBoundaries, .t1,
        "the time \(shown(timer, in: home)) has seconds: a timer fires at a full minute")
    }
    if let zone = timer.zone { _ = try rules(of: zone) }
    guard let period = timer.recurrence else {
      guard timer.fireDate > context.now else {
        throw HomeError(
          .fireDateInPast, .t3,
          "the time \(shown(timer, in: home)) is over, and the trigger does not repeat: give a later time")
      }
      return
    }
    guard period.shortestMinutes >= 5 else {
      throw HomeError(.recurrenceTooSmall, .t2, "the period is shorter than 5 minutes: give a longer one")
    }
    guard period.longestMinutes <= 5 * 7 * 1440 else {
      throw HomeError(.recurrenceTooLarge, .t2, "the period is longer than 5 weeks: give a shorter one")
    }
  }

  /// The civil time of a timer in its zone, or else in UTC.
  private func shown(_ timer: TimerTrigger, in home: Home) -> String {
    context.zoneRules(timer.zone ?? home.zone).map { "\($0.civilTime(at: timer.fireDate))" } ?? "\(timer.fireDate)"
  }

  private func check(_ trigger: EventTrigger, in home: Home) throws(HomeError) {
    guard !trigger.events.isEmpty else {
      throw HomeError(.invalidParameter, .t8, "a trigger needs an event: give at least one")
    }
    if let condition = trigger.condition {
      guard condition.depth <= context.policy.conditionDepth else {
        throw HomeError(
          .maximumObjectLimitReached, .l1,
          "the condition has \(condition.depth) levels, and the limit is \(context.policy.conditionDepth): use fewer levels"
        )
      }
    }
    let count = trigger.events.count + trigger.endEvents.count + (trigger.condition?.size ?? 0)
    guard count <= context.policy.objects else {
      throw HomeError(
        .maximumObjectLimitReached, .l1,
        "the trigger has \(count) events and conditions, and the limit is \(context.policy.objects): use several triggers"
      )
    }
    for event in trigger.events {
      if case .duration = event {
        throw HomeError(.invalidParameter, .t8, "a duration does not activate a trigger: use it as an end event")
      }
      try check(event, in: home)
    }
    for event in trigger.endEvents { try checkEnd(event, in: home) }
    var failure: HomeError?
    trigger.condition?.forEachLeaf { leaf in
      guard failure == nil else { return }
      do throws(HomeError) { try check(leaf, in: home) } catch { failure = error }
    }
    if let failure { throw failure }
    try checkLocation(trigger, in: home)
  }

  private func checkEnd(_ event: HomeEvent, in home: Home) throws(HomeError) {
    switch event {
    case .characteristic, .threshold: try check(event, in: home)
    case .duration(let seconds):
      guard (1...35 * 86_400).contains(seconds) else {
        throw HomeError(.invalidParameter, .t8, "a duration of \(seconds) s: give 1 s to 5 weeks")
      }
    case .calendar, .sun, .presence, .location:
      throw HomeError(
        .invalidParameter, .t8, "only a duration or the value of a characteristic can end a trigger: use one of them")
    }
  }

  private func check(_ event: HomeEvent, in home: Home) throws(HomeError) {
    switch event {
    case .characteristic(let id, equals: _), .threshold(let id, _):
      try check(.characteristic, id, in: home)
      if let violation = home.characteristic(id)!.characteristic.violation(of: event) { throw violation }
    case .calendar(let parts):
      guard !parts.isEmpty else {
        throw HomeError(.invalidParameter, .t8, "a calendar event needs a part of a date or a time: give at least one")
      }
    case .presence(let presence): try check(presence, in: home)
    case .location(_, let onEntry, let onExit):
      guard onEntry || onExit else {
        throw HomeError(.invalidParameter, .t8, "a location event counts entries, exits, or both: choose one")
      }
    case .sun, .duration: break
    }
  }

  private func check(_ presence: PresenceEvent, in home: Home) throws(HomeError) {
    guard case .users(let users) = presence.users else { return }
    guard !users.isEmpty else {
      throw HomeError(.invalidParameter, .t8, "a presence event needs a user: give at least one")
    }
    for user in users.sorted() { try check(.user, user, in: home) }
  }

  /// Checks a condition without parts.
  private func check(_ condition: Condition, in home: Home) throws(HomeError) {
    switch condition {
    case .characteristic(let id, _, _):
      try check(.characteristic, id, in: home)
      if let violation = home.characteristic(id)!.characteristic.violation(of: condition) { throw violation }
    case .time(.before(let parts)), .time(.after(let parts)): try checkTimeOfDay(parts)
    case .time(.between(let first, let second)):
      try checkTimeOfDay(first)
      try checkTimeOfDay(second)
    case .time(.on(let parts)):
      guard !parts.isEmpty else {
        throw HomeError(.invalidParameter, .t8, "a comparison needs a part of a date or a time: give at least one")
      }
    case .presence(let presence):
      guard presence.kind == .firstEntry || presence.kind == .lastExit else {
        throw HomeError(
          .invalidParameter, .t8, "\"\(presence.kind.rawValue)\" is no condition: use first-entry or last-exit")
      }
      try check(presence, in: home)
    case .sun, .unknown: break
    case .all, .any, .not: preconditionFailure("these have parts")
    }
  }

  private func checkTimeOfDay(_ parts: DateParts) throws(HomeError) {
    guard parts.hour != nil, parts.year == nil, parts.month == nil, parts.day == nil, parts.weekday == nil else {
      throw HomeError(
        .invalidParameter, .t8, "before, after and between compare times of the day: give an hour, and no date")
    }
  }

  /// - Throws: rule T6 if the trigger needs the home's location, and the home has none.
  func checkLocation(_ trigger: EventTrigger, in home: Home) throws(HomeError) {
    guard home.location == nil, trigger.needsLocation else { return }
    throw HomeError(
      .locationForHomeDisabled, .t6,
      "the home \"\(home.name)\" has no location, which sunrise, sunset and regions need: set its location")
  }
}

extension EventTrigger {
  /// Whether an event or a condition needs the location of the home.
  package var needsLocation: Bool {
    var needs = events.contains { event in
      switch event {
      case .sun, .location: true
      case .characteristic, .threshold, .calendar, .presence, .duration: false
      }
    }
    condition?.forEachLeaf { if case .sun = $0 { needs = true } }
    return needs
  }
}

extension CivilPeriod {
  /// The least number of minutes from one occurrence to the next, without changes of the clock.
  var shortestMinutes: Int { minutes(inMonth: 28) }
  /// The greatest number of minutes from one occurrence to the next, without changes of the clock.
  var longestMinutes: Int { minutes(inMonth: 31) }

  private func minutes(inMonth dayCount: Int) -> Int {
    ((months * dayCount + weeks * 7 + days) * 24 + hours) * 60 + minutes
  }
}

extension HomeCharacteristic {
  /// Returns the rule that an event of this characteristic breaks.
  func violation(of event: HomeEvent) -> HomeError? {
    guard permissions.contains(.events) else {
      return HomeError(
        .notificationNotSupported, .t7, "\(displayName) does not report changes: choose another characteristic")
    }
    switch event {
    case .characteristic(_, equals: let value?):
      do throws(HomeError) {
        _ = try canonical(value)
        return nil
      } catch { return error }
    case .threshold:
      guard rules.format.isNumeric else {
        return HomeError(
          .invalidValueType, .t7, "\(displayName) is not a number: a range needs a number")
      }
      return nil
    case .characteristic(_, equals: nil), .calendar, .sun, .presence, .location, .duration: return nil
    }
  }

  /// Returns the rule that a comparison with this characteristic breaks.
  func violation(of condition: Condition) -> HomeError? {
    guard case .characteristic(_, let comparison, let value) = condition else { return nil }
    guard permissions.contains(.pairedRead) else {
      return HomeError(
        .writeOnlyCharacteristic, .t7, "\(displayName) can't be read: compare another characteristic")
    }
    let isOrdered = comparison != .equal && comparison != .notEqual
    let fits =
      switch (rules.format, value) {
      case (.bool, .bool): !isOrdered
      case (.bool, .integer(let number)): !isOrdered && (number == 0 || number == 1)
      case (.string, .string): !isOrdered
      case (.tlv8, .data), (.data, .data): !isOrdered
      case (.float, .float(let number)): number.isFinite
      case (.float, .integer): true
      case (_, .integer): rules.format.isNumeric
      case (_, .float(let number)): rules.format.isNumeric && number.isFinite
      default: false
      }
    guard !fits else { return nil }
    return HomeError(
      .invalidValueType, .s2,
      "\(displayName) has the format \(rules.format.rawValue), which can't be compared by \"\(comparison.rawValue)\" with \(value.shown)"
    )
  }
}
