extension DateParts {
  /// Returns the first instant after another one at which the parts match; nil if there is none before the year 2262, or
  /// if no part is set.
  ///
  /// Parts that are shorter than the shortest one set count as zero: a weekday matches at midnight, an hour at its first
  /// second. A time with an hour happens once a day, also if the clock is set ahead or back over it (`ZoneRules.instant`).
  /// A time without an hour, such as "15 minutes after each hour", happens whenever the clock shows it.
  public func next(after instant: Instant, in zone: ZoneRules) -> Instant? {
    guard !isEmpty else { return nil }
    return repeatsEachHour ? nextShown(after: instant, in: zone) : nextPlanned(after: instant, in: zone)
  }

  private func nextPlanned(after instant: Instant, in zone: ZoneRules) -> Instant? {
    let today = zone.civilTime(at: instant).date
    // If the clock was set back over midnight, times of the day before can be still to come.
    var match = firstMatch(on: today.adding(days: -1) ?? today, secondOfDay: 0)
    while let time = match {
      let found = zone.instant(of: time)
      if found > instant { return found }
      guard found < .distantFuture else { return nil }
      match = firstMatch(after: time)
    }
    return nil
  }

  private func firstMatch(after time: CivilTime) -> CivilTime? {
    if time.secondOfDay < 86_399 { return firstMatch(on: time.date, secondOfDay: time.secondOfDay + 1) }
    return time.date.adding(days: 1).flatMap { firstMatch(on: $0, secondOfDay: 0) }
  }

  /// The maximum number of seconds by which a clock can be set back: it shows a time again at most this much later.
  private static let longestRepetition = LocalTimeType.offsets.count

  private func nextShown(after instant: Instant, in zone: ZoneRules) -> Instant? {
    var seconds = Int(instant.seconds) + 1
    while seconds <= Int(Instant.distantFuture.seconds) {
      let start = Instant(seconds: Int64(seconds))
      let shown = zone.civilTime(at: start)
      let change = zone.nextTransition(after: start).map { Int($0.instant.seconds) } ?? .max
      if let match = firstMatch(on: shown.date, secondOfDay: shown.secondOfDay) {
        let found = seconds + match.civilSeconds - shown.civilSeconds
        if found < change { return found <= Int(Instant.distantFuture.seconds) ? Instant(seconds: Int64(found)) : nil }
      } else if change - seconds > Self.longestRepetition {
        return nil
      }
      seconds = change
    }
    return nil
  }
}
