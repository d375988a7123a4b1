extension DateParts {
  /// The last year in which a match is looked for: that of the last instant.
  private static let lastYear = 2262

  /// Whether the parts have a minute or second, but no hour: "15 minutes after each hour".
  var repeatsEachHour: Bool { hour == nil && (minute != nil || second != nil) }

  /// Returns the first civil time from a date and a second of that day on which the parts match; nil if there is none
  /// until the year 2262. Parts that are shorter than the shortest one set are zero.
  func firstMatch(on date: CivilDate, secondOfDay: Int) -> CivilTime? {
    guard let day = firstDay(from: date) else { return nil }
    let earliest = day == date ? secondOfDay : 0
    if let time = firstSecondOfDay(from: earliest) { return CivilTime(day, secondOfDay: time) }
    guard let next = day.adding(days: 1).flatMap(firstDay), let time = firstSecondOfDay(from: 0) else { return nil }
    return CivilTime(next, secondOfDay: time)
  }

  /// The first matching day from a day on.
  private func firstDay(from date: CivilDate) -> CivilDate? {
    var candidate: CivilDate? = date
    while let day = candidate, day.year <= min(year ?? Self.lastYear, Self.lastYear) {
      if matches(day) { return day }
      candidate = hasLaterDay(than: day) ? day.adding(days: 1) : day.adding(days: 1 - day.day)?.adding(months: 1)
    }
    return nil
  }

  /// Whether a later day of the same month can match.
  private func hasLaterDay(than date: CivilDate) -> Bool {
    (year ?? date.year) == date.year && (month ?? date.month) == date.month && (day ?? 31) > date.day
  }

  /// The first matching second of a day from a second on: 0..<86400.
  private func firstSecondOfDay(from earliest: Int) -> Int? {
    let hours = hour.map { $0...$0 } ?? (repeatsEachHour ? 0...23 : 0...0)
    let minutes = minute.map { $0...$0 } ?? (second != nil ? 0...59 : 0...0)
    for hour in hours where (hour + 1) * 3600 > earliest {
      let times = minutes.lazy.map { hour * 3600 + $0 * 60 + (second ?? 0) }
      if let found = times.first(where: { $0 >= earliest }) { return found }
    }
    return nil
  }
}
