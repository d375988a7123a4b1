import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: events")
struct EngineEventTests {
  private func executions(_ bench: EngineBench) -> Int { bench.executions.count }

  // MARK: E1

  @Test("HOME.E1 any one of the events activates the trigger, once for a value that is two events")
  func anyEvent() {
    var bench = EngineBench([
      .test(
        1,
        .event(
          EventTrigger(events: [
            .characteristic(.lock, equals: 0), .characteristic(.lock, equals: nil),
            .characteristic(.motion, equals: true), .presence(PresenceEvent(.everyEntry, of: .homeUsers)),
          ])))
    ])
    bench.set(.lock, 0)
    #expect(executions(bench) == 1)
    #expect(bench.engine.evaluations(of: bench.model.homes[0].triggers[0].id).count == 1)
    bench.set(.motion, true)
    #expect(executions(bench) == 2)
    bench.person(.ben, .home)
    #expect(executions(bench) == 3)
    bench.set(.motion, false)
    bench.set(.temperature, 25.0)
    bench.person(.ben, .away)
    #expect(executions(bench) == 3)
  }

  @Test("HOME.E1 the condition is evaluated after the event, and no condition is true")
  func condition() {
    let event = HomeEvent.characteristic(.lock, equals: 0)
    for (condition, isExecuted) in [
      (nil, true), (Condition.all([]), true), (.any([]), false), (.characteristic(.motion, .equal, false), true),
      (.characteristic(.motion, .equal, true), false),
    ] as [(Condition?, Bool)] {
      var bench = EngineBench([.test(1, .on(event, if: condition))])
      bench.set(.motion, false)
      #expect(bench.explained.isEmpty)
      bench.set(.lock, 0)
      #expect((executions(bench) == 1) == isExecuted)
      #expect(bench.engine.evaluations(of: .test(1001)).count == 1)
    }
  }

  @Test("HOME.E1 a disabled trigger, a removed one and one without actions execute nothing")
  func inactive() {
    let event = Trigger.Kind.on(.characteristic(.lock, equals: 0))
    var bench = EngineBench([
      .test(1, event, isEnabled: false), .test(2, event), .test(3, event, sets: [.empty]), .test(4, event, sets: []),
    ])
    bench.change(.triggerRemoved(.test(1002)))
    bench.set(.lock, 0)
    #expect(bench.executions.isEmpty)
    #expect(bench.explained.map(\.trigger) == [.test(1003), .test(1004)])
    #expect(bench.explained.allSatisfy { $0.outcome == .nothingToExecute })
    bench.set(.lock, 1)
    bench.update(.test(1001)) { $0.isEnabled = true }
    bench.set(.lock, 0)
    #expect(bench.executions.map(\.trigger) == [.test(1001)])
  }

  // MARK: E2

  @Test("HOME.E2 a characteristic event fires when the value becomes the trigger value, and not when it is repeated")
  func becomes() {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0)))])
    for (value, count) in [(1, 0), (0, 1), (0, 1), (2, 1), (1, 1), (0, 2)] as [(Value, Int)] {
      bench.set(.lock, value)
      #expect(executions(bench) == count, "after \(value)")
    }
  }

  @Test("HOME.E2 without a trigger value, each change fires")
  func anyChange() {
    var bench = EngineBench([.test(1, .on(.characteristic(.text, equals: nil)))])
    for (value, count) in [("a", 0), ("b", 1), ("b", 1), ("", 2), ("a", 3)] as [(Value, Int)] {
      bench.set(.text, value)
      #expect(executions(bench) == count, "after \(value)")
    }
  }

  @Test("HOME.E2 each event of a button fires, also a repeated one, but not a value that was read")
  func button() {
    var bench = EngineBench([
      .test(1, .on(.characteristic(.button, equals: 0))), .test(2, .on(.characteristic(.button, equals: nil))),
    ])
    bench.set(.button, 0)
    bench.set(.button, 0)
    bench.set(.button, 2)
    #expect(bench.executions.filter { $0.trigger == .test(1001) }.count == 2)
    #expect(bench.executions.filter { $0.trigger == .test(1002) }.count == 3)
    bench.set(.button, .null, isCatchUp: true)
    bench.set(.button, 0, isCatchUp: true)
    bench.set(.button, .null)
    #expect(bench.executions.count == 5)
  }

  @Test("HOME.E2 a first value that was read does not fire, and a first event does")
  func first() {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0)))], knowsValues: false)
    bench.set(.lock, 0, isCatchUp: true)
    #expect(executions(bench) == 0)
    bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0)))], knowsValues: false)
    bench.set(.lock, 0)
    #expect(executions(bench) == 1)
    #expect(bench.why.contains("event: Front Door Lock/Lock Current State became unsecured\n"))
    #expect(bench.last?.cause == .value(.lock, before: nil, after: 0, isCatchUp: false))
  }

  // MARK: E3

  @Test("HOME.E3 a threshold fires when the value enters its range, both ends included")
  func threshold() throws {
    let range = try #require(ThresholdRange(min: 10, max: 25))
    var bench = EngineBench([.test(1, .on(.threshold(.battery, range)))])
    for (value, count) in [
      (25.5, 0), (25, 1), (20, 1), (10, 1), (9.9, 1), (10, 2), (30, 2), (12.5, 3), (9, 3), (30, 3),
    ] as [(Value, Int)] {
      bench.set(.battery, value)
      #expect(executions(bench) == count, "after \(value)")
    }
  }

  @Test("HOME.E3 a range may be open at one end")
  func openRanges() throws {
    let low = try #require(ThresholdRange(min: nil, max: 25))
    let high = try #require(ThresholdRange(min: 90, max: nil))
    var bench = EngineBench([.test(1, .on(.threshold(.battery, low))), .test(2, .on(.threshold(.battery, high)))])
    bench.set(.battery, 24)
    bench.set(.battery, -3)
    bench.set(.battery, 95)
    #expect(bench.executions.map(\.trigger) == [.test(1001), .test(1002)])
  }

  @Test("HOME.E3 without a value before, an event in the range does not fire, and the explanation says so")
  func unknownBefore() throws {
    let range = try #require(ThresholdRange(min: nil, max: 25))
    var bench = EngineBench([.test(1, .on(.threshold(.battery, range)))], knowsValues: false)
    bench.set(.battery, 20)
    #expect(bench.executions.isEmpty && bench.outcome == .unknownBefore)
    #expect(bench.why.contains("not executed: the value before is unknown, so it is unknown whether this is a change"))
    bench.set(.battery, 30)
    bench.set(.battery, 20)
    #expect(executions(bench) == 1)
    var read = EngineBench([.test(1, .on(.threshold(.battery, range)))], knowsValues: false)
    read.set(.battery, 20, isCatchUp: true)
    #expect(read.explained.isEmpty)
    read.set(.battery, 19)
    #expect(read.explained.isEmpty)
  }

  @Test("HOME.E2 a value that the hub wrote is an event if it differs from the one before, which must be known")
  func written() {
    var bench = EngineBench([.test(1, .on(.characteristic(.lampOn, equals: true)))], knowsValues: false)
    bench.perform(bench.engine.written(true, of: .lampOn))
    #expect(bench.executions.isEmpty && bench.outcome == .unknownBefore)
    bench.perform(bench.engine.written(true, of: .lampOn))
    bench.perform(bench.engine.written(false, of: .lampOn))
    #expect(bench.executions.isEmpty && bench.explained.count == 1)
    bench.perform(bench.engine.written(true, of: .lampOn))
    #expect(bench.executions.count == 1)
  }

  // MARK: E8

  @Test("HOME.E8 each entry, each exit, first entry and last exit, of all users")
  func presence() {
    let kinds = PresenceEvent.Kind.allCases
    var bench = EngineBench(
      kinds.enumerated().map { .test($0, .on(.presence(PresenceEvent($1, of: .homeUsers)))) })
    func fired(_ step: (inout EngineBench) -> Void) -> [PresenceEvent.Kind] {
      let before = bench.executions.count
      step(&bench)
      return bench.executions.dropFirst(before).map { execution in
        kinds.enumerated().first { execution.trigger == .test(1000 + $0.offset) }!.element
      }
    }
    #expect(fired { $0.person(.ben, .away) } == [])
    #expect(fired { $0.person(.ben, .home) } == [.everyEntry, .firstEntry])
    #expect(fired { $0.person(.ben, .home) } == [])
    #expect(fired { $0.person(.anna, .position(Home.berlin)) } == [.everyEntry])
    #expect(fired { $0.person(.anna, .home) } == [])
    #expect(fired { $0.person(.ben, .away) } == [.everyExit])
    #expect(fired { $0.person(.anna, .away) } == [.everyExit, .lastExit])
    #expect(fired { $0.person(.test(99), .home) } == [])
  }

  @Test("HOME.E8 only the specified users count")
  func users() {
    let ben = PresenceEvent.Users.users([.ben])
    var bench = EngineBench([
      .test(1, .on(.presence(PresenceEvent(.firstEntry, of: ben)))),
      .test(2, .on(.presence(PresenceEvent(.lastExit, of: ben)))),
      .test(3, .on(.presence(PresenceEvent(.everyEntry, of: .currentUser)))),
    ])
    bench.person(.carl, .home)
    #expect(bench.executions.isEmpty)
    bench.person(.ben, .home)
    bench.person(.anna, .home)
    bench.person(.ben, .away)
    #expect(bench.executions.map(\.trigger) == [.test(1001), .test(1003), .test(1002)])
  }

  @Test("HOME.E8 a position is at home within 100 m; without the home's location, no position is")
  func positions() throws {
    let near = try #require(Coordinate(latitude: 52.5208, longitude: 13.405))
    let far = try #require(Coordinate(latitude: 52.521, longitude: 13.405))
    #expect(near.distance(to: Home.berlin) < 100 && far.distance(to: Home.berlin) > 100)
    var bench = EngineBench([.test(1, .on(.presence(PresenceEvent(.everyEntry, of: .homeUsers))))])
    bench.person(.anna, .position(far))
    #expect(bench.executions.isEmpty && !bench.engine.isHome(.anna))
    bench.person(.anna, .position(near))
    #expect(bench.executions.count == 1 && bench.engine.isHome(.anna))
    bench.change(.locationChanged(nil))
    #expect(!bench.engine.isHome(.anna))
    bench.person(.ben, .position(near))
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E8 presence survives a restart: a user who is at home does not arrive again")
  func persistence() {
    var bench = EngineBench([.test(1, .on(.presence(PresenceEvent(.firstEntry, of: .homeUsers))))])
    bench.person(.anna, .home)
    bench.restart()
    #expect(bench.engine.isHome(.anna))
    bench.person(.anna, .home)
    bench.person(.ben, .home)
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E8 a location event counts the owner's entries and exits of a region")
  func regions() throws {
    let office = try #require(Coordinate(latitude: 52.4, longitude: 13.2))
    let region = try #require(Region(centre: office, radius: 500))
    var bench = EngineBench([
      .test(1, .on(.location(region, onEntry: true, onExit: false))),
      .test(2, .on(.location(region, onEntry: false, onExit: true))),
    ])
    bench.person(.ben, .position(office))
    bench.person(.anna, .position(Home.berlin))
    #expect(bench.executions.isEmpty)
    bench.person(.anna, .position(office))
    bench.person(.anna, .position(try #require(Coordinate(latitude: 52.4001, longitude: 13.2))))
    #expect(bench.executions.map(\.trigger) == [.test(1001)])
    #expect(bench.why.contains("event: Anna entered the region"))
    bench.person(.anna, .home)
    #expect(bench.executions.map(\.trigger) == [.test(1001), .test(1002)])
    bench.person(.anna, .position(office))
    bench.person(.anna, .away)
    #expect(bench.executions.count == 4)
  }

  // MARK: E9

  @Test("HOME.E9 weekdays filter each kind of event, by the home's day")
  func weekdays() throws {
    let events: [HomeEvent] = [
      .characteristic(.lock, equals: 0), .calendar(.hour(0)), .presence(PresenceEvent(.everyEntry, of: .homeUsers)),
    ]
    // 2026-06-01 is a Monday.
    var bench = EngineBench(
      [.test(1, .event(EventTrigger(events: events, weekdays: [.tuesday])))], at: "2026-06-01T23:59:00")
    bench.set(.lock, 0)
    bench.person(.anna, .home)
    #expect(bench.executions.isEmpty && bench.explained.allSatisfy { $0.outcome == .otherWeekday(.monday) })
    #expect(bench.why.contains("not executed: the trigger does not apply on a Monday"))
    bench.run(until: "2026-06-02T00:00:00")
    #expect(executions(bench) == 1)
    bench.set(.lock, 1)
    bench.set(.lock, 0)
    bench.person(.ben, .home)
    #expect(executions(bench) == 3)
    bench.run(until: "2026-06-03T00:00:00")
    #expect(executions(bench) == 3 && bench.outcome == .otherWeekday(.wednesday))
  }

  @Test("HOME.E9 a late occurrence has the weekday for which it was planned")
  func lateWeekday() throws {
    let event = HomeEvent.calendar(try DateParts(hour: 23, minute: 59, second: 40))
    var bench = EngineBench(
      [.test(1, .event(EventTrigger(events: [event], weekdays: [.monday])))], at: "2026-06-01T23:00:00")
    bench.jump(to: "2026-06-02T00:00:10")
    #expect(executions(bench) == 1)
  }
}
