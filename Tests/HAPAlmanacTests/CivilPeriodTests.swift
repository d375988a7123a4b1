import Testing

@testable import HAPAlmanac

@Suite("Periods") struct CivilPeriodTests {
  private let berlin = zone("Europe/Berlin")

  private func occurrences(_ period: CivilPeriod?, from text: String, _ numbers: [Int], in rules: ZoneRules? = nil)
    throws -> [String]
  {
    let rules = rules ?? berlin
    let period = try #require(period)
    let start = rules.instant(of: try CivilTime(text))
    return numbers.map { number in
      period.occurrence(number, from: start, in: rules).map { "\(rules.civilTime(at: $0))" } ?? "none"
    }
  }

  @Test("A period has no negative part, none of more than 10000 years, and is not zero")
  func valid() {
    #expect(CivilPeriod() == nil)
    for value in [-1, .min, 6_000_000_000, .max] {
      #expect(CivilPeriod(months: value) == nil)
      #expect(CivilPeriod(weeks: value, days: 1) == nil)
      #expect(CivilPeriod(days: value) == nil)
      #expect(CivilPeriod(hours: value) == nil)
      #expect(CivilPeriod(minutes: value) == nil)
    }
    #expect(
      CivilPeriod(months: 120_000, weeks: 522_000, days: 3_653_000, hours: 87_672_000, minutes: 5_260_320_000) != nil)
    #expect(CivilPeriod(months: 120_001) == nil)
  }

  @Test("Months do not drift: the last day of a month stays the last one, or the day of the start")
  func months() throws {
    let expected = [
      "2026-01-31T19:00:00", "2026-02-28T19:00:00", "2026-03-31T19:00:00", "2026-04-30T19:00:00", "2028-02-29T19:00:00",
    ]
    #expect(try occurrences(CivilPeriod(months: 1), from: "2026-01-31T19:00", [0, 1, 2, 3, 25]) == expected)
    #expect(
      try occurrences(CivilPeriod(months: 1, days: 1), from: "2026-01-31T19:00", [1, 2]) == [
        "2026-03-01T19:00:00", "2026-04-02T19:00:00",
      ])
  }

  @Test("Months are added before days")
  func monthsBeforeDays() throws {
    let period = CivilPeriod(months: 1, days: 2)
    #expect(try occurrences(period, from: "2026-01-30T19:00", [1]) == ["2026-03-02T19:00:00"])
  }

  @Test("7 p.m. daily stays 7 p.m. across a change of the clock")
  func days() throws {
    for (start, numbers, expected) in [
      ("2026-03-28T19:00", [1, 2], ["2026-03-29T19:00:00", "2026-03-30T19:00:00"]),
      ("2026-10-24T19:00", [1, 2, 365], ["2026-10-25T19:00:00", "2026-10-26T19:00:00", "2027-10-24T19:00:00"]),
    ] {
      #expect(try occurrences(CivilPeriod(days: 1), from: start, numbers) == expected)
    }
    #expect(
      try occurrences(CivilPeriod(weeks: 1), from: "2026-10-24T19:00", [1, 2]) == [
        "2026-10-31T19:00:00", "2026-11-07T19:00:00",
      ])
  }

  @Test("Daily in a gap: once at its end, then at the usual time. Daily in an overlap: at the first instant")
  func daysInGaps() throws {
    #expect(
      try occurrences(CivilPeriod(days: 1), from: "2026-03-28T02:30", [1, 2]) == [
        "2026-03-29T03:00:00", "2026-03-30T02:30:00",
      ])
    let period = try #require(CivilPeriod(days: 1))
    let start = berlin.instant(of: try CivilTime("2026-10-24T02:30"))
    #expect(
      (1...2).map { "\(period.occurrence($0, from: start, in: berlin)!)" } == [
        "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z",
      ])
    let apia = try occurrences(CivilPeriod(days: 1), from: "2011-12-29T19:00", [1, 2], in: zone("Pacific/Apia"))
    #expect(apia == ["2011-12-31T00:00:00", "2011-12-31T19:00:00"])
  }

  @Test("Hours and minutes are elapsed time")
  func hours() throws {
    #expect(
      try occurrences(CivilPeriod(hours: 24), from: "2026-10-24T19:00", [0, 1, 2])
        == ["2026-10-24T19:00:00", "2026-10-25T18:00:00", "2026-10-26T18:00:00"])
    #expect(
      try occurrences(CivilPeriod(minutes: 90), from: "2026-03-29T01:00", [1, 2]) == [
        "2026-03-29T03:30:00", "2026-03-29T05:00:00",
      ])
    #expect(
      try occurrences(CivilPeriod(days: 1, hours: 2), from: "2026-10-24T19:00", [1, 2]) == [
        "2026-10-25T21:00:00", "2026-10-26T23:00:00",
      ])
  }

  @Test("The start is the first occurrence, also in the second half of an overlap")
  func start() throws {
    let period = try #require(CivilPeriod(days: 1))
    let start = Instant(seconds: 1_792_891_800, nanosecond: 5)
    #expect("\(berlin.civilTime(at: start))" == "2026-10-25T02:30:00.000000005")
    #expect(period.occurrence(0, from: start, in: berlin) == start)
    let hourly = try #require(CivilPeriod(hours: 1))
    #expect(hourly.occurrence(1, from: start, in: berlin) == start.advanced(by: .seconds(3_600)))
    let next = try #require(period.next(after: start.advanced(by: .nanoseconds(-1)), from: start, in: berlin))
    #expect(next == (0, start))
    #expect(
      try #require(period.next(after: start, from: start, in: berlin)).instant
        == Instant(seconds: 1_792_978_200, nanosecond: 5))
  }

  @Test("Occurrences after the year 2262 do not exist, whatever their number")
  func limits() throws {
    let start = Instant(seconds: 0)
    for period in [
      CivilPeriod(months: 120_000), CivilPeriod(weeks: 522_000), CivilPeriod(days: 3_653_000),
      CivilPeriod(hours: 87_672_000),
      CivilPeriod(minutes: 5_260_320_000), CivilPeriod(months: 1, minutes: 1),
    ] {
      let period = try #require(period)
      for number in [4_000, Int(Int32.max), Int.max] {
        #expect(period.occurrence(number, from: start, in: berlin) == nil)
      }
    }
    let daily = try #require(CivilPeriod(days: 1))
    #expect(daily.next(after: .distantFuture, from: start, in: berlin) == nil)
    let last = daily.next(after: Instant.distantFuture.advanced(by: .seconds(-86_400)), from: start, in: berlin)
    #expect(last?.number == 106_752 && last?.instant.description == "2262-04-11T23:00:00Z")
  }

  @Test("A negative number traps") func negative() async {
    await #expect(processExitsWith: .failure) {
      _ = CivilPeriod(days: 1)!.occurrence(-1, from: Instant(seconds: 0), in: .utc)
    }
  }

  @Test(
    "The next occurrence is the first one that is later",
    arguments: ["Europe/Berlin", "America/Nuuk", "Pacific/Apia", "Australia/Lord_Howe", "UTC"])
  func next(_ name: String) throws {
    let rules = zone(name)
    for period in [
      CivilPeriod(minutes: 5), CivilPeriod(hours: 7), CivilPeriod(days: 1), CivilPeriod(weeks: 5),
      CivilPeriod(months: 1),
      CivilPeriod(months: 1, weeks: 1, days: 1, hours: 1, minutes: 1),
    ] {
      let period = try #require(period)
      let start = Instant(seconds: 1_325_000_000)
      for number in 0..<20 {
        let occurrence = try #require(period.occurrence(number, from: start, in: rules))
        #expect(period.next(after: occurrence, from: start, in: rules)?.number == number + 1)
      }
      var number = 0
      for offset in stride(from: -1 as Int64, to: 20_000_000, by: 86_213) {
        let now = Instant(seconds: 1_325_000_000 + offset)
        // The numbers only increase, so the slow search continues from the last one.
        while let occurrence = period.occurrence(number, from: start, in: rules), occurrence <= now { number += 1 }
        let found = try #require(period.next(after: now, from: start, in: rules))
        #expect(found.number == number && found.instant == period.occurrence(number, from: start, in: rules))
      }
    }
  }
}
