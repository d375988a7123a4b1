import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Rehearsal of automations")
struct RehearsalTests {
  private static let start = "2026-10-20T00:00"

  private func bench(_ triggers: [Trigger]) -> EngineBench { EngineBench(triggers, at: Self.start) }

  /// The rehearsal of the bench's homes, with the values of its accessories.
  private func rehearsal(_ bench: EngineBench) -> HomeRehearsal {
    HomeRehearsal(bench.storedModel, values: bench.world, at: bench.now, zoneRules: TestZones.rules)
  }

  private func last(_ evaluations: [Evaluation]) -> [Evaluation] {
    var found: [Evaluation] = []
    for evaluation in evaluations {
      if let place = found.firstIndex(where: { ($0.trigger, $0.number) == (evaluation.trigger, evaluation.number) }) {
        found[place] = evaluation
      } else {
        found.append(evaluation)
      }
    }
    return found
  }

  @Test(
    "a week of timers, sun and values: the evaluations and the values are those of an engine with a shell that works")
  func week() throws {
    let timer = Trigger.Kind.timer(
      TimerTrigger(
        fireDate: TestZones.rules(ZoneName("Europe/Berlin")!)!.instant(of: try CivilTime("2026-10-20T07:00")),
        recurrence: CivilPeriod(days: 1)))
    let sunset = HomeEvent.sun(SunMoment(.sunset, offset: -1800)!)
    var bench = bench([
      .test(1, timer),
      .test(2, .event(EventTrigger(events: [sunset], endEvents: [.duration(seconds: 600)]))),
      .test(3, .on(.characteristic(.motion, equals: true), if: .characteristic(.lock, .equal, 0))),
    ])
    var rehearsal = rehearsal(bench)
    var reports: [Evaluation] = []
    func note(_: Instant, _ report: HomeRehearsal.Report) {
      if case .evaluated(let evaluation) = report { reports.append(evaluation) }
    }
    for hour in 1...7 * 24 {
      let time = bench.now.advanced(by: .seconds(3600))
      bench.run(until: time)
      rehearsal.run(until: time, note)
      if hour % 5 == 0 {
        let (id, value) =
          hour % 2 == 0 ? (HomeObjectID.motion, Value.bool(hour % 4 == 0)) : (.lock, .integer(Int128(hour % 3 % 2)))
        bench.set(id, value)
        rehearsal.pass(.value(id, value), note)
      }
    }
    #expect(last(reports) == last(bench.explained))
    #expect(rehearsal.values == bench.world)
    #expect(rehearsal.model.homes[0].triggers.map(\.lastFire) == bench.model.homes[0].triggers.map(\.lastFire))
    #expect(bench.executions.count > 14)
  }

  @Test("a value that is not given is unknown, and the explanation says so")
  func unknown() throws {
    let bench = bench([.test(1, .on(.characteristic(.motion, equals: true), if: .characteristic(.lock, .equal, 0)))])
    var rehearsal = HomeRehearsal(bench.storedModel, at: bench.now, zoneRules: TestZones.rules)
    var reports: [HomeRehearsal.Report] = []
    rehearsal.pass(.value(.motion, true)) { reports.append($1) }
    guard case .evaluated(let evaluation)? = reports.last else { return #expect(Bool(false), "nothing was evaluated") }
    #expect(evaluation.outcome == .conditionUnknown)
    #expect(
      EvaluationText(rehearsal.model.homes[0], zone: .utc).lines(evaluation).contains { $0.contains("was not given") })
  }

  @Test("fired by hand, and a person who comes home: what is written is reported before its evaluation ends")
  func inputs() throws {
    let user = HomeObjectID.anna
    let bench = bench([
      .test(1, .event(EventTrigger(events: [.characteristic(.motion, equals: true)]))),
      .test(2, .event(EventTrigger(events: [.presence(PresenceEvent(.everyEntry, of: .users([user])))]))),
    ])
    var rehearsal = rehearsal(bench)
    for (event, trigger) in [
      (HomeRehearsal.Event.fire(bench.model.homes[0].triggers[0].id), 0), (.person(user, .home), 1),
    ] {
      var reports: [HomeRehearsal.Report] = []
      rehearsal.pass(event) { reports.append($1) }
      let id = bench.model.homes[0].triggers[trigger].id
      #expect(reports.contains { if case .wrote(_, _, id) = $0 { true } else { false } })
      guard case .evaluated(let last)? = reports.last, case .executed = last.outcome else {
        #expect(Bool(false), "\(reports)")
        continue
      }
    }
  }
}
