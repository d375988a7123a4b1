/// The time between two occurrences of something that recurs: civil parts (months, weeks, days) and elapsed parts (hours,
/// minutes).
///
/// A day later is the same time on the clock, also if the clock was set in between. An hour is always 3600 seconds.
public struct CivilPeriod: Hashable, Sendable {
  /// Not negative, like all parts; at most 120000 (10000 years).
  public let months: Int
  /// At most 522000 (10000 years).
  public let weeks: Int
  /// At most 3653000 (10000 years).
  public let days: Int
  /// At most 87672000 (10000 years).
  public let hours: Int
  /// At most 5260320000 (10000 years).
  public let minutes: Int

  /// Returns nil if the period is zero, or if a part is negative or more than 10000 years.
  public init?(months: Int = 0, weeks: Int = 0, days: Int = 0, hours: Int = 0, minutes: Int = 0) {
    let parts = [
      (months, 120_000), (weeks, 522_000), (days, 3_653_000), (hours, 87_672_000), (minutes, 5_260_320_000),
    ]
    guard parts.allSatisfy({ (0...$1).contains($0) }), parts.contains(where: { $0.0 > 0 }) else { return nil }
    (self.months, self.weeks, self.days, self.hours, self.minutes) = (months, weeks, days, hours, minutes)
  }

  /// Whether all parts are elapsed time.
  private var isElapsed: Bool { months == 0 && weeks == 0 && days == 0 }

  /// Returns the instant of an occurrence; nil if it is after the last instant, in the year 2262.
  ///
  /// Each occurrence is computed from the start, so that there is no drift: monthly from January 31 is February 28,
  /// then March 31. If the clock never shows the civil time, or shows it twice, `ZoneRules.instant` decides.
  /// - Parameters:
  ///   - number: periods since the start, not negative. 0 is the start itself.
  ///   - start: the first occurrence.
  ///   - zone: the zone whose clock counts for months, weeks and days.
  public func occurrence(_ number: Int, from start: Instant, in zone: ZoneRules) -> Instant? {
    precondition(number >= 0, "occurrences count from 0")
    guard number > 0 else { return start }
    let (months, tooManyMonths) = self.months.multipliedReportingOverflow(by: number)
    let (days, tooManyDays) = (weeks * 7 + self.days).multipliedReportingOverflow(by: number)
    let (seconds, tooManySeconds) = (hours * 3600 + minutes * 60).multipliedReportingOverflow(by: number)
    guard !tooManyMonths, !tooManyDays, !tooManySeconds else { return nil }
    var date = start
    if !isElapsed {
      let time = zone.civilTime(at: start)
      guard let day = time.date.adding(months: months)?.adding(days: days) else { return nil }
      date = zone.instant(of: time.on(day))
    }
    let instant = date.advanced(by: .seconds(seconds))
    return instant < .distantFuture ? instant : nil
  }

  /// Returns the first occurrence after an instant, and its number; nil if it is after the last instant.
  public func next(after instant: Instant, from start: Instant, in zone: ZoneRules) -> (number: Int, instant: Instant)?
  {
    if start > instant { return (0, start) }
    var (low, high) = (0, 1)
    // The number is above `low` and at most `high`.
    while let occurrence = occurrence(high, from: start, in: zone), occurrence <= instant {
      (low, high) = (high, high * 2)
    }
    while high - low > 1 {
      let middle = (low + high) / 2
      if let occurrence = occurrence(middle, from: start, in: zone), occurrence <= instant {
        low = middle
      } else {
        high = middle
      }
    }
    return occurrence(high, from: start, in: zone).map { (high, $0) }
  }
}
