/// The reason why numbers or a text are not a civil date or time.
public enum CivilError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A number is outside of the range of its field.
  case outOfRange(CivilField, Int)
  /// The month has fewer days.
  case noSuchDay(year: Int, month: Int, day: Int)
  /// The text has another form than `form`.
  case malformed(String, form: String)

  /// An explanation for people.
  public var description: String {
    switch self {
    case .outOfRange(let field, let value):
      "the \(field) is \(value); it must be \(field.range.lowerBound) to \(field.range.upperBound)"
    case .noSuchDay(let year, let month, let day):
      "there is no day \(day) in month \(month) of the year \(year)"
    case .malformed(let text, let form):
      "\"\(text)\" has another form than \(form)"
    }
  }
}

/// A part of a civil time.
public enum CivilField: String, CaseIterable, Sendable, CustomStringConvertible {
  /// The fields, from long to short.
  case year, month, day, weekday, hour, minute, second, nanosecond

  /// The valid numbers. Weekdays count from Sunday, which is 1.
  public var range: ClosedRange<Int> {
    switch self {
    case .year: 1...9999
    case .month: 1...12
    case .day: 1...31
    case .weekday: 1...7
    case .hour: 0...23
    case .minute, .second: 0...59
    case .nanosecond: 0...999_999_999
    }
  }

  /// The name in English.
  public var description: String { rawValue }

  /// Throws if a number is outside of the range.
  func check(_ value: Int) throws(CivilError) {
    guard range.contains(value) else { throw .outOfRange(self, value) }
  }
}
