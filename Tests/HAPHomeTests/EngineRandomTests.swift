import HAPAlmanac
import HAPModel
import HAPTestSupport
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: random inputs")
struct EngineRandomTests {
  private static let characteristics: [HomeObjectID] = [
    .lock, .motion, .window, .temperature, .battery, .button, .text, .lampOn, .lampHue, .identify, .test(99),
  ]

  @Test("Foreign states, wrong values and any clock do no harm", arguments: 1...40)
  func anything(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var bench = EngineBench(Self.triggers(&generator), at: "2026-06-01T12:00", knowsValues: false)
    bench.states = Dictionary((0..<9).map { (.test(1000 + $0), Self.state(.test(1000 + $0), &generator)) }) { $1 }
    if seed % 2 == 0 { bench.uptime = .zero }
    bench.restart(knowsValues: false)
    for _ in 0..<150 {
      Self.step(&bench, &generator)
      // Deadlines are over only at the end of time, where a wait has no length.
      #expect(bench.engine.nextDeadline.map { $0 > bench.now || bench.now == .distantFuture } ?? true)
    }
    bench.answerHeld()
    for id in bench.model.homes[0].triggers.map(\.id) { #expect(bench.engine.evaluations(of: id).count <= 20) }
    #expect(bench.engine.deadlines.count < 200)
    expectOrder(bench.trace)
  }

  /// Checks that each execution was recorded before, and that lists of identifiers are ascending.
  private func expectOrder(_ trace: [EngineAction]) {
    var states: [HomeObjectID: TriggerState] = [:]
    for action in trace {
      switch action {
      case .record(let state, with: _, ticket: _):
        states[state.trigger] = state
        #expect(state.started.count <= 17)
        let ids = state.running?.values.map(\.characteristic) ?? []
        #expect(ids == ids.sorted())
      case .execute(let sets, let trigger, ticket: _):
        #expect(!sets.isEmpty && states[trigger]?.started.contains { !$0.isEnd } == true)
      case .restore(let writes, let trigger, ticket: _):
        #expect(!writes.isEmpty && states[trigger]?.started.contains { $0.isEnd } == true)
      case .read(let ids, ticket: _), .subscribe(let ids): #expect(ids == ids.sorted())
      case .recordPerson, .tell, .explain: break
      }
    }
  }

  // MARK: Steps

  private static func step(_ bench: inout EngineBench, _ generator: inout SeededGenerator) {
    switch Int.random(in: 0..<16, using: &generator) {
    case 0...5:
      bench.set(
        characteristics.randomElement(using: &generator)!, value(&generator),
        isCatchUp: Int.random(in: 0..<4, using: &generator) == 0)
    case 6, 7:
      let time = bench.now.advanced(by: .milliseconds(Int.random(in: 0...90_000, using: &generator)))
      bench.jump(to: time, isSleep: Bool.random(using: &generator))
    case 8: bench.jump(to: time(bench.now, &generator))
    case 9: bench.person(user(&generator), place(&generator))
    case 10: bench.engine.valuesLost(characteristics.filter { _ in Bool.random(using: &generator) })
    case 11:
      bench.engine.hubIs(on: Bool.random(using: &generator))
      bench.perform(bench.engine.fire(.test(1000 + Int.random(in: 0..<9, using: &generator)), by: user(&generator)))
    case 12:
      bench.holdsReads = Bool.random(using: &generator)
      bench.holdsRecords = Bool.random(using: &generator)
      bench.holdsScenes = Bool.random(using: &generator)
      bench.answerHeld()
    case 13: change(&bench, &generator)
    case 14: bench.restart(after: .seconds(Int.random(in: -90_000...90_000, using: &generator)))
    default: bench.unreachable = Set(characteristics.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
    }
  }

  private static func change(_ bench: inout EngineBench, _ generator: inout SeededGenerator) {
    let trigger = bench.model.homes[0].triggers.randomElement(using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bench.change(.locationChanged(Bool.random(using: &generator) ? nil : Home.berlin))
    case 1: bench.change(.timeZoneChanged(ZoneName(["Asia/Kathmandu", "No/Zone"].randomElement(using: &generator)!)!))
    case 2: bench.change(.actionsChanged(.hiHouse, [HomeAction(.lampOn, value(&generator))]))
    case 3: if let trigger { bench.update(trigger.id) { $0.isEnabled.toggle() } }
    case 4:
      guard let trigger else { return }
      let other = triggers(&generator).randomElement(using: &generator)!
      if case .event = other.kind, case .event = trigger.kind { bench.update(trigger.id) { $0.kind = other.kind } }
    default: if let trigger, bench.model.homes[0].triggers.count > 4 { bench.change(.triggerRemoved(trigger.id)) }
    }
  }

  // MARK: Random values

  private static func value(_ generator: inout SeededGenerator) -> Value {
    let values: [Value] = [
      .null, true, false, 0, 1, 2, 20.0, .float(-0.1), .float(.infinity), .float(.nan), .integer(.max), "", "a",
      .data([1]),
    ]
    return values.randomElement(using: &generator)!
  }

  private static func time(_ now: Instant, _ generator: inout SeededGenerator) -> Instant {
    [
      .distantPast, Instant(seconds: 0), now.advanced(by: .seconds(-3600)), now.advanced(by: .seconds(86_400)),
      now.advanced(by: .milliseconds(-500)), Instant(seconds: 1_780_318_800), Instant(seconds: 4_000_000_000),
      .distantFuture,
    ].randomElement(using: &generator)!
  }

  private static func user(_ generator: inout SeededGenerator) -> HomeObjectID {
    [.anna, .ben, .carl, .test(98)].randomElement(using: &generator)!
  }

  private static func place(_ generator: inout SeededGenerator) -> PersonState.Place {
    [.home, .away, .position(Home.berlin), .position(HomeBench.cupertino)].randomElement(using: &generator)!
  }

  private static func state(_ trigger: HomeObjectID, _ generator: inout SeededGenerator) -> TriggerState {
    var state = TriggerState(trigger)
    let now = Instant(seconds: 1_780_308_000)
    if Bool.random(using: &generator) { state.settled = time(now, &generator) }
    state.started = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
      .init(time: time(now, &generator), isEnd: Bool.random(using: &generator))
    }
    if Bool.random(using: &generator) {
      let values = characteristics.filter { _ in Bool.random(using: &generator) }.map {
        RestorableValue(
          $0, before: Bool.random(using: &generator) ? nil : value(&generator), written: value(&generator))
      }
      state.running = .init(
        values: values.sorted { $0.characteristic < $1.characteristic },
        end: Bool.random(using: &generator) ? nil : time(now, &generator))
    }
    return state
  }

  private static func triggers(_ generator: inout SeededGenerator) -> [Trigger] {
    let region = Region(centre: Home.berlin, radius: 1000)!
    let events: [HomeEvent] = [
      .characteristic(.lock, equals: 0), .characteristic(.text, equals: nil), .characteristic(.button, equals: nil),
      .threshold(.temperature, ThresholdRange(min: nil, max: 10)!), .calendar(try! DateParts(second: 30)),
      .sun(SunMoment(.sunset)!), .presence(PresenceEvent(.firstEntry, of: .homeUsers)),
      .location(region, onEntry: true, onExit: true), .characteristic(.test(99), equals: nil),
    ]
    let ends: [HomeEvent] = [
      .duration(seconds: 60), .characteristic(.motion, equals: true),
      .threshold(.battery, ThresholdRange(min: 50, max: nil)!),
    ]
    let leaves: [Condition] = [
      .characteristic(.window, .equal, true), .characteristic(.temperature, .less, 15), .unknown,
      .time(.after(.hour(12))), .sun(.before(SunMoment(.sunset)!)),
      .presence(PresenceEvent(.lastExit, of: .currentUser)),
    ]
    func some<T>(_ list: [T]) -> [T] { list.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 } }
    return (0..<8).map { number in
      let kind: Trigger.Kind =
        number == 0
        ? .timer(TimerTrigger(fireDate: Instant(seconds: 1_780_308_060), recurrence: CivilPeriod(minutes: 5)))
        : .event(
          EventTrigger(
            events: some(events), endEvents: some(ends), weekdays: Set(some(Weekday.allCases)),
            condition: Bool.random(using: &generator) ? nil : .any(some(leaves)),
            executesOnce: Int.random(in: 0..<4, using: &generator) == 0))
      return .test(number, kind, sets: some([.hiHouse, .byeHouse, .empty, .test(97)]) + [.hiHouse])
    }
  }
}
