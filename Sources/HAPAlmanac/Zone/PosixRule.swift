/// The rule for the years after the last transition of a zone: the value of a TZ variable (POSIX §8.3, with the longer
/// times of RFC 9636 §3.3.2).
struct PosixRule: Equatable, Sendable {
  let standard: LocalTimeType
  let daylight: Daylight?

  /// The part of a year with another offset. It can cross the end of the year, and it can cover the whole year.
  struct Daylight: Equatable, Sendable {
    let type: LocalTimeType
    /// In standard time.
    let start: Moment
    /// In daylight-saving time.
    let end: Moment
  }

  /// A moment of each year.
  struct Moment: Equatable, Sendable {
    let day: Day
    /// Seconds after midnight of the day: less than a week before or after.
    let time: Int

    /// The civil seconds from 1970 in a year.
    func civilSeconds(in year: Int) -> Int { day.number(in: year) * 86_400 + time }
  }

  enum Day: Equatable, Sendable {
    /// 1...365. February 29 is not counted.
    case julian(Int)
    /// 0...365. February 29 is counted.
    case zeroBased(Int)
    /// A weekday of a month: the first to the fourth one, or the last one (5). Sunday is 0.
    case weekday(month: Int, week: Int, weekday: Int)

    /// The number of days from 1970-01-01.
    func number(in year: Int) -> Int {
      let january = CivilDate.days(toYear: year)
      switch self {
      case .julian(let day): return january + day - (CivilDate.isLeap(year) && day >= 60 ? 0 : 1)
      case .zeroBased(let day): return january + day
      case .weekday(let month, let week, let weekday):
        let first = january + CivilDate.days(toMonth: month, year: year)
        let wait = (weekday + 8 - CivilDate.weekday(ofDay: first).rawValue) % 7
        let day = wait + (week - 1) * 7
        return first + (day < CivilDate.dayCount(ofMonth: month, year: year) ? day : day - 7)
      }
    }
  }

  /// The local time type at a number of seconds from 1970, of less than 17 digits.
  func type(at seconds: Int) -> LocalTimeType {
    guard let daylight else { return standard }
    let year = CivilDate.year(ofDay: seconds.floorDivided(by: 86_400))
    // Times reach into the neighbouring years, and a period that starts in a year can end in the next one.
    return (year - 2...year + 1).contains { period(of: daylight, in: $0).contains(seconds) } ? daylight.type : standard
  }

  /// The period that starts in a year, in seconds from 1970. If its end is not after its start, it ends a year later:
  /// the daylight-saving time of the southern half of the earth, or that of a whole year.
  private func period(of daylight: Daylight, in year: Int) -> Range<Int> {
    let start = daylight.start.civilSeconds(in: year) - standard.offset
    let end = daylight.end.civilSeconds(in: year) - daylight.type.offset
    guard end <= start else { return start..<end }
    let next = daylight.end.civilSeconds(in: year + 1) - daylight.type.offset
    return start..<max(start, next)
  }

  /// The times at which the type may change, for the starts and ends in some years; in no order.
  func times(in years: ClosedRange<Int>) -> [Int] {
    guard let daylight else { return [] }
    return years.flatMap { year in
      [
        daylight.start.civilSeconds(in: year) - standard.offset,
        daylight.end.civilSeconds(in: year) - daylight.type.offset,
      ]
    }
  }
  /// The years within which the type changes, if it ever does: the longest time between two years with the same dates and
  /// weekdays is 40 years.
  private static let longestWait = 41

  /// Returns the first time after another one at which the type changes; nil if it never does.
  func nextChange(after seconds: Int) -> Int? {
    guard daylight != nil else { return nil }
    let first = CivilDate.year(ofDay: seconds.floorDivided(by: 86_400))
    for year in first...first + Self.longestWait {
      let range = max(seconds + 1, CivilDate.days(toYear: year) * 86_400)..<CivilDate.days(toYear: year + 1) * 86_400
      // Starts and ends can be some days outside of their year.
      let candidates = times(in: year - 1...year + 1).filter { range.contains($0) }.sorted()
      if let found = candidates.first(where: { type(at: $0 - 1) != type(at: $0) }) { return found }
    }
    return nil
  }
}
