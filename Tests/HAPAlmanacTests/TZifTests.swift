import Testing

@testable import HAPAlmanac

@Suite("Files of time zones") struct TZifTests {
  private static let summer = LocalTimeType(offset: 7200, abbreviation: "CEST")
  private static let winter = LocalTimeType(offset: 3600, abbreviation: "CET")

  private func error(_ file: TZifFile) -> TZifError? { error(file.bytes) }

  private func error(_ bytes: [UInt8]) -> TZifError? {
    do {
      _ = try ZoneRules(tzif: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("Version 1 and all later versions are read", arguments: [0, 0x32, 0x33, 0x34, 0x35, 0x39] as [UInt8])
  func versions(_ version: UInt8) throws {
    let rules = try ZoneRules(tzif: TZifFile(version: version).bytes)
    #expect(rules.type(at: Instant(seconds: 999)) == Self.winter)
    #expect(rules.type(at: Instant(seconds: 1_000)) == Self.summer)
    #expect(rules.type(at: Instant(seconds: 1_999)) == Self.summer)
    #expect(rules.type(at: Instant(seconds: 2_000)) == Self.winter)
    #expect((rules.footer == nil) == (version == 0))
  }

  @Test("Times of version 1 have 32 bits with a sign, those of later versions 64")
  func timeSizes() throws {
    let times = [Int(Int32.min), Int(Int32.max)]
    #expect(try ZoneRules(tzif: TZifFile(version: 0, times: times).bytes).times == times)
    let longTimes = [Int.min, Int.max]
    #expect(try ZoneRules(tzif: TZifFile(times: longTimes).bytes).times == longTimes)
  }

  @Test("A later version is read from its second block, whatever the first one contains")
  func firstBlock() throws {
    var first = TZifFile(times: [5], transitionTypes: [99], types: [(Int32.min, 7, 200)], designations: [])
    first.leapSeconds = [1]
    let file = first.block(timeSize: 4) + TZifFile().block(timeSize: 8) + Array("\nCET-1\n".utf8)
    #expect(try ZoneRules(tzif: file) == ZoneRules(tzif: TZifFile().bytes))
  }

  @Test("Without a rule, the last type stays in effect. Bytes after the rule are ignored")
  func footers() throws {
    let rules = try ZoneRules(tzif: TZifFile(times: [1_000], transitionTypes: [1], footer: "\n\n").bytes)
    #expect(rules.footer == nil)
    #expect(rules.type(at: .distantFuture) == Self.summer)
    #expect(rules.nextTransition(after: Instant(seconds: 1_000)) == nil)
    #expect(try ZoneRules(tzif: TZifFile(footer: "\nCET-1\nmore").bytes) == ZoneRules(tzif: TZifFile().bytes))
  }

  @Test("A file without a table and with a rule has the rule at all times")
  func ruleOnly() throws {
    let rules = try ZoneRules(tzif: TZifFile(times: [], transitionTypes: [], footer: "\n<-03>3\n").bytes)
    for instant in [Instant.distantPast, Instant(seconds: 0), .distantFuture] {
      #expect(rules.type(at: instant) == LocalTimeType(offset: -10_800, abbreviation: "-03"))
    }
  }

  @Test("If the rule has another type at the end of the table, the last type stays in effect until the rule changes it")
  func inconsistentRule() throws {
    // 2022-10-30T08:00Z, within the daylight-saving time of the rule, which ends on 2022-11-06.
    let file = TZifFile(
      times: [1_667_116_800], transitionTypes: [0], types: [(-21_600, 0, 0)], designations: Array("CST\0".utf8),
      footer: "\nCST6CDT,M3.2.0,M11.1.0\n")
    let rules = try ZoneRules(tzif: file.bytes)
    #expect(rules.type(at: Instant(seconds: 1_667_116_800)).abbreviation == "CST")
    #expect(rules.type(at: Instant(seconds: 1_667_500_000)).abbreviation == "CST")
    let next = try #require(rules.nextTransition(after: Instant(seconds: 1_667_116_800)))
    #expect("\(next.instant)" == "2023-03-12T08:00:00Z")
    #expect(next.after.abbreviation == "CDT")
    let fixed = TZifFile(times: [1_000], transitionTypes: [1], footer: "\nEET-2\n")
    #expect(try ZoneRules(tzif: fixed.bytes).type(at: .distantFuture) == Self.summer)
  }

  @Test("A table may end outside of the range of instants", arguments: [Int.min, -(1 << 59), 1 << 59, Int.max])
  func farTimes(_ time: Int) throws {
    let rules = try ZoneRules(
      tzif: TZifFile(times: [time], transitionTypes: [1], footer: "\nCET-1CEST,M3.5.0,M10.5.0/3\n").bytes)
    let instant = Instant(seconds: 1_792_890_000)
    #expect(rules.type(at: instant).abbreviation == "CET")
    #expect((rules.nextTransition(after: instant) == nil) == (time > 0))
    #expect(
      rules.resolve(try CivilTime("2026-06-01T12:00"))
        == .once(Instant(seconds: time > 0 ? 1_780_311_600 : 1_780_308_000)))
  }

  @Test("Entries of the table that change nothing are no transitions")
  func idleEntries() throws {
    let file = TZifFile(times: [1_000, 1_500, 2_000, 2_500], transitionTypes: [1, 1, 0, 0])
    let rules = try ZoneRules(tzif: file.bytes)
    let first = try #require(rules.nextTransition(after: .distantPast))
    let second = try #require(rules.nextTransition(after: first.instant))
    #expect([first, second].map(\.instant.seconds) == [1_000, 2_000])
    #expect(rules.nextTransition(after: second.instant) == nil)
    #expect(rules.nextTransition(after: Instant(seconds: 999, nanosecond: 999_999_999)) == first)
  }

  @Test("Anything without the first four bytes of the format is refused")
  func magic() {
    for bytes in [[], Array("TZi".utf8), Array("TZIF2".utf8), [UInt8](repeating: 0, count: 100)] {
      #expect(error(bytes) == .notTZif(at: 0))
    }
    var second = TZifFile().bytes
    second[TZifFile.second] = 0
    #expect(error(second) == .notTZif(at: TZifFile.second))
  }

  @Test("Unknown versions are refused", arguments: [1, 0x30, 0x31, 0x3A, 0xFF] as [UInt8])
  func unknownVersions(_ version: UInt8) { #expect(error(TZifFile(version: version)) == .unknownVersion(version)) }

  @Test("A file that ends too early is refused, with the place of the incomplete part")
  func truncated() {
    let bytes = TZifFile().bytes
    #expect(error(Array(bytes.prefix(4))) == .truncated(at: 4))
    #expect(error(Array(bytes.prefix(19))) == .truncated(at: 5))
    #expect(error(Array(bytes.prefix(43))) == .truncated(at: 40))
    #expect(error(Array(bytes.prefix(50))) == .truncated(at: 44))
    #expect(error(Array(bytes.prefix(51))) == .notTZif(at: 51))
    #expect(error(Array(bytes.prefix(100))) == .truncated(at: 95))
    #expect(error(TZifFile(counts: [3: .max])) == .truncated(at: 95))
    #expect(error(TZifFile(version: 0, counts: [4: .max])) == .truncated(at: 44))
    #expect(error([UInt8](repeating: 0, count: 1 << 18 + 1)) == .tooLong(1 << 18 + 1))
  }

  @Test("Zones that count leap seconds are refused")
  func leapSeconds() {
    #expect(error(TZifFile(leapSeconds: [78_796_800])) == .leapSeconds)
    #expect(error(TZifFile(version: 0, leapSeconds: [78_796_800])) == .leapSeconds)
  }

  /// Files that break a rule, with the offset of the faulty part in the second block.
  static let broken: [(TZifFile, TZifRule, Int)] = [
    (TZifFile(types: []), .typeCount, 36),
    (TZifFile(designations: []), .designationCount, 40),
    (TZifFile(utIndicators: [0]), .indicatorCount, 20),
    (TZifFile(standardIndicators: [0, 0, 0]), .indicatorCount, 24),
    (TZifFile(times: [1_000, 1_000]), .transitionOrder, 52),
    (TZifFile(times: [1_000, 999]), .transitionOrder, 52),
    (TZifFile(transitionTypes: [0, 2]), .transitionType, 61),
    (TZifFile(types: [(93_600, 0, 0), (0, 0, 0)]), .offset, 62),
    (TZifFile(types: [(0, 0, 0), (-90_000, 0, 0)]), .offset, 68),
    (TZifFile(types: [(0, 0, 0), (Int32.min, 0, 0)]), .offset, 68),
    (TZifFile(types: [(0, 2, 0), (0, 0, 0)]), .daylightFlag, 66),
    (TZifFile(types: [(0, 0xFF, 0), (0, 0, 0)]), .daylightFlag, 66),
    (TZifFile(types: [(0, 0, 9), (0, 0, 0)]), .designation, 67),
    (TZifFile(types: [(0, 0, 0xFF), (0, 0, 0)]), .designation, 67),
    (TZifFile(designations: Array("CET\0CEST".utf8)), .designation, 73),
    (TZifFile(designations: Array("CE\u{7F}\0CEST\0".utf8)), .designation, 67),
    (TZifFile(designations: Array("CET\0CÉ\0\0".utf8)), .designation, 73),
    (TZifFile(footer: ""), .footerFrame, 83),
    (TZifFile(footer: "CET-1\n"), .footerFrame, 83),
    (TZifFile(footer: "\nCET-1"), .footerFrame, 83),
    (TZifFile(footer: "\n"), .footerFrame, 83),
  ]

  @Test("A file that breaks a rule is refused, with the place", arguments: broken.indices)
  func rules(_ index: Int) {
    let (file, rule, offset) = Self.broken[index]
    #expect(error(file) == .broken(rule, at: TZifFile.second + offset))
  }

  @Test("For each rule of the format, one of the test files breaks it") func allRules() {
    #expect(Set(Self.broken.map(\.1)) == Set(TZifRule.allCases))
  }

  @Test("The limits of offsets are valid", arguments: [-89_999, 93_599] as [Int32])
  func offsets(_ offset: Int32) throws {
    let rules = try ZoneRules(tzif: TZifFile(types: [(offset, 0, 0), (offset, 1, 4)], footer: "\n\n").bytes)
    let time = try CivilTime("2026-06-01T12:00")
    #expect(rules.resolve(time) == .once(Instant(seconds: 1_780_315_200 - Int64(offset))))
    #expect(rules.civilTime(at: .distantPast) < rules.civilTime(at: .distantFuture))
  }

  @Test("A malformed rule at the end is refused, with the part that was expected")
  func malformedFooter() {
    let expected = PosixRuleError(expected: .offset, position: 3)
    #expect(error(TZifFile(footer: "\nCET\n")) == .footer(expected))
  }

  @Test("Errors name the broken rule and its place")
  func descriptions() {
    for (error, text) in [
      (.notTZif(at: 51), "there is no header of a time zone at byte 51"),
      (.unknownVersion(1), "the version 1 of the file is unknown"),
      (.tooLong(300_000), "a file of 300000 bytes is too long for a time zone"),
      (.truncated(at: 44), "the file ends within the part that starts at byte 44"),
      (.leapSeconds, "the zone counts leap seconds; use the zone without \"right/\" in its name"),
      (.broken(.transitionOrder, at: 52), "a transition is not later than the one before (byte 52)"),
      (
        .footer(PosixRuleError(expected: .date, position: 9)),
        "the rule at the end of the file is malformed: at byte 9, the rule needs a date: J1 to J365, 0 to 365, or M1.1.0 to M12.5.6"
      ),
    ] as [(TZifError, String)] {
      #expect(error.description == text)
    }
  }
}
