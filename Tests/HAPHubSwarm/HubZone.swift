import HAPAlmanac
import HAPHome

/// A time zone of a swarm, twice: a rule for the engine, and a list of offsets for the checks.
struct HubZone {
  let name: ZoneName
  /// The rules for the engine.
  let rules: ZoneRules
  /// The seconds east of UTC from each time in 2026; the first one applies before, too.
  private let offsets: [(start: Int64, offset: Int64)]

  private init(_ name: String, _ rule: String, _ offsets: [(start: Int64, offset: Int64)]) {
    self.name = ZoneName(name)!
    do throws(PosixRuleError) { rules = try ZoneRules(posix: rule) } catch {
      preconditionFailure("the rule \(rule) is valid: \(error)")
    }
    self.offsets = offsets
  }

  /// The transitions of 2026 are those of Python's `zoneinfo` for the zones of the same name, as seconds from 1970.
  static let all = [
    HubZone("UTC", "UTC0", [(0, 0)]),
    HubZone(
      "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", [(0, 3600), (1_774_746_000, 7200), (1_792_890_000, 3600)]),
    HubZone(
      "America/Los_Angeles", "PST8PDT,M3.2.0,M11.1.0",
      [(0, -28_800), (1_772_964_000, -25_200), (1_793_523_600, -28_800)]),
    HubZone("Asia/Kathmandu", "<+0545>-5:45", [(0, 20_700)]),
    HubZone(
      "Australia/Lord_Howe", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
      [(0, 39_600), (1_775_314_800, 37_800), (1_791_041_400, 39_600)]),
  ]

  /// The changes of the offset.
  var transitions: [Instant] { offsets.dropFirst().map { Instant(seconds: $0.start) } }

  /// The seconds of the clock on the wall, as if 1970 had begun there.
  func local(_ instant: Instant) -> Int64 {
    instant.seconds + (offsets.last { $0.start <= instant.seconds } ?? offsets[0]).offset
  }

  func secondOfDay(_ instant: Instant) -> Int { Int(local(instant) % 86_400) }

  /// The day of the week: 1970-01-01 was a Thursday.
  func weekday(_ instant: Instant) -> Weekday { Weekday(rawValue: Int((local(instant) / 86_400 + 4) % 7) + 1)! }

  /// Returns the first time at which the clock shows these seconds, or the end of the gap that skips them.
  func instant(_ local: Int64) -> Instant {
    for (index, part) in offsets.enumerated() {
      let time = local - part.offset
      let end = index + 1 < offsets.count ? offsets[index + 1].start : .max
      if time >= end { continue }
      return Instant(seconds: max(time, index == 0 ? time : part.start))
    }
    preconditionFailure("the last offset has no end")
  }

  /// Returns the next time of a day after an instant.
  func next(secondOfDay: Int64, after instant: Instant) -> Instant {
    var day = local(instant) / 86_400 - 1
    while true {
      let time = self.instant(day * 86_400 + secondOfDay)
      if time > instant { return time }
      day += 1
    }
  }

  /// Returns the next full minute after an instant at which the clock shows a minute of any hour.
  func next(minute: Int, after instant: Instant) -> Instant {
    var time = (instant.seconds / 60 + 1) * 60
    while (local(Instant(seconds: time)) / 60) % 60 != minute { time += 60 }
    return Instant(seconds: time)
  }
}
