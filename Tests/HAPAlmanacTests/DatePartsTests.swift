import Testing

@testable import HAPAlmanac

@Suite("Date parts") struct DatePartsTests {
  private func next(_ parts: DateParts, after text: String, in name: String = "Europe/Berlin") throws -> String? {
    let rules = zone(name)
    let found = parts.next(after: rules.instant(of: try CivilTime(text)), in: rules)
    return found.map { "\(rules.civilTime(at: $0))" }
  }

  @Test("Only the parts that are set are compared")
  func matches() throws {
    let time = try CivilTime("2026-10-25T19:30:15.5")
    for parts in [
      try DateParts(), try DateParts(year: 2026), try DateParts(month: 10), try DateParts(day: 25),
      try DateParts(weekday: .sunday),
      try DateParts(hour: 19), try DateParts(minute: 30), try DateParts(second: 15),
      try DateParts(year: 2026, month: 10, day: 25, weekday: .sunday, hour: 19, minute: 30, second: 15),
    ] {
      #expect(parts.matches(time), "\(parts)")
    }
    for parts in [
      try DateParts(year: 2025), try DateParts(month: 9), try DateParts(day: 24), try DateParts(weekday: .monday),
      try DateParts(hour: 18),
      try DateParts(minute: 31), try DateParts(second: 16), try DateParts(month: 10, weekday: .monday),
    ] {
      #expect(!parts.matches(time), "\(parts)")
    }
  }

  @Test("A number out of its range is refused", arguments: CivilField.allCases)
  func ranges(_ field: CivilField) {
    for value in [field.range.lowerBound - 1, field.range.upperBound + 1, .min, .max] {
      func number(_ other: CivilField) -> Int? { field == other ? value : nil }
      guard field != .weekday, field != .nanosecond else { continue }
      #expect(throws: CivilError.outOfRange(field, value)) {
        try DateParts(
          year: number(.year), month: number(.month), day: number(.day), hour: number(.hour), minute: number(.minute),
          second: number(.second))
      }
    }
  }

  @Test("Parts that are shorter than the shortest one set are zero")
  func shorterParts() throws {
    let start = "2026-06-03T19:30:10"
    for (parts, expected) in [
      (try DateParts(hour: 19), "2026-06-04T19:00:00"), (try DateParts(hour: 20), "2026-06-03T20:00:00"),
      (try DateParts(hour: 19, minute: 31), "2026-06-03T19:31:00"), (try DateParts(minute: 30), "2026-06-03T20:30:00"),
      (try DateParts(second: 10), "2026-06-03T19:31:10"), (try DateParts(second: 11), "2026-06-03T19:30:11"),
      (try DateParts(hour: 19, second: 5), "2026-06-03T19:31:05"),
      (try DateParts(weekday: .sunday), "2026-06-07T00:00:00"),
      (try DateParts(weekday: .wednesday), "2026-06-10T00:00:00"), (try DateParts(day: 1), "2026-07-01T00:00:00"),
      (try DateParts(month: 6), "2026-06-04T00:00:00"), (try DateParts(month: 5), "2027-05-01T00:00:00"),
      (try DateParts(year: 2027), "2027-01-01T00:00:00"), (try DateParts(day: 31, hour: 12), "2026-07-31T12:00:00"),
      (try DateParts(year: 2026, month: 12, day: 24, hour: 18), "2026-12-24T18:00:00"),
      (try DateParts(day: 13, weekday: .friday), "2026-11-13T00:00:00"),
      (try DateParts(hour: 0), "2026-06-04T00:00:00"),
      (try DateParts(month: 2, day: 29), "2028-02-29T00:00:00"),
      (try DateParts(month: 2, day: 29, weekday: .sunday), "2032-02-29T00:00:00"),
    ] {
      #expect(try next(parts, after: start) == expected, "\(parts)")
    }
  }

  @Test("Without a day that matches there is no next time")
  func never() throws {
    for parts in [
      try DateParts(), try DateParts(month: 2, day: 30), try DateParts(year: 2025),
      try DateParts(year: 2026, month: 6, day: 3, hour: 19),
      try DateParts(year: 2027, month: 2, day: 29, minute: 5), try DateParts(year: 9999),
      try DateParts(year: 2026, month: 10, day: 25, weekday: .monday),
    ] {
      #expect(try next(parts, after: "2026-06-03T19:30") == nil, "\(parts)")
    }
    #expect(try DateParts(hour: 12).next(after: .distantFuture, in: .utc) == nil)
    #expect(try DateParts(minute: 12).next(after: .distantFuture, in: .utc) == nil)
    #expect(try DateParts(year: 9999).isEmpty == false && DateParts().isEmpty)
  }

  @Test("A time of day in a gap occurs at the end of the gap, once on each day")
  func gap() throws {
    let parts = try DateParts(hour: 2, minute: 30)
    #expect(try next(parts, after: "2026-03-28T02:30") == "2026-03-29T03:00:00")
    #expect(try next(parts, after: "2026-03-29T03:00") == "2026-03-30T02:30:00")
    #expect(
      try next(try DateParts(weekday: .sunday), after: "2018-11-01T12:00", in: "America/Sao_Paulo")
        == "2018-11-04T01:00:00")
  }

  @Test("A time of day in an overlap occurs at the first instant, once on each day")
  func overlap() throws {
    let berlin = zone("Europe/Berlin")
    let parts = try DateParts(hour: 2, minute: 30)
    let start = berlin.instant(of: try CivilTime("2026-10-24T12:00"))
    let first = try #require(parts.next(after: start, in: berlin))
    #expect("\(first)" == "2026-10-25T00:30:00Z")
    let second = try #require(parts.next(after: first, in: berlin))
    #expect("\(second)" == "2026-10-26T01:30:00Z")
  }

  @Test("A minute of each hour occurs whenever the clock shows it")
  func eachHour() throws {
    let berlin = zone("Europe/Berlin")
    let parts = try DateParts(minute: 15)
    var instant = berlin.instant(of: try CivilTime("2026-10-25T01:00"))
    var found: [String] = []
    for _ in 0..<4 {
      instant = try #require(parts.next(after: instant, in: berlin))
      found.append("\(berlin.civilTime(at: instant))")
    }
    #expect(found == ["2026-10-25T01:15:00", "2026-10-25T02:15:00", "2026-10-25T02:15:00", "2026-10-25T03:15:00"])
    #expect(try next(parts, after: "2026-03-29T01:15") == "2026-03-29T03:15:00")
    #expect(try next(parts, after: "2026-10-03T23:59", in: "Australia/Lord_Howe") == "2026-10-04T00:15:00")
    #expect(try next(parts, after: "2026-10-04T01:16", in: "Australia/Lord_Howe") == "2026-10-04T03:15:00")
  }

  @Test("On a later day, a minute of each hour occurs first in the hour after midnight")
  func eachHourOfADay() throws {
    let parts = try DateParts(weekday: .sunday, minute: 15)
    #expect(try next(parts, after: "2026-06-06T12:30") == "2026-06-07T00:15:00")
    #expect(try next(parts, after: "2026-06-07T23:15") == "2026-06-14T00:15:00")
  }

  @Test("A time that was skipped before midnight and is shown after it still happens")
  func shownAfterMidnight() throws {
    // At 84600, which is 23:30, the clock is set ahead to 00:30 of the next day; after 10 minutes it is set back.
    let file = TZifFile(
      times: [84_600, 85_200], transitionTypes: [1, 0], types: [(0, 0, 0), (3_600, 0, 0)], footer: "\n\n")
    let rules = try ZoneRules(tzif: file.bytes)
    let parts = try DateParts(hour: 23, minute: 45)
    let found = parts.next(after: Instant(seconds: 84_700), in: rules)
    #expect("\(rules.civilTime(at: Instant(seconds: 84_700)))" == "1970-01-02T00:31:40")
    #expect(found == Instant(seconds: 85_500))
  }

  @Test("The last matching hour of a day is repeated if the clock is set back over midnight")
  func repeatedBeforeMidnight() throws {
    let nuuk = zone("America/Nuuk")
    // On 2026-10-24 at 24:00 the clock is set back to 23:00.
    let parts = try DateParts(year: 2026, month: 10, day: 24, minute: 30)
    let first = try #require(parts.next(after: nuuk.instant(of: try CivilTime("2026-10-24T23:29")), in: nuuk))
    let second = try #require(parts.next(after: first, in: nuuk))
    #expect(["\(first)", "\(second)"] == ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"])
    #expect(parts.next(after: second, in: nuuk) == nil)
  }

  /// A minute as the clock shows it.
  private struct Minute {
    let number: Int
    let time: CivilTime
    /// Whether the clock shows the time for the first time.
    let isFirst: Bool
    /// The minutes that the clock skipped just before.
    let skipped: [CivilTime]
  }

  private func minutes(around change: Int, of rules: ZoneRules) -> [Minute] {
    ((change / 60 - 1_600)...(change / 60 + 1_600)).map { number in
      let instant = Instant(seconds: Int64(number * 60))
      let time = rules.civilTime(at: instant)
      let expected = rules.civilTime(at: Instant(seconds: Int64(number * 60 - 1))).civilSeconds + 1
      let skipped = stride(from: expected, to: time.civilSeconds, by: 60)
      return Minute(
        number: number, time: time, isFirst: rules.instant(of: time) == instant,
        skipped: skipped.map { CivilTime(of: Instant(seconds: Int64($0)), offset: 0) })
    }
  }

  @Test(
    "The next times are those that a search through all minutes finds",
    arguments: [
      "Europe/Berlin", "America/Nuuk", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Apia", "Africa/Casablanca",
      "America/Sao_Paulo",
    ])
  func oracle(_ name: String) throws {
    let rules = zone(name)
    let vector = try #require(ZoneVector.all.first { $0.name == name })
    for change in vector.changes.map(\.seconds).filter({ (1_300_000_000..<1_780_000_000).contains($0) }).prefix(3) {
      let minutes = minutes(around: change, of: rules)
      for parts in [
        try DateParts(hour: 2, minute: 30), try DateParts(hour: 0, minute: 0), try DateParts(hour: 23, minute: 45),
        try DateParts(minute: 20), try DateParts(minute: 0), try DateParts(weekday: .saturday, hour: 3, minute: 0),
      ] {
        let expected = minutes.filter { minute in
          if parts.hour == nil { return parts.matches(minute.time) }
          return minute.isFirst && parts.matches(minute.time) || minute.skipped.contains { parts.matches($0) }
        }
        var found: [Int] = []
        var instant = Instant(seconds: Int64(minutes[0].number * 60 - 1))
        while let next = parts.next(after: instant, in: rules), next.seconds <= minutes[minutes.count - 1].number * 60 {
          #expect(next > instant && next.nanosecond == 0 && next.seconds % 60 == 0)
          found.append(Int(next.seconds) / 60)
          instant = next
        }
        #expect(found == expected.map(\.number), "\(parts) around \(Instant(seconds: Int64(change)))")
      }
    }
  }
}
