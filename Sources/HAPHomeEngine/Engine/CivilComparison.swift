import HAPAlmanac
import HAPHome

extension TimeCondition {
  /// Returns whether the condition holds at a civil time (rule E6).
  ///
  /// `before`, `after` and `between` compare the time of the day; the model refuses dates in them.
  func holds(at time: CivilTime) -> Bool {
    switch self {
    case .before(let parts): return time.isBefore(parts)
    case .on(let parts): return parts.matches(time)
    case .after(let parts): return !time.isBefore(parts)
    case .between(let start, let end):
      // From 22:00 to 06:00 includes midnight.
      let includesMidnight = end.secondOfDay < start.secondOfDay
      return includesMidnight
        ? !time.isBefore(start) || time.isBefore(end) : !time.isBefore(start) && time.isBefore(end)
    }
  }
}

extension CivilTime {
  fileprivate func isBefore(_ parts: DateParts) -> Bool { secondOfDay < parts.secondOfDay }
}

extension DateParts {
  /// The time of the day; parts that are not set are zero.
  fileprivate var secondOfDay: Int { (hour ?? 0) * 3600 + (minute ?? 0) * 60 + (second ?? 0) }
}
