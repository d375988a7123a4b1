import HAPAlmanac

/// The civil time of each minute of a year in a zone, from the offsets by Python's zoneinfo. It shares no code with the
/// almanac: days are counted from 1970, one after the other.
struct ReferenceClock {
  struct Day {
    var year = 1970, month = 1, day = 1
    /// Sunday is 1.
    var weekday = 5
    var isLastOfMonth: Bool { day == lastDay }
    var lastDay: Int {
      switch month {
      case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
      case 4, 6, 9, 11: 30
      default: 31
      }
    }

    mutating func advance() {
      weekday = weekday % 7 + 1
      (day, month) = day == lastDay ? (1, month + 1) : (day + 1, month)
      if month == 13 { (month, year) = (1, year + 1) }
    }
  }

  /// The minute since 1970 of the first element of the lists below.
  let start: Int
  /// The civil time in minutes since 1970-01-01T00:00.
  let local: [Int]
  /// Whether the clock shows this civil time for the first time.
  let isFirst: [Bool]
  /// The civil times that are skipped at a minute.
  let skipped: [Int: Range<Int>]
  /// The days since 1970.
  let days: [Day]

  /// - Parameter minutes: the minutes since 1970 of the year, with some before.
  init(_ zone: TestZones.Zone, minutes: Range<Int>) {
    start = minutes.lowerBound
    var (local, isFirst, skipped) = ([Int](), [Bool](), [Int: Range<Int>]())
    var change = 0
    var latest = Int.min
    for minute in minutes {
      while change + 1 < zone.changes.count, zone.changes[change + 1].seconds <= minute * 60 { change += 1 }
      let time = minute + zone.changes[change].offset / 60
      if latest != .min, time > latest + 1 { skipped[local.count] = latest + 1..<time }
      isFirst.append(time > latest)
      local.append(time)
      latest = max(latest, time)
    }
    var days: [Day] = [Day()]
    while days.count <= latest / 1440 + 1 {
      var next = days[days.count - 1]
      next.advance()
      days.append(next)
    }
    (self.local, self.isFirst, self.skipped, self.days) = (local, isFirst, skipped, days)
  }

  func day(at index: Int) -> Day { days[local[index] / 1440] }

  /// The civil times for which something planned happens at a minute: the one that the clock shows for the first time, and
  /// those that it skips.
  func planned(at index: Int) -> [Int] {
    if isFirst[index], skipped.isEmpty || skipped[index] == nil { return [local[index]] }
    return (isFirst[index] ? [local[index]] : []) + (skipped[index].map(Array.init) ?? [])
  }
}
