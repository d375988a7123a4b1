import HAPAlmanac

extension TimeCondition {
  /// Returns whether the condition holds at a civil time (rule E6).
  func holds(at time: CivilTime) -> Bool {
    switch self {
    case .before(let parts): parts.allowsDay(of: time) && parts.span.isAfter(time)
    case .on(let parts): parts.matches(time)
    case .after(let parts): parts.allowsDay(of: time) && !parts.span.isAfter(time)
    case .between(let start, let end): Self.isBetween(time, start, end)
    }
  }

  private static func isBetween(_ time: CivilTime, _ start: DateParts, _ end: DateParts) -> Bool {
    guard start.allowsDay(of: time), end.allowsDay(of: time) else { return false }
    let (startSpan, endSpan) = (start.span, end.span)
    let isAfterStart = !startSpan.isAfter(time)
    let isBeforeEnd = endSpan.isAfter(time)
    // From 22:00 to 06:00 includes midnight; from November to March, the end of the year.
    return startSpan.isCyclic && endSpan.isLess(than: startSpan)
      ? isAfterStart || isBeforeEnd : isAfterStart && isBeforeEnd
  }
}

extension DateParts {
  /// Whether the weekday, if there is one, is that of a civil time. It selects days; only the other parts have an order.
  fileprivate func allowsDay(of time: CivilTime) -> Bool { weekday == nil || weekday == time.date.weekday }

  fileprivate var span: DatePartSpan { DatePartSpan(self) }
}

/// The parts of a civil time from the longest one set down to the second. A part that is not set is the lowest number.
private struct DatePartSpan {
  private let numbers: [Int]
  /// The place of the longest part: 0 for the year, 5 for the second.
  private let longest: Int

  init(_ parts: DateParts) {
    let all = [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second]
    longest = all.firstIndex { $0 != nil } ?? all.count
    numbers = zip(all, [1, 1, 1, 0, 0, 0]).dropFirst(longest).map { $0 ?? $1 }
  }

  /// Whether the span is later than the same parts of a civil time.
  func isAfter(_ time: CivilTime) -> Bool {
    let all = [time.date.year, time.date.month, time.date.day, time.hour, time.minute, time.second]
    return all[longest...].lexicographicallyPrecedes(numbers)
  }

  /// Whether the parts recur: without a year, each of them comes again.
  var isCyclic: Bool { longest > 0 }

  /// Whether the span is earlier within the same period, such as a day. Spans with different periods have no order.
  func isLess(than other: DatePartSpan) -> Bool {
    longest == other.longest && numbers.lexicographicallyPrecedes(other.numbers)
  }
}
