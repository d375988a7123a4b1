/// Some of the parts of a civil time, as in Apple's `DateComponents`: a time of day, a weekday, a date, or a pattern such
/// as "the first day of a month".
public struct DateParts: Hashable, Sendable {
  /// 1...9999.
  public let year: Int?
  /// 1...12.
  public let month: Int?
  /// 1...31.
  public let day: Int?
  /// The day of the week.
  public let weekday: Weekday?
  /// 0...23.
  public let hour: Int?
  /// 0...59.
  public let minute: Int?
  /// 0...59.
  public let second: Int?

  /// Creates parts; throws if a number is out of range. Whether there is such a day is not checked.
  public init(
    year: Int? = nil, month: Int? = nil, day: Int? = nil, weekday: Weekday? = nil, hour: Int? = nil, minute: Int? = nil,
    second: Int? = nil
  ) throws(CivilError) {
    let numbers: [(CivilField, Int?)] = [
      (.year, year), (.month, month), (.day, day), (.hour, hour), (.minute, minute), (.second, second),
    ]
    for case (let field, let number?) in numbers { try field.check(number) }
    (self.year, self.month, self.day, self.weekday) = (year, month, day, weekday)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// Whether no part is set.
  public var isEmpty: Bool {
    year == nil && month == nil && day == nil && weekday == nil && hour == nil && minute == nil && second == nil
  }

  /// Whether a civil time is equal in all parts that are set. Without any, each time matches.
  public func matches(_ time: CivilTime) -> Bool {
    matches(time.date)
      && [(hour, time.hour), (minute, time.minute), (second, time.second)].allSatisfy { part, number in
        part == nil || part == number
      }
  }

  /// Whether a day is equal in all parts of the date that are set.
  func matches(_ date: CivilDate) -> Bool {
    [(year, date.year), (month, date.month), (day, date.day)].allSatisfy { $0 == nil || $0 == $1 }
      && (weekday == nil || weekday == date.weekday)
  }
}
