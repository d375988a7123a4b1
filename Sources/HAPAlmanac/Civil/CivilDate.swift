/// A day of the proleptic Gregorian calendar, without a time zone. Years 1...9999.
public struct CivilDate: Hashable, Comparable, Sendable {
  /// 1...9999.
  public let year: Int
  /// 1...12.
  public let month: Int
  /// 1...31, at most the days of the month.
  public let day: Int

  /// Creates a date; throws if there is no such day.
  public init(year: Int, month: Int, day: Int) throws(CivilError) {
    try CivilField.year.check(year)
    try CivilField.month.check(month)
    try CivilField.day.check(day)
    guard day <= Self.dayCount(ofMonth: month, year: year) else {
      throw .noSuchDay(year: year, month: month, day: day)
    }
    self.init(unchecked: (year, month, day))
  }

  private init(unchecked: (year: Int, month: Int, day: Int)) { (year, month, day) = unchecked }

  /// Whether a year has 366 days. The number may be any.
  static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// The number of days of a month.
  /// - Parameter month: 1...12, otherwise it traps.
  static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    case 1...12: 31
    default: preconditionFailure("a month is 1 to 12")
    }
  }

  /// The number of days from 1970-01-01 to the first day of a year.
  /// - Parameter year: any number of less than 15 digits.
  static func days(toYear year: Int) -> Int {
    let before = year - 1
    return before * 365 + before.floorDivided(by: 4) - before.floorDivided(by: 100) + before.floorDivided(by: 400)
      - 719_162
  }

  /// The number of days of the year before the first day of a month.
  static func days(toMonth month: Int, year: Int) -> Int {
    // The first term is right if February had 30 days.
    (367 * month - 362) / 12 - (month <= 2 ? 0 : isLeap(year) ? 1 : 2)
  }

  /// The number of days since 1970-01-01, negative before.
  var dayNumber: Int { Self.days(toYear: year) + Self.days(toMonth: month, year: year) + day - 1 }

  /// Creates the date from the number of days since 1970-01-01; nil outside of the years 1...9999.
  init?(dayNumber: Int) {
    guard Self.dayNumbers.contains(dayNumber) else { return nil }
    let year = Self.year(ofDay: dayNumber)
    var rest = dayNumber - Self.days(toYear: year)
    var month = 1
    while rest >= Self.dayCount(ofMonth: month, year: year) {
      rest -= Self.dayCount(ofMonth: month, year: year)
      month += 1
    }
    self.init(unchecked: (year, month, rest + 1))
  }

  /// The days of the years 1...9999.
  private static let dayNumbers = days(toYear: 1)..<days(toYear: 10_000)

  /// The year of a day, whose number may be any of less than 17 digits.
  static func year(ofDay dayNumber: Int) -> Int {
    // The mean year has 146097 / 400 days; the estimate differs by at most one year.
    var year = 1970 + (dayNumber * 400).floorDivided(by: 146_097)
    if days(toYear: year) > dayNumber { year -= 1 }
    if days(toYear: year + 1) <= dayNumber { year += 1 }
    return year
  }

  /// The day of the week.
  public var weekday: Weekday { Self.weekday(ofDay: dayNumber) }

  /// The day of the week of a day since 1970-01-01, a Thursday.
  static func weekday(ofDay dayNumber: Int) -> Weekday {
    let number = ((dayNumber + 4) % 7 + 7) % 7
    return Weekday(rawValue: number + 1) ?? .sunday
  }

  /// Returns the date that is later by a number of days, or earlier by a negative number; nil outside of the years
  /// 1...9999.
  public func adding(days: Int) -> CivilDate? {
    let (sum, overflow) = dayNumber.addingReportingOverflow(days)
    return overflow ? nil : CivilDate(dayNumber: sum)
  }

  /// Returns the same day of a later month, or of an earlier one with a negative number. If that month is too short,
  /// returns its last day. Nil outside of the years 1...9999.
  public func adding(months: Int) -> CivilDate? {
    let (sum, overflow) = (year * 12 + month - 1).addingReportingOverflow(months)
    let year = sum.floorDivided(by: 12)
    guard !overflow, CivilField.year.range.contains(year) else { return nil }
    let month = sum - year * 12 + 1
    return CivilDate(unchecked: (year, month, min(day, Self.dayCount(ofMonth: month, year: year))))
  }

  /// Compares the days.
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension Int {
  /// The quotient rounded down.
  /// - Parameter divisor: a positive number.
  func floorDivided(by divisor: Int) -> Int {
    self % divisor < 0 ? self / divisor - 1 : self / divisor
  }
}
