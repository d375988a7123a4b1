import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: changes of the model")
struct EngineModelTests {
  private let event = HomeEvent.characteristic(.lock, equals: nil)

  @Test("Changes that do not concern triggers do nothing")
  func irrelevant() {
    var bench = EngineBench([.test(1, .on(event))])
    let count = bench.trace.count
    bench.change(
      .homeRenamed(HomeName("Villa")), .roomAdded(Room(id: .test(60), name: HomeName("Hall"))),
      .accessoryRenamed(.test(50), HomeName("Door")), .actionSetExecuted(.hiHouse, at: bench.now),
      .triggerFired(.test(1001), at: bench.now))
    #expect(bench.trace.count == count)
  }

  @Test("A characteristic that no trigger uses has no effect, and no trigger means no subscription")
  func unused() {
    var bench = EngineBench([.test(1, .on(event))])
    #expect(bench.engine.value(true, of: .lampOn).isEmpty)
    #expect(bench.engine.value(true, of: .test(99)).isEmpty)
    bench.change(.triggerRemoved(.test(1001)))
    #expect(bench.subscribed.isEmpty)
    #expect(bench.engine.value(0, of: .lock).isEmpty)
  }

  @Test("A trigger that is added enabled is watched, and the values that are known stay known")
  func added() {
    var bench = EngineBench([.test(1, .on(event))])
    bench.set(.lock, 0)
    bench.change(
      .triggerAdded(
        .test(
          2, .on(.characteristic(.motion, equals: true), if: .characteristic(.lock, .equal, 0)), sets: [.byeHouse])))
    #expect(bench.subscribed == [.lock, .motion])
    bench.catchUp()
    bench.unreachable = [.lock]
    bench.set(.motion, true)
    #expect(bench.executions.map(\.trigger) == [.test(1001), .test(1002)])
  }

  @Test("After a timer's time is changed, only the new one counts")
  func changedTimer() {
    let rules = TestZones.rules(ZoneName("Europe/Berlin")!)!
    func timer(_ time: String) -> Trigger.Kind {
      .timer(TimerTrigger(fireDate: rules.instant(of: try! CivilTime(time)), recurrence: CivilPeriod(days: 1)))
    }
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"))])
    bench.update(.test(1001)) { $0.kind = timer("2026-06-01T08:00") }
    bench.run(until: "2026-06-02T07:00")
    #expect(bench.executions.isEmpty && bench.explained.isEmpty)
    bench.run(until: "2026-06-02T19:30")
    #expect(bench.executions.map(\.time) == [bench.instant("2026-06-02T08:00")])
  }

  @Test("A new zone or location moves planned times")
  func moved() throws {
    let sunset = try #require(SunMoment(.sunset))
    var bench = EngineBench([.test(1, .on(.calendar(.hour(19)))), .test(2, .on(.sun(sunset)))])
    let before = bench.engine.nextOccurrence(of: .test(1002))
    bench.change(.timeZoneChanged(ZoneName("America/Los_Angeles")!))
    #expect(bench.engine.nextOccurrence(of: .test(1001)) == bench.instant("2026-06-01T19:00"))
    #expect(bench.engine.nextOccurrence(of: .test(1002)) == before)
    bench.change(.locationChanged(HomeBench.cupertino))
    let after = try #require(bench.engine.nextOccurrence(of: .test(1002)))
    #expect((bench.instant("2026-06-01T20:15")...bench.instant("2026-06-01T20:30")).contains(after))
    bench.run(until: "2026-06-01T23:00")
    #expect(bench.executions.map(\.trigger) == [.test(1001), .test(1002)])
  }

  @Test("A removed accessory and a removed user leave no trace")
  func removed() {
    let entry = PresenceEvent(.firstEntry, of: .homeUsers)
    var bench = EngineBench([
      .test(1, .on(event)), .test(2, .on(.presence(entry))),
      .test(3, .on(.characteristic(.motion, equals: nil), if: .characteristic(.lock, .equal, 1))),
    ])
    bench.person(.ben, .home)
    bench.change(.userRemoved(.ben), .accessoryRemoved(.test(50)))
    #expect(bench.subscribed == [.motion])
    bench.person(.ben, .away)
    bench.person(.anna, .home)
    #expect(bench.executions.map(\.trigger) == [.test(1002), .test(1002)])
    bench.set(.motion, true)
    #expect(bench.outcome == .conditionUnknown && bench.held.isEmpty)
    bench.change(.homeRemoved)
    #expect(bench.engine.nextDeadline == nil && bench.subscribed.isEmpty)
  }

  @Test("Each home has its own zone, users and triggers")
  func twoHomes() {
    var second = Home.test(zone: "America/Los_Angeles")
    second = Home(
      id: .test(500), name: HomeName("Cabin"), zone: second.zone, location: nil,
      roomForEntireHome: Room(id: .test(501), name: HomeName("All")),
      users: [HomeUser(id: .test(502), name: "Dora", role: .owner)])
    second.actionSets = [ActionSet(id: .test(503), name: HomeName("s"), kind: .userDefined)]
    second.triggers = [
      .test(2, .on(.calendar(.hour(19))), sets: [.test(503)]),
      .test(3, .on(.presence(PresenceEvent(.firstEntry, of: .homeUsers))), sets: [.test(503)]),
    ]
    var bench = EngineBench([
      .test(1, .on(.calendar(.hour(19)))), .test(4, .on(.presence(PresenceEvent(.firstEntry, of: .homeUsers)))),
    ])
    bench.change(.homeRenamed(HomeName("First")))
    let added = [HomeChange(.test(500), .homeAdded(second))]
    bench.model.apply(added)
    bench.perform(bench.engine.changed(added, bench.model))
    bench.person(.test(502), .home)
    #expect(bench.explained.map(\.trigger) == [.test(1003)])
    #expect(bench.engine.isHome(.test(502)) && !bench.engine.isHome(.anna))
    bench.run(for: .seconds(86_400))
    let due = bench.explained.filter { $0.outcome == .nothingToExecute || $0.outcome.isExecuted }
    #expect(due.map(\.trigger) == [.test(1003), .test(1001), .test(1002)])
    #expect(due.last?.time.description == "2026-06-02T02:00:00Z")
  }

  @Test("The last twenty evaluations of a trigger are kept, and an execution replaces its own")
  func kept() {
    var bench = EngineBench([.test(1, .on(event))])
    for _ in 0..<25 {
      bench.set(.lock, bench.world[.lock] == 0 ? 1 : 0)
      bench.run(for: .seconds(1))
    }
    let evaluations = bench.engine.evaluations(of: .test(1001))
    #expect(evaluations.map(\.number) == Array(6...25))
    #expect(evaluations.allSatisfy { $0.outcome.isExecuted })
    #expect(bench.explained.filter { $0.number == 25 }.map(\.outcome) == [.executing, .executed(.init(done: 2))])
    #expect(bench.engine.evaluations(of: .test(99)).isEmpty)
  }
}
