import Testing

@testable import HAPAlmanac

@Suite("Gap and overlap") struct CivilResolutionTests {
  private func time(_ text: String) throws -> CivilTime { try CivilTime(text) }

  private func instant(_ text: String) throws -> Instant { ZoneRules.utc.instant(of: try CivilTime(text)) }

  @Test("A civil time that does not exist leads to the end of the gap, without its fraction of a second")
  func gap() throws {
    let berlin = zone("Europe/Berlin")
    let end = try instant("2026-03-29T01:00")
    for text in ["2026-03-29T02:00", "2026-03-29T02:30:00.5", "2026-03-29T02:59:59.999999999"] {
      #expect(berlin.resolve(try time(text)) == .skipped(at: end))
      #expect(berlin.instant(of: try time(text)) == end)
    }
    #expect(berlin.resolve(try time("2026-03-29T03:00")) == .once(end))
    let before = try instant("2026-03-29T00:59:59.999999999")
    #expect(berlin.resolve(try time("2026-03-29T01:59:59.999999999")) == .once(before))
  }

  @Test("A civil time that exists twice leads to the first instant")
  func overlap() throws {
    let berlin = zone("Europe/Berlin")
    for (civil, first, last) in [
      ("2026-10-25T02:00", "2026-10-25T00:00", "2026-10-25T01:00"),
      ("2026-10-25T02:59:59.5", "2026-10-25T00:59:59.5", "2026-10-25T01:59:59.5"),
    ] {
      let expected = CivilResolution.repeated(first: try instant(first), last: try instant(last))
      #expect(berlin.resolve(try time(civil)) == expected)
      #expect(berlin.instant(of: try time(civil)) == (try instant(first)))
    }
    #expect(berlin.resolve(try time("2026-10-25T01:59:59")) == .once(try instant("2026-10-24T23:59:59")))
    #expect(berlin.resolve(try time("2026-10-25T03:00")) == .once(try instant("2026-10-25T02:00")))
  }

  @Test("Gaps at midnight, of half an hour, of two hours, and of a day")
  func otherGaps() throws {
    for (name, civil, end) in [
      ("America/Sao_Paulo", "2018-11-04T00:30", "2018-11-04T03:00"),
      ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30"),
      ("Antarctica/Troll", "2026-03-29T02:30", "2026-03-29T01:00"),
      ("Pacific/Kwajalein", "1993-08-21T12:00", "1993-08-21T12:00"),
      ("America/Nuuk", "2026-03-28T23:30", "2026-03-29T01:00"),
    ] {
      #expect(zone(name).resolve(try time(civil)) == .skipped(at: try instant(end)), "\(name)")
    }
  }

  @Test("A time that is skipped first and shown later exists")
  func skippedThenShown() throws {
    // The clock is set ahead by an hour at 100000, and back at 100600. Of the skipped hour, it shows 50 minutes later.
    let file = TZifFile(
      times: [100_000, 100_600], transitionTypes: [1, 0], types: [(0, 0, 0), (3_600, 0, 0)], footer: "\n\n")
    let rules = try ZoneRules(tzif: file.bytes)
    func resolve(_ seconds: Int64) -> CivilResolution {
      rules.resolve(CivilTime(of: Instant(seconds: seconds), offset: 0))
    }
    #expect(resolve(100_599) == .skipped(at: Instant(seconds: 100_000)))
    #expect(resolve(100_600) == .once(Instant(seconds: 100_600)))
    #expect(resolve(103_599) == .once(Instant(seconds: 103_599)))
    #expect(resolve(103_600) == .repeated(first: Instant(seconds: 100_000), last: Instant(seconds: 103_600)))
  }

  @Test("A time in the second of two gaps leads to the end of that gap")
  func twoGaps() throws {
    let file = TZifFile(
      times: [100_000, 100_600], transitionTypes: [1, 2], types: [(0, 0, 0), (1_800, 0, 0), (5_400, 0, 0)],
      footer: "\n\n")
    let rules = try ZoneRules(tzif: file.bytes)
    func resolve(_ seconds: Int64) -> CivilResolution {
      rules.resolve(CivilTime(of: Instant(seconds: seconds), offset: 0))
    }
    #expect(resolve(101_799) == .skipped(at: Instant(seconds: 100_000)))
    #expect(resolve(102_399) == .once(Instant(seconds: 100_599)))
    #expect(resolve(102_400) == .skipped(at: Instant(seconds: 100_600)))
    #expect(resolve(105_999) == .skipped(at: Instant(seconds: 100_600)))
  }

  @Test("Changes of a rule that reach into the neighbouring year are found")
  func neighbouringYears() throws {
    // The start of 2027 is on 2026-12-28, the end of 2026 on 2027-01-07.
    let early = try ZoneRules(posix: "AAA0BBB,M1.1.1/-167,M7.1.1")
    #expect(early.resolve(try time("2026-12-28T01:30")) == .skipped(at: try instant("2026-12-28T01:00")))
    let late = try ZoneRules(posix: "AAA0BBB,M7.1.1,365/167")
    let repeated = CivilResolution.repeated(
      first: try instant("2027-01-07T21:30"), last: try instant("2027-01-07T22:30"))
    #expect(late.resolve(try time("2027-01-07T22:30")) == repeated)
  }

  @Test("Of a time that exists three times, the first and the last instant are returned")
  func threeTimes() throws {
    let file = TZifFile(
      times: [100_000, 101_000], transitionTypes: [1, 2], types: [(0, 0, 0), (-1_800, 0, 0), (-3_600, 0, 0)],
      footer: "\n\n")
    let rules = try ZoneRules(tzif: file.bytes)
    let resolution = rules.resolve(CivilTime(of: Instant(seconds: 98_500), offset: 0))
    #expect(resolution == .repeated(first: Instant(seconds: 98_500), last: Instant(seconds: 102_100)))
  }

  @Test("Civil times outside of the range of instants give the first or last one")
  func limits() throws {
    for name in ["Europe/Berlin", "America/Los_Angeles", "UTC"] {
      #expect(zone(name).instant(of: try time("0001-01-01T00:00")) == .distantPast)
      #expect(zone(name).instant(of: try time("9999-12-31T23:59:59.999999999")) == .distantFuture)
    }
    #expect(ZoneRules.utc.resolve(try time("2262-04-11T23:47:16.854775808")) == .once(.distantFuture))
  }
}

@Suite("Names of zones") struct ZoneNameTests {
  @Test(
    "Names of the database are valid",
    arguments: [
      "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "Etc/GMT-14", "America/Port-au-Prince",
      "EST5EDT",
    ])
  func valid(_ text: String) throws { #expect(try #require(ZoneName(text)).text == text) }

  @Test(
    "Names that could lead out of the folder of the zones, or that no zone has, are refused",
    arguments: [
      "", "/", "/etc/passwd", "..", "../UTC", "Europe/../../x", "Europe//Berlin", "Europe/", "Europe/.", "a.b",
      "zone.tab", "Europe/Berlin\0",
      "Europe\\Berlin", "Europe/Bérlin", "Europe Berlin", "~", "$HOME", String(repeating: "a", count: 256),
    ])
  func invalid(_ text: String) { #expect(ZoneName(text) == nil) }

  @Test("The longest name has 255 bytes") func longest() {
    #expect(ZoneName(String(repeating: "a", count: 255)) != nil)
  }

  @Test("A zone is read by its name") func found() throws {
    let berlin = try #require(ZoneName("Europe/Berlin"))
    let vector = try #require(ZoneVector.all.first { $0.name == "Europe/Berlin" })
    let rules = try ZoneRules(berlin) { $0 == berlin ? vector.file : nil }
    #expect(rules == zone("Europe/Berlin"))
  }

  @Test("Without the data of zones, only UTC is available, and the error names the missing package")
  func noData() throws {
    #expect(try ZoneRules(.utc) { _ in nil } == .utc)
    let berlin = try #require(ZoneName("Europe/Berlin"))
    let error = #expect(throws: ZoneError.noData(berlin)) { try ZoneRules(berlin) { _ in nil } }
    #expect(error?.description.contains("install the package tzdata") == true)
  }

  @Test("A zone that is not in the data is unknown, and malformed data is reported with its reason")
  func refused() throws {
    let name = try #require(ZoneName("Europe/Berlni"))
    let data: (ZoneName) -> [UInt8]? = { $0 == .utc ? TZifFile().bytes : nil }
    let unknown = #expect(throws: ZoneError.unknown(name)) { try ZoneRules(name, read: data) }
    #expect(
      unknown?.description
        == "no time zone is named \"Europe/Berlni\"; names are those of the IANA database, such as Europe/Berlin")
    let malformed = #expect(throws: ZoneError.malformed(name, .notTZif(at: 0))) { try ZoneRules(name) { _ in [1, 2] } }
    #expect(
      malformed?.description
        == "the data of the time zone \"Europe/Berlni\" is malformed: there is no header of a time zone at byte 0")
    #expect(throws: ZoneError.malformed(.utc, .notTZif(at: 0))) { try ZoneRules(.utc) { _ in [] } }
  }

  @Test("Names are ordered by their bytes") func order() throws {
    let names = ["Zulu", "UTC", "Asia/Tokyo", "Asia/Seoul"].compactMap(ZoneName.init)
    #expect(names.sorted().map(\.text) == ["Asia/Seoul", "Asia/Tokyo", "UTC", "Zulu"])
  }
}
