import HAPAlmanac
import HAPModel
import HAPTestSupport
import Testing

@testable import HAPHome

/// `Benchmarks/home` measures the time of such a week.
@Suite("Engine: a virtual week")
struct EngineWeekTests {
  /// 50 timers of 5 minutes to a day, 20 sun events, and 30 characteristic events with up to three comparisons.
  private static func triggers(_ start: Instant) -> [Trigger] {
    let timers = (0..<50).map { number -> Trigger.Kind in
      let minutes = 5 + number * 1435 / 49
      let fireDate = Instant(seconds: start.seconds + Int64(60 * (1 + number)))
      return .timer(TimerTrigger(fireDate: fireDate, recurrence: CivilPeriod(minutes: minutes)))
    }
    let suns = (0..<20).map { number -> Trigger.Kind in
      let moment = SunMoment(number.isMultiple(of: 2) ? .sunrise : .sunset, offset: (number - 10) * 600)!
      return .event(EventTrigger(events: [.sun(moment)], weekdays: number.isMultiple(of: 5) ? [.monday, .sunday] : []))
    }
    let comparisons: [Condition] = [
      .time(.between(.hour(6), .hour(22))), .sun(.after(SunMoment(.sunrise)!)), .characteristic(.lock, .equal, 1),
      .characteristic(.window, .equal, false), .not(.presence(PresenceEvent(.firstEntry, of: .homeUsers))),
    ]
    let values: [HomeEvent] = [
      .characteristic(.motion, equals: true), .characteristic(.lock, equals: 0),
      .threshold(.temperature, ThresholdRange(min: 24, max: nil)!),
    ]
    let characteristics = (0..<30).map { number -> Trigger.Kind in
      let condition = Condition.all((0..<number % 4).map { comparisons[(number + $0) % comparisons.count] })
      let ends = number.isMultiple(of: 10) ? [HomeEvent.duration(seconds: 600)] : []
      return .event(EventTrigger(events: [values[number % 3]], endEvents: ends, condition: condition))
    }
    return (timers + suns + characteristics).enumerated().map {
      .test($0, $1, sets: [$0.isMultiple(of: 2) ? .hiHouse : .byeHouse])
    }
  }

  /// - Parameter removed: the number of triggers that are removed first, so that tables have another order inside.
  private func week(removed: Int) -> EngineBench {
    let start = TestZones.rules(ZoneName("Europe/Berlin")!)!.instant(of: try! CivilTime("2026-10-20T00:00"))
    let more = (0..<removed).map { Trigger.test(5000 + $0, .on(.calendar(.hour(1))), isEnabled: false) }
    var bench = EngineBench(Self.triggers(start) + more, at: "2026-10-20T00:00")
    bench.change(more.map { .triggerRemoved($0.id) })
    bench.trace = []
    var generator = SeededGenerator(seed: 3)
    for minute in 1...7 * 1440 {
      bench.run(until: start.advanced(by: .seconds(minute * 60 - 30)))
      switch minute % 3 {
      case 0: bench.set(.motion, bench.world[.motion] == true ? false : true)
      case 1: bench.set(.lock, .integer(Int128.random(in: 0...1, using: &generator)))
      default: bench.set(.temperature, .float(Double(Int.random(in: 200...260, using: &generator)) / 10))
      }
    }
    return bench
  }

  @Test("A virtual week of 100 triggers gives the same trace twice, whatever the order inside of tables is")
  func twice() {
    let (first, second) = (week(removed: 0), week(removed: 300))
    #expect(first.trace == second.trace)
    #expect(first.states == second.states && first.executions == second.executions)
    // The timers alone: a week has 10080 minutes.
    let timers = (0..<50).map { number in (10_079 - (1 + number)) / (5 + number * 1435 / 49) + 1 }
    let executed = Dictionary(first.executions.map { ($0.trigger, 1) }, uniquingKeysWith: +)
    for (number, count) in timers.enumerated() {
      #expect(executed[.test(1000 + number)] == count, "timer \(number)")
    }
    #expect(executed.count > 95)
  }
}
