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
  /// The civil times at which something planned happens, with the indices of their minutes: the civil times that the clock
  /// shows for the first time, and those that it skips.
  let planned: (indices: [Int], times: [Int])
  /// The days since 1970.
  let days: [Day]

  /// - Parameter minutes: the minutes since 1970 of the year, with some before.
  init(_ zone: TestZones.Zone, minutes: Range<Int>) {
    start = minutes.lowerBound
    var (local, planned) = ([Int](), (indices: [Int](), times: [Int]()))
    var change = 0
    var latest = Int.min
    for minute in minutes {
      while change + 1 < zone.changes.count, zone.changes[change + 1].seconds <= minute * 60 { change += 1 }
      let time = minute + zone.changes[change].offset / 60
      while latest < time {
        latest = latest == .min ? time : latest + 1
        planned.indices.append(local.count)
        planned.times.append(latest)
      }
      local.append(time)
    }
    var days: [Day] = [Day()]
    while days.count <= latest / 1440 + 1 {
      var next = days[days.count - 1]
      next.advance()
      days.append(next)
    }
    (self.local, self.planned, self.days) = (local, planned, days)
  }

  func day(at index: Int) -> Day { days[local[index] / 1440] }
}
