import HAPLoop

/// The time of day, for reports.
package enum WallClock {
  /// The machine's current time, such as "2026-11-21T13:00:00Z".
  package static var stamp: String { stamp(now) }

  /// Returns a time such as "2026-11-21T13:00:00Z".
  /// - Parameter time: the time since 1970 in UTC, such as that of `EventLoop.readWallClock()`; an earlier time is
  ///   treated as 1970.
  package static func stamp(_ time: Duration) -> String {
    let seconds = Int(clamping: max(time, .zero).components.seconds)
    let date = date(days: seconds / 86_400)
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(twoDigits)
    return [String(date.year), twoDigits(date.month), twoDigits(date.day)].joined(separator: "-")
      + "T" + clock.joined(separator: ":") + "Z"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Returns the Gregorian date for a number of days after 1970-01-01.
  private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    // With years that begin on 1 March, the leap day is the last day. 400 years have 146,097 days; the first era began
    // in year 0.
    let sinceMarch = days + 719_468
    let (era, dayOfEra) = (sinceMarch / 146_097, sinceMarch % 146_097)
    let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leapDays) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // From March, the lengths of the months repeat every five months, which have 153 days.
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    return (era * 400 + yearOfEra + (month >= 10 ? 1 : 0), month >= 10 ? month - 9 : month + 3, day)
  }

  /// The machine's time since 1970.
  package static var now: Duration { MachineClock.now }

  /// The machine's time since 1970, in whole seconds.
  package static var sinceEpoch: Duration { .seconds(now.components.seconds) }
}
