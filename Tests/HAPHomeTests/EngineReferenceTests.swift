import HAPAlmanac
import HAPModel
import HAPTestSupport
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: a year against a reference")
struct EngineReferenceTests {
  private static let newYork = ZoneName("America/New_York")!
  /// 2026-01-01T00:00Z and a year later, in minutes since 1970.
  private static let year = 29_453_760..<29_979_360

  struct Place: CustomTestStringConvertible, Sendable {
    let zone: String, latitude: Double, longitude: Double
    var testDescription: String { "\(zone), latitude \(latitude)" }
  }

  private static let places = [
    Place(zone: "Europe/Berlin", latitude: 52.52, longitude: 13.405),
    Place(zone: "America/New_York", latitude: 40.71, longitude: -74.01),
    Place(zone: "Australia/Lord_Howe", latitude: -31.55, longitude: 159.08),
    // Beyond the polar circles: Longyearbyen has Berlin's time, and Troll sets its clock by two hours.
    Place(zone: "Europe/Berlin", latitude: 78.22, longitude: 15.63),
    Place(zone: "Antarctica/Troll", latitude: -72.01, longitude: 2.53),
  ]

  @Test("Each evaluation of a year is that of a reference that looks at each minute", arguments: places)
  func year(_ place: Place) throws {
    var generator = SeededGenerator(seed: UInt64(abs(place.latitude) * 100))
    let zone = try #require(TestZones.zone(place.zone))
    let location = try #require(Coordinate(latitude: place.latitude, longitude: place.longitude))
    let triggers = Self.triggers(zone.rules, &generator)
    let inputs = Self.inputs(&generator)

    var bench = EngineBench(triggers, zone: place.zone, location: location, at: "2026-01-01T12:00")
    let first = Int(bench.now.seconds) / 60 + 1
    let later = inputs.filter { $0.second / 60 >= first }
    // The clocks begin some days earlier, so that they know what the clock showed before.
    let minutes = Self.year.lowerBound - 5000..<Self.year.upperBound
    let clock = ReferenceClock(zone, minutes: minutes)
    let others = [Self.newYork: ReferenceClock(TestZones.zone("America/New_York")!, minutes: minutes)]
    var reference = ReferenceEngine(
      triggers, clock, others: others, zone: zone.rules, place: location, values: bench.world)
    reference.run(later, from: first)

    for (second, input) in later {
      bench.run(until: Instant(seconds: Int64(second)))
      switch input {
      case .value(let id, let value): bench.set(id, value)
      case .silent(let id, let value):
        bench.world[id] = value ?? bench.world[id]
        if value == nil { bench.unreachable.insert(id) } else { bench.unreachable.remove(id) }
      case .person(let user, let isHome): bench.person(user, isHome ? .home : .away)
      }
    }
    bench.run(until: Instant(seconds: Int64(Self.year.upperBound * 60 - 1)))

    let expected = reference.results.sorted()
    let actual = bench.explained.compactMap(Self.result).sorted()
    #expect(actual.count == expected.count)
    for (actual, expected) in zip(actual, expected) where actual != expected {
      Issue.record("\(actual) instead of \(expected)")
      return
    }
    // All verdicts and all triggers have to occur. On some days, the sun does not rise.
    for trigger in triggers { #expect(expected.contains { $0.trigger == trigger.id }, "\(trigger.id)") }
    #expect(Set(expected.map(\.verdict)).count >= 4)
    #expect(expected.count > 5000)
  }

  private static func result(_ evaluation: Evaluation) -> ReferenceEngine.Result? {
    let verdict: ReferenceEngine.Verdict? =
      switch evaluation.outcome {
      case .executed: .executed
      case .conditionFalse: .conditionFalse
      case .conditionUnknown: .conditionUnknown
      case .otherWeekday: .weekday
      case .ended: .ended
      case .executing, .ending: nil
      default: nil
      }
    return verdict.map { .init(second: Int(evaluation.time.seconds), trigger: evaluation.trigger, verdict: $0) }
  }

  // MARK: The home

  private static func triggers(_ zone: ZoneRules, _ generator: inout SeededGenerator) -> [Trigger] {
    func timer(_ time: String, _ period: CivilPeriod?, zone own: ZoneName? = nil) -> Trigger.Kind {
      .timer(TimerTrigger(fireDate: zone.instant(of: try! CivilTime(time)), recurrence: period, zone: own))
    }
    let night = try! DateParts(hour: 2, minute: 30)
    let sunrise = SunMoment(.sunrise)!, evening = SunMoment(.sunset, offset: -1800)!
    let kinds: [(events: [HomeEvent], endEvents: [HomeEvent])] = [
      ([.calendar(night)], []), ([.calendar(try! DateParts(minute: 15))], []),
      ([.calendar(try! DateParts(weekday: .sunday))], []), ([.calendar(try! DateParts(day: 31, hour: 0))], []),
      ([.sun(evening)], []), ([.sun(sunrise), .calendar(.hour(7))], []),
      ([.characteristic(.lock, equals: 0)], [.duration(seconds: 5400)]),
      ([.characteristic(.motion, equals: nil), .presence(PresenceEvent(.lastExit, of: .homeUsers))], []),
      ([.threshold(.temperature, ThresholdRange(min: nil, max: 18)!)], []),
      ([.presence(PresenceEvent(.firstEntry, of: .homeUsers))], []),
      ([.presence(PresenceEvent(.everyEntry, of: .currentUser))], []),
      ([.presence(PresenceEvent(.everyExit, of: .users([.ben, .carl])))], []),
    ]
    let timers = [
      timer("2026-01-02T02:30", CivilPeriod(days: 1)), timer("2026-01-31T02:15", CivilPeriod(months: 1)),
      timer("2026-01-02T02:10", CivilPeriod(hours: 7)), timer("2026-01-04T08:30", CivilPeriod(weeks: 1), zone: newYork),
      timer("2026-01-02T01:45", CivilPeriod(days: 2, hours: 3)), timer("2026-06-01T12:00", nil),
    ]
    let events = kinds.map { kind in
      let weekdays = Weekday.allCases.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
      return Trigger.Kind.event(
        EventTrigger(
          events: kind.events, endEvents: kind.endEvents, weekdays: Bool.random(using: &generator) ? [] : Set(weekdays),
          condition: Int.random(in: 0..<5, using: &generator) == 0 ? nil : condition(depth: 3, &generator)))
    }
    return (timers + events).enumerated().map { .test($0, $1) }
  }

  private static func condition(depth: Int, _ generator: inout SeededGenerator) -> Condition {
    let choice = Int.random(in: depth == 0 ? 3..<12 : 0..<12, using: &generator)
    func parts() -> [Condition] {
      (0..<Int.random(in: 1...3, using: &generator)).map { _ in condition(depth: depth - 1, &generator) }
    }
    func moment() -> SunMoment {
      SunMoment(
        Bool.random(using: &generator) ? .sunrise : .sunset, offset: Int.random(in: -7200...7200, using: &generator))!
    }
    func time() -> DateParts {
      try! DateParts(
        hour: Int.random(in: 0...23, using: &generator),
        minute: Bool.random(using: &generator) ? nil : Int.random(in: 0...59, using: &generator))
    }
    switch choice {
    case 0: return .all(parts())
    case 1: return .any(parts())
    case 2: return .not(condition(depth: depth - 1, &generator))
    case 3: return .characteristic(.lock, Comparison.allCases.randomElement(using: &generator)!, 1)
    case 4: return .characteristic(.temperature, Comparison.allCases.randomElement(using: &generator)!, 20)
    case 5: return .characteristic(.window, .equal, true)
    case 6: return .time(.before(time()))
    case 7: return .time(.between(time(), time()))
    case 8: return .time(.on(try! DateParts(weekday: Weekday.allCases.randomElement(using: &generator)!)))
    case 9: return Bool.random(using: &generator) ? .sun(.before(moment())) : .sun(.after(moment()))
    case 10: return .sun(.between(moment(), moment()))
    default:
      let kind = Bool.random(using: &generator) ? PresenceEvent.Kind.firstEntry : .lastExit
      return .presence(PresenceEvent(kind, of: .users(Bool.random(using: &generator) ? [.anna] : [.ben, .carl])))
    }
  }

  /// Changes at odd seconds, about every 40 minutes.
  private static func inputs(_ generator: inout SeededGenerator) -> [(second: Int, input: ReferenceEngine.Input)] {
    var inputs: [(second: Int, input: ReferenceEngine.Input)] = []
    var second = year.lowerBound * 60 + 1
    while second < year.upperBound * 60 {
      let input: ReferenceEngine.Input
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: input = .value(.motion, .bool(Bool.random(using: &generator)))
      case 1, 2: input = .value(.lock, .integer(Int128.random(in: 0...2, using: &generator)))
      case 3, 4: input = .value(.temperature, .float(Double(Int.random(in: 160...230, using: &generator)) / 10))
      case 5:
        let isKnown = Int.random(in: 0..<3, using: &generator) > 0
        input = .silent(.window, isKnown ? .bool(Bool.random(using: &generator)) : nil)
      default:
        let user = [HomeObjectID.anna, .ben, .carl].randomElement(using: &generator)!
        input = .person(user, isHome: Bool.random(using: &generator))
      }
      inputs.append((second, input))
      second += 2 * Int.random(in: 1...2400, using: &generator)
    }
    return inputs
  }
}
