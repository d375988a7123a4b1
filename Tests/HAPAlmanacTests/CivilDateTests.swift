import Foundation
import Testing

@testable import HAPAlmanac

@Suite("Civil dates") struct CivilDateTests {
  @Test("The days of eight centuries follow one another, and each weekday too")
  func succession() throws {
    var expected = CivilDate.days(toYear: 1600)
    for year in 1600..<2400 {
      for month in 1...12 {
        for day in 1...CivilDate.dayCount(ofMonth: month, year: year) {
          let date = try CivilDate(year: year, month: month, day: day)
          guard date.dayNumber == expected, CivilDate(dayNumber: expected) == date,
            date.weekday.rawValue == (expected + 140_000 * 7 + 4) % 7 + 1
          else {
            Issue.record("\(date) has the number \(date.dayNumber), not \(expected)")
            return
          }
          expected += 1
        }
      }
    }
  }

  @Test("The first and last days of all months follow one another") func months() throws {
    var last = -719_163
    for year in 1...9999 {
      for month in 1...12 {
        let count = CivilDate.dayCount(ofMonth: month, year: year)
        let ends = [
          try CivilDate(year: year, month: month, day: 1), try CivilDate(year: year, month: month, day: count),
        ]
        guard ends[0].dayNumber == last + 1, ends[1].dayNumber == last + count,
          ends == ends.map({ CivilDate(dayNumber: $0.dayNumber) })
        else {
          Issue.record("\(ends) have the numbers \(ends.map(\.dayNumber))")
          return
        }
        last += count
      }
    }
    #expect(CivilDate(dayNumber: -719_163) == nil && CivilDate(dayNumber: last + 1) == nil)
  }

  @Test("Numbers of days are those of Foundation's Gregorian calendar, which starts in 1582")
  func foundation() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = TimeZone(secondsFromGMT: 0)!
    for year in Array(stride(from: 1583, through: 9999, by: 37)) + [1600, 1900, 2000, 2100, 9999] {
      for (month, day) in [(1, 1), (2, 28), (3, 1), (12, 31)] {
        let date = try CivilDate(year: year, month: month, day: day)
        let parts = DateComponents(year: year, month: month, day: day)
        let seconds = calendar.date(from: parts)!.timeIntervalSince1970
        #expect(date.dayNumber * 86_400 == Int(seconds), "\(date)")
        #expect(CivilDate(dayNumber: date.dayNumber) == date)
      }
    }
  }

  @Test("Known weekdays") func weekdays() throws {
    for (text, weekday) in [
      ("1970-01-01", .thursday), ("2000-02-29", .tuesday), ("2026-10-25", .sunday), ("1582-10-15", .friday),
      ("0001-01-01", .monday), ("9999-12-31", .friday),
    ] as [(String, Weekday)] {
      #expect(try CivilDate(text).weekday == weekday, "\(text)")
    }
    #expect(Weekday.allCases.map(\.rawValue) == Array(1...7))
  }

  @Test("A number out of its range is refused, and names its field", arguments: CivilField.allCases)
  func ranges(_ field: CivilField) {
    for value in [field.range.lowerBound - 1, field.range.upperBound + 1, .min, .max] where field != .weekday {
      func number(_ other: CivilField, or valid: Int) -> Int { field == other ? value : valid }
      #expect(throws: CivilError.outOfRange(field, value)) {
        let date = try CivilDate(
          year: number(.year, or: 2026), month: number(.month, or: 6), day: number(.day, or: 1))
        _ = try CivilTime(
          date, hour: number(.hour, or: 0), minute: number(.minute, or: 0), second: number(.second, or: 0),
          nanosecond: number(.nanosecond, or: 0))
      }
    }
  }

  @Test(
    "Days that a month does not have are refused",
    arguments: [(2026, 2, 29), (2100, 2, 29), (2024, 2, 30), (2026, 4, 31)])
  func missingDays(_ year: Int, _ month: Int, _ day: Int) {
    #expect(throws: CivilError.noSuchDay(year: year, month: month, day: day)) {
      try CivilDate(year: year, month: month, day: day)
    }
    #expect(throws: Never.self) { try CivilDate(year: year, month: month, day: day - 1) }
  }

  @Test("Days are added across months and years, until the last year")
  func addedDays() throws {
    let date = try CivilDate("2024-02-28")
    #expect(date.adding(days: 1)?.description == "2024-02-29")
    #expect(date.adding(days: 2)?.description == "2024-03-01")
    #expect(date.adding(days: -59)?.description == "2023-12-31")
    #expect(try CivilDate("9999-12-31").adding(days: 1) == nil)
    #expect(try CivilDate("0001-01-01").adding(days: -1) == nil)
    for days in [Int.min, .max] { #expect(date.adding(days: days) == nil) }
  }

  @Test("The day of a month that is too short becomes its last day")
  func addedMonths() throws {
    let date = try CivilDate("2026-01-31")
    let expected = ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30"]
    #expect((0...5).map { date.adding(months: $0)?.description } == expected)
    #expect(date.adding(months: 25)?.description == "2028-02-29")
    #expect(date.adding(months: -1)?.description == "2025-12-31")
    #expect(date.adding(months: -13)?.description == "2024-12-31")
    #expect(try CivilDate("9999-12-01").adding(months: 1) == nil)
    #expect(try CivilDate("0001-01-01").adding(months: -1) == nil)
    for months in [Int.min, .max] { #expect(date.adding(months: months) == nil) }
  }

  @Test("Dates and times are ordered by time")
  func order() throws {
    let texts = [
      "2025-12-31T23:59:59.9", "2026-01-01T00:00", "2026-01-01T00:00:00.000000001", "2026-01-02T00:00",
      "2026-02-01T00:00",
    ]
    let times = try texts.map { try CivilTime($0) }
    for (left, right) in zip(times, times.dropFirst()) {
      #expect(left < right)
      #expect(!(right < left))
      #expect(left.date <= right.date)
    }
  }
}

@Suite("Texts of civil times") struct CivilTextTests {
  @Test(
    "A text that was read prints in its full form",
    arguments: [
      ("2026-06-01T19:00", "2026-06-01T19:00:00"), ("2026-06-01T19:00:59", "2026-06-01T19:00:59"),
      ("0001-01-01T00:00:00.5", "0001-01-01T00:00:00.5"),
      ("9999-12-31T23:59:59.000000001", "9999-12-31T23:59:59.000000001"),
      ("2026-06-01T19:00:00.120000000", "2026-06-01T19:00:00.12"), ("2026-06-01T19:00:00.0", "2026-06-01T19:00:00"),
    ])
  func forms(_ text: String, _ printed: String) throws {
    let time = try CivilTime(text)
    #expect(time.description == printed)
    #expect(try CivilTime(printed) == time)
  }

  @Test(
    "Texts of other forms are refused",
    arguments: [
      "", "2026", "2026-06-01", "2026-06-01 19:00", "2026-06-01T19", "2026-06-01T19:0", "2026-06-01T19:00:",
      "2026-6-01T19:00",
      "2026-06-01T19:00:00.", "2026-06-01T19:00:00.1234567890", "2026-06-01T19:00:00Z", "2026-06-01T19:00Z",
      "+026-06-01T19:00",
      "2026-06-01T-9:00", "2026-06-01t19:00", "２026-06-01T19:00", "2026-06-01T19:00 ", " 2026-06-01T19:00",
      "12026-06-01T19:00",
    ])
  func otherForms(_ text: String) {
    let form = "YYYY-MM-DDTHH:MM[:SS[.fraction]]"
    let error = #expect(throws: CivilError.self) { try CivilTime(text) }
    guard case .malformed(_, let named) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // A date that is malformed is reported with the form of a date.
    #expect([form, "YYYY-MM-DD"].contains(named))
  }

  @Test("Numbers out of range are refused in a text too")
  func ranges() {
    #expect(throws: CivilError.outOfRange(.hour, 24)) { try CivilTime("2026-06-01T24:00") }
    #expect(throws: CivilError.outOfRange(.minute, 60)) { try CivilTime("2026-06-01T19:60") }
    #expect(throws: CivilError.outOfRange(.second, 60)) { try CivilTime("2026-06-01T19:00:60") }
    #expect(throws: CivilError.outOfRange(.year, 0)) { try CivilTime("0000-06-01T19:00") }
    #expect(throws: CivilError.noSuchDay(year: 2026, month: 2, day: 29)) { try CivilDate("2026-02-29") }
    #expect(throws: CivilError.malformed("2026-06-01x", form: "YYYY-MM-DD")) { try CivilDate("2026-06-01x") }
  }

  @Test("Errors say what was expected")
  func descriptions() {
    #expect("\(CivilError.outOfRange(.month, 13))" == "the month is 13; it must be 1 to 12")
    #expect(
      "\(CivilError.noSuchDay(year: 2026, month: 2, day: 30))" == "there is no day 30 in month 2 of the year 2026")
    #expect("\(CivilError.malformed("x", form: "YYYY-MM-DD"))" == "\"x\" has another form than YYYY-MM-DD")
  }
}
