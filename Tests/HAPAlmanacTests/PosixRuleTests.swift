import Testing

@testable import HAPAlmanac

@Suite("Rules of TZ variables") struct PosixRuleTests {
  private func transitions(_ text: String, in year: Int) throws -> [String] {
    let rules = try ZoneRules(posix: text)
    var instant = rules.instant(of: try CivilTime("\(year - 1)-12-31T23:59:59"))
    let end = rules.instant(of: try CivilTime("\(year)-12-31T23:59:59"))
    var found: [String] = []
    while let next = rules.nextTransition(after: instant), next.instant <= end {
      found.append("\(next.instant) \(next.after.abbreviation)")
      instant = next.instant
    }
    return found
  }

  @Test("Weekdays of a month: the first to the fourth, and the last one")
  func weekdays() throws {
    #expect(
      try transitions("CET-1CEST,M3.5.0,M10.5.0/3", in: 2026)
        == ["2026-03-29T01:00:00Z CEST", "2026-10-25T01:00:00Z CET"])
    #expect(
      try transitions("EST5EDT,M3.2.0,M11.1.0", in: 2026) == ["2026-03-08T07:00:00Z EDT", "2026-11-01T06:00:00Z EST"])
    // March 2026 has four Thursdays and five Sundays. The fifth day is the last one in any case.
    #expect(
      try transitions("AAA0BBB,M3.4.4/0,M3.5.4/12", in: 2026) == [
        "2026-03-26T00:00:00Z BBB", "2026-03-26T11:00:00Z AAA",
      ])
    #expect(
      try transitions("AAA0BBB,M3.4.0/0,M3.5.0/0", in: 2026) == [
        "2026-03-22T00:00:00Z BBB", "2026-03-28T23:00:00Z AAA",
      ])
  }

  @Test("A Julian day does not count February 29, a day from zero does")
  func yearDays() throws {
    for (year, zeroBased) in [(2026, "2026-03-01"), (2028, "2028-02-29")] {
      #expect(
        try transitions("AAA0BBB,J60/0,300/0", in: year).first == "\(year)-03-01T00:00:00Z BBB")
      #expect(
        try transitions("AAA0BBB,59/0,J300/0", in: year).first == "\(zeroBased)T00:00:00Z BBB")
      #expect(
        try transitions("AAA0BBB,J1/0,J365/0", in: year).last == "\(year)-12-30T23:00:00Z AAA")
    }
    #expect(try transitions("AAA0BBB,0/0,365/0", in: 2028).last == "2028-12-30T23:00:00Z AAA")
  }

  @Test("In the south, the daylight-saving time crosses the end of the year")
  func south() throws {
    #expect(
      try transitions("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", in: 2026)
        == ["2026-04-04T15:00:00Z +1030", "2026-10-03T15:30:00Z +11"])
    let rules = try ZoneRules(posix: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")
    #expect(rules.type(at: Instant(seconds: 1_767_225_600)).offset == 39_600)
  }

  @Test("Times of day can be negative, and more than a day")
  func longTimes() throws {
    #expect(
      try transitions("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", in: 2026)
        == ["2026-03-29T01:00:00Z -01", "2026-10-25T01:00:00Z -02"])
    #expect(
      try transitions("IST-2IDT,M3.4.4/26,M10.5.0", in: 2026) == [
        "2026-03-27T00:00:00Z IDT", "2026-10-24T23:00:00Z IST",
      ])
    #expect(
      try transitions("AAA0BBB,M1.1.1/-167,M7.1.1/167:59:59", in: 2026)
        == ["2026-07-12T22:59:59Z AAA", "2026-12-28T01:00:00Z BBB"])
  }

  @Test("Standard time in summer is an offset like any other")
  func winterTime() throws {
    #expect(
      try transitions("IST-1GMT0,M10.5.0,M3.5.0/1", in: 2026) == [
        "2026-03-29T01:00:00Z IST", "2026-10-25T01:00:00Z GMT",
      ])
  }

  @Test(
    "A daylight-saving time of the whole year has no transition",
    arguments: ["EST5EDT,0/0,J365/25", "EST5EDT,0/0,J365/26", "EST5EDT,J1/0,J365/167", "EST5EDT,M3.2.0/2,M3.2.0/3"])
  func wholeYear(_ text: String) throws {
    let rules = try ZoneRules(posix: text)
    for year in 1990...2040 {
      for day in ["01-01", "03-08", "07-01", "12-31"] {
        let instant = Instant(seconds: Int64(try CivilTime("\(year)-\(day)T05:00").civilSeconds))
        #expect(rules.type(at: instant).abbreviation == "EDT")
      }
    }
    #expect(rules.nextTransition(after: Instant(seconds: 0)) == nil)
  }

  @Test("A rule that differs only in leap years is followed")
  func leapYearsOnly() throws {
    // In other years, both dates are March 1, so that the daylight-saving time lasts until the end of the next one.
    let rules = try ZoneRules(posix: "AAA0BBB0,59/0,J60/0")
    let start = Instant(seconds: Int64(try CivilTime("2095-01-01T00:00").civilSeconds))
    let first = try #require(rules.nextTransition(after: start))
    let second = try #require(rules.nextTransition(after: first.instant))
    #expect("\(first.instant) \(first.after.abbreviation)" == "2096-03-01T00:00:00Z AAA")
    #expect("\(second.instant) \(second.after.abbreviation)" == "2097-03-01T00:00:00Z BBB")
    let third = try #require(rules.nextTransition(after: second.instant))
    // 2100 is no leap year.
    #expect("\(third.instant) \(third.after.abbreviation)" == "2104-03-01T00:00:00Z AAA")
  }

  @Test("Offsets: hours to 24, with minutes and seconds; the default of a daylight-saving time is an hour more")
  func offsets() throws {
    for (text, offset) in [
      ("AAA0", 0), ("AAA+5", -18_000), ("AAA-5", 18_000), ("AAA05", -18_000), ("AAA-24:59:59", 89_999),
      ("AAA24:59:59", -89_999), ("<UTC+3>-03:00:01", 10_801),
    ] {
      #expect(try PosixRule(text.utf8).standard.offset == offset, "\(text)")
      #expect(try PosixRule(text.utf8).daylight == nil)
    }
    #expect(try PosixRule("AAA-24:59:59BBB,J1,J2".utf8).daylight?.type.offset == 93_599)
    #expect(try PosixRule("AAA3BBB2:30,J1,J2".utf8).daylight?.type.offset == -9_000)
    #expect(try PosixRule("<A-1>3<+01>4,J1,J2".utf8).daylight?.type.abbreviation == "+01")
    let moment = try #require(try PosixRule("AAA3BBB,J1,M12.5.6/-0:30".utf8).daylight)
    #expect(moment.start == PosixRule.Moment(day: .julian(1), time: 7_200))
    #expect(moment.end == PosixRule.Moment(day: .weekday(month: 12, week: 5, weekday: 6), time: -1_800))
  }

  static let malformed: [(String, PosixRuleError.Part, Int)] = [
    ("", .abbreviation, 0), ("5", .abbreviation, 0), ("AB5", .abbreviation, 2), ("A1C5", .abbreviation, 1),
    (":Europe/Berlin", .abbreviation, 0), ("<AB>5", .abbreviation, 3), ("<AAA5", .abbreviation, 5),
    ("<AA_>5", .abbreviation, 3), ("<>5", .abbreviation, 1), ("ÄÄÄ5", .abbreviation, 0), ("AAA", .offset, 3),
    ("AAA-", .offset, 4), ("AAA--5", .offset, 4), ("AAA25", .offset, 3), ("AAA5:60", .offset, 5),
    ("AAA5:0", .offset, 6), ("AAA5:", .offset, 5), ("AAA5:00:60", .offset, 8), ("AAA 5", .offset, 3),
    ("AAA123", .abbreviation, 5), ("AAA5,M3.2.0,M11.1.0", .abbreviation, 4), ("AAA5BB", .abbreviation, 6),
    ("AAA5BBB", .dates, 7), ("AAA5BBB,", .date, 8), ("AAA5BBB,J1", .dates, 10), ("AAA5BBB4", .dates, 8),
    ("AAA5BBB25,J1,J2", .offset, 7), ("AAA5BBB,J0,J2", .date, 9), ("AAA5BBB,J366,J2", .date, 9),
    ("AAA5BBB,366,J2", .date, 8), ("AAA5BBB,-1,J2", .date, 8), ("AAA5BBB,M0.1.0,J2", .date, 9),
    ("AAA5BBB,M13.1.0,J2", .date, 9), ("AAA5BBB,M1.0.0,J2", .date, 11), ("AAA5BBB,M1.6.0,J2", .date, 11),
    ("AAA5BBB,M1.1.7,J2", .date, 13), ("AAA5BBB,M1.1,J2", .date, 12), ("AAA5BBB,M1,J2", .date, 10),
    ("AAA5BBB,J1/168,J2", .time, 11), ("AAA5BBB,J1/,J2", .time, 11), ("AAA5BBB,J1/1:60,J2", .time, 13),
    ("AAA5BBB,J1/--1,J2", .time, 12), ("AAA5BBB,J1,J2,", .end, 13), ("AAA5BBB,J1,J2 ", .end, 13),
    ("AAA5BBB,J1,J2\0", .end, 13), ("AAA5\0", .abbreviation, 4),
  ]

  @Test("Malformed rules are refused, with the part that was expected and the place", arguments: malformed)
  func refused(_ text: String, _ part: PosixRuleError.Part, _ position: Int) {
    #expect(throws: PosixRuleError(expected: part, position: position)) { try ZoneRules(posix: text) }
  }
}
