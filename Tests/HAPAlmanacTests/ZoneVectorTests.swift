import Testing

@testable import HAPAlmanac

/// The vectors of `Tests/Vectors/almanac/zones.json`.
@Suite("Zones against Python's zoneinfo") struct ZoneVectorTests {
  @Test("The transitions until 2100 are those of Python", arguments: ZoneVector.all)
  func transitions(_ vector: ZoneVector) throws {
    let rules = try vector.rules
    var instant = Instant(seconds: 0)
    var found = [(0, rules.type(at: instant))]
    while let next = rules.nextTransition(after: instant), next.instant.seconds < ZoneVector.end {
      #expect(next.before == found.last?.1 && next.before != next.after)
      found.append((Int(next.instant.seconds), next.after))
      instant = next.instant
    }
    #expect(found.map(\.0) == vector.changes.map(\.seconds))
    #expect(found.map(\.1) == vector.changes.map(\.type))
  }

  @Test("The type before, at and long after each transition is that of Python", arguments: ZoneVector.all)
  func types(_ vector: ZoneVector) throws {
    let rules = try vector.rules
    let ends = vector.changes.dropFirst().map(\.seconds) + [ZoneVector.end]
    for ((start, type), end) in zip(vector.changes, ends) {
      for seconds in [start, start + 1, (start + end) / 2, end - 1] {
        #expect(rules.type(at: Instant(seconds: Int64(seconds))) == type, "\(seconds)")
        #expect(rules.type(at: Instant(seconds: Int64(seconds), nanosecond: 999_999_999)) == type, "\(seconds)")
      }
    }
  }

  @Test("Civil times around each transition are found, skipped or repeated", arguments: ZoneVector.all)
  func civilTimes(_ vector: ZoneVector) throws {
    let rules = try vector.rules
    for (before, after) in zip(vector.changes, vector.changes.dropFirst()) {
      let (old, new) = (after.seconds + before.type.offset, after.seconds + after.type.offset)
      let end = Instant(seconds: Int64(after.seconds))
      for civil in [min(old, new), (old + new) / 2, max(old, new) - 1] where old != new {
        let time = CivilTime(of: Instant(seconds: Int64(civil)), offset: 0)
        if old < new {
          #expect(rules.resolve(time) == .skipped(at: end), "\(time)")
        } else {
          let first = Instant(seconds: Int64(civil - before.type.offset))
          let last = Instant(seconds: Int64(civil - after.type.offset))
          #expect(rules.resolve(time) == .repeated(first: first, last: last), "\(time)")
        }
      }
      for (civil, offset) in [(min(old, new) - 1, before.type.offset), (max(old, new), after.type.offset)] {
        let time = CivilTime(of: Instant(seconds: Int64(civil)), offset: 0)
        #expect(rules.resolve(time) == .once(Instant(seconds: Int64(civil - offset))), "\(time)")
      }
    }
  }

  @Test("The civil time of an instant leads back to it", arguments: ZoneVector.all)
  func instants(_ vector: ZoneVector) throws {
    let rules = try vector.rules
    for seconds in stride(from: -9_000_000_000 as Int64, to: 9_000_000_000, by: 12_345_677) {
      let instant = Instant(seconds: seconds, nanosecond: 17)
      switch rules.resolve(rules.civilTime(at: instant)) {
      case .once(let found): #expect(found == instant)
      case .repeated(let first, let last): #expect([first, last].contains(instant))
      case .skipped: Issue.record("\(instant) is skipped")
      }
    }
  }

  @Test("A file without its last bytes is refused", arguments: ZoneVector.all)
  func shorterFiles(_ vector: ZoneVector) {
    for count in 0..<vector.file.count {
      #expect(throws: TZifError.self) { try ZoneRules(tzif: Array(vector.file.prefix(count))) }
    }
  }

  @Test("A day that was left out leads to the day after it")
  func skippedDay() throws {
    let apia = zone("Pacific/Apia")
    let noon = try CivilTime("2011-12-30T12:00")
    let midnight = apia.instant(of: try CivilTime("2011-12-31T00:00"))
    #expect(apia.resolve(noon) == .skipped(at: midnight))
    #expect("\(midnight)" == "2011-12-30T10:00:00Z")
  }
}
