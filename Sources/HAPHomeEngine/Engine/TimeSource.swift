import HAPAlmanac
import HAPHome

/// An event of a trigger that happens at times that can be computed.
enum TimeSource: Sendable {
  /// The zone is that of the period.
  case timer(TimerTrigger, ZoneRules)
  case calendar(DateParts, ZoneRules)
  case sun(SunMoment, Coordinate)

  /// Returns the first occurrence after an instant; nil if there is none.
  func next(after instant: Instant) -> Instant? {
    switch self {
    case .timer(let timer, let zone):
      if let period = timer.recurrence { return period.next(after: instant, from: timer.fireDate, in: zone)?.instant }
      return timer.fireDate > instant ? timer.fireDate : nil
    case .calendar(let parts, let zone):
      return parts.next(after: instant, in: zone)
    case .sun(let moment, let place):
      let offset = Duration.seconds(moment.offset)
      return moment.event.next(after: instant.advanced(by: .zero - offset), at: place)?.advanced(by: offset)
    }
  }

  /// Returns the event of an occurrence.
  func cause(due: Instant) -> Evaluation.Cause {
    switch self {
    case .timer(let timer, let zone): .timer(due: due, timer.clockChange(at: due, in: zone))
    case .calendar(let parts, let zone): .calendar(parts, due: due, parts.clockChange(at: due, in: zone))
    case .sun(let moment, _): .sun(moment, due: due)
    }
  }
}

extension TimerTrigger {
  /// Returns why an occurrence is not simply a civil time.
  fileprivate func clockChange(at due: Instant, in zone: ZoneRules) -> Evaluation.ClockChange? {
    guard let recurrence, recurrence.isCivil, due != fireDate else { return nil }
    let planned = zone.civilTime(at: fireDate).secondOfDay
    return zone.clockChange(at: due, isPlanned: { $0.secondOfDay == planned })
  }
}

extension DateParts {
  fileprivate func clockChange(at due: Instant, in zone: ZoneRules) -> Evaluation.ClockChange? {
    // A time without an hour happens whenever the clock shows it.
    guard hour != nil || (minute == nil && second == nil) else { return nil }
    return zone.clockChange(at: due) { time in
      (hour ?? 0, minute ?? 0, second ?? 0) == (time.hour, time.minute, time.second)
    }
  }
}

extension ZoneRules {
  fileprivate func clockChange(at due: Instant, isPlanned: (CivilTime) -> Bool) -> Evaluation.ClockChange? {
    let time = civilTime(at: due)
    guard isPlanned(time) else { return .skipped }
    if case .repeated = resolve(time) { return .repeated }
    return nil
  }
}

extension CivilPeriod {
  /// Whether occurrences have the time of day of the first one: the period has days, weeks or months, and no others.
  fileprivate var isCivil: Bool { hours == 0 && minutes == 0 }

  /// Whether the zone matters.
  var needsZone: Bool { months != 0 || weeks != 0 || days != 0 }
}
