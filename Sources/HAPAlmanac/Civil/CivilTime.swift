/// A date and a time of day as a clock on the wall shows them, without a time zone. A day has 24 hours, a minute has 60
/// seconds.
public struct CivilTime: Hashable, Comparable, Sendable {
  /// The day.
  public let date: CivilDate
  /// 0...23.
  public let hour: Int
  /// 0...59.
  public let minute: Int
  /// 0...59.
  public let second: Int
  /// 0...999999999.
  public let nanosecond: Int

  /// Creates a civil time; throws if a number is out of range.
  public init(_ date: CivilDate, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0)
    throws(CivilError)
  {
    try CivilField.hour.check(hour)
    try CivilField.minute.check(minute)
    try CivilField.second.check(second)
    try CivilField.nanosecond.check(nanosecond)
    self.init(date, secondOfDay: hour * 3600 + minute * 60 + second, nanosecond: nanosecond)
  }

  /// Creates a civil time from numbers in range.
  /// - Parameters:
  ///   - secondOfDay: 0..<86400, otherwise it traps.
  ///   - nanosecond: 0...999999999, otherwise it traps.
  init(_ date: CivilDate, secondOfDay: Int, nanosecond: Int = 0) {
    precondition((0..<86_400).contains(secondOfDay) && CivilField.nanosecond.range.contains(nanosecond))
    self.date = date
    hour = secondOfDay / 3600
    minute = secondOfDay / 60 % 60
    second = secondOfDay % 60
    self.nanosecond = nanosecond
  }

  /// Creates the civil time of an instant.
  /// - Parameter offset: seconds east of UTC, at most some days.
  init(of instant: Instant, offset: Int) {
    let seconds = Int(instant.seconds) + offset
    let day = seconds.floorDivided(by: 86_400)
    // The instants are in the years 1677 to 2262, so the date always exists.
    guard let date = CivilDate(dayNumber: day) else { preconditionFailure("the offset is too large") }
    self.init(date, secondOfDay: seconds - day * 86_400, nanosecond: Int(instant.nanosecond))
  }

  /// The seconds since midnight: 0..<86400.
  public var secondOfDay: Int { hour * 3600 + minute * 60 + second }

  /// The seconds from 1970-01-01T00:00:00 to this time, as if each day had 86400 seconds.
  var civilSeconds: Int { date.dayNumber * 86_400 + secondOfDay }

  /// The same time of another day.
  func on(_ date: CivilDate) -> CivilTime { CivilTime(date, secondOfDay: secondOfDay, nanosecond: nanosecond) }

  /// Compares the days, then the times of day.
  public static func < (left: CivilTime, right: CivilTime) -> Bool {
    (left.date, left.secondOfDay, left.nanosecond) < (right.date, right.secondOfDay, right.nanosecond)
  }
}
