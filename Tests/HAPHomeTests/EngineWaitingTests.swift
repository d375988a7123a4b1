import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: events during an evaluation, and by hand")
struct EngineWaitingTests {
  private let press = HomeEvent.characteristic(.button, equals: nil)
  private let isClosed = Condition.characteristic(.window, .equal, false)

  // MARK: Waiting

  @Test("HOME.E1 a press of a button during a slow record is executed after it")
  func slowRecord() {
    var bench = EngineBench([.test(1, .on(press))])
    bench.holdsRecords = true
    for _ in 0..<3 { bench.set(.button, 0) }
    #expect(bench.held.count == 1 && bench.explained.map(\.number) == [1])
    bench.holdsRecords = false
    bench.answerHeld()
    #expect(bench.executions.count == 3 && bench.explained.allSatisfy { $0.outcome != .busy })
    #expect(bench.states[.test(1001)]?.started == [])
  }

  @Test("HOME.E1 an event during a read is evaluated afterwards, with the values of then")
  func slowRead() {
    var bench = EngineBench([.test(1, .on(press, if: isClosed))])
    bench.holdsReads = true
    bench.world[.window] = true
    bench.set(.button, 0)
    bench.set(.button, 0)
    bench.answerHeld()
    #expect(bench.outcome == .conditionFalse && bench.executions.isEmpty && bench.held.count == 1)
    bench.world[.window] = false
    bench.answerHeld()
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E1 after an execution that could not be recorded, the next event is executed")
  func failedRecord() {
    var bench = EngineBench([.test(1, .on(press))])
    bench.holdsRecords = true
    bench.set(.button, 0)
    bench.set(.button, 0)
    guard case .record(_, with: _, let ticket)? = bench.held.first else {
      Issue.record("nothing was recorded")
      return
    }
    bench.held = []
    bench.holdsRecords = false
    bench.perform(bench.engine.recorded(ticket, failure: "disk full"))
    #expect(bench.executions.count == 1)
    #expect(bench.engine.evaluations(of: .test(1001)).first?.outcome == .notRecorded("disk full"))
    #expect(bench.storedModel == bench.model && bench.states[.test(1001)]?.started == [])
  }

  @Test("HOME.E13 events that wait for the last execution are not executed")
  func waitingForTheLast() {
    var bench = EngineBench([
      .test(1, .event(EventTrigger(events: [press], condition: isClosed, executesOnce: true)))
    ])
    bench.holdsReads = true
    for _ in 0..<3 { bench.set(.button, 0) }
    bench.holdsReads = false
    bench.answerHeld()
    #expect(bench.executions.count == 1)
    #expect(bench.explained.count { $0.outcome == .changedMeanwhile } == 2)
  }

  @Test("HOME.E1 eight events wait, and another one is refused; after a minute, they are missed")
  func limit() {
    var bench = EngineBench([.test(1, .on(press))])
    bench.holdsRecords = true
    for _ in 0..<10 { bench.set(.button, 0) }
    #expect(bench.outcome == .busy && bench.explained.map(\.number) == [1, 2])
    bench.run(for: .seconds(60))
    bench.answerHeld()
    #expect(bench.executions.count == 1)
    bench.run(for: .milliseconds(1))
    bench.holdsRecords = false
    bench.answerHeld()
    #expect(bench.executions.count == 2 && bench.explained.count { $0.outcome == .missed } == 7)
  }

  @Test("HOME.E1 if the trigger is changed or disabled, events that wait are not evaluated", arguments: [true, false])
  func changed(isDisabled: Bool) {
    var bench = EngineBench([.test(1, .on(press))])
    bench.holdsRecords = true
    bench.set(.button, 0)
    bench.set(.button, 0)
    bench.update(.test(1001)) {
      if isDisabled { $0.isEnabled = false } else { $0.kind = .on(.characteristic(.lock, equals: 0)) }
    }
    #expect(bench.outcome == .changedMeanwhile)
    bench.holdsRecords = false
    bench.answerHeld()
    #expect(bench.executions.count == 1)
  }

  // MARK: Crashes

  @Test("HOME.E11 a planned time that is not decided is evaluated after a crash, whatever was recorded meanwhile")
  func undecided() throws {
    var bench = EngineBench([
      .test(1, .event(EventTrigger(events: [.calendar(.hour(19)), press], condition: isClosed)))
    ])
    bench.run(until: "2026-06-01T18:59:59")
    bench.holdsScenes = true
    bench.set(.button, 0)
    bench.holdsReads = true
    bench.run(until: "2026-06-01T19:00:00")
    bench.holdsScenes = false
    // The end of the execution before is recorded during the read.
    let read = bench.held.removeLast()
    bench.answerHeld()
    #expect(bench.executions.count == 1 && bench.states[.test(1001)]?.started == [])
    guard case .read = read else {
      Issue.record("nothing was read")
      return
    }
    bench.holdsReads = false
    bench.restart(after: .seconds(10))
    #expect(bench.executions.count == 2)
    #expect(bench.engine.evaluations(of: .test(1001)).last?.cause.due == bench.instant("2026-06-01T19:00"))
    bench.restart(after: .seconds(10))
    #expect(bench.executions.count == 2)
  }

  @Test("HOME.E11 a planned time that waits for a record is evaluated after a crash")
  func waitingForARecord() throws {
    var bench = EngineBench([.test(1, .event(EventTrigger(events: [.calendar(.hour(19)), press])))])
    bench.run(until: "2026-06-01T18:59:59")
    bench.holdsScenes = true
    bench.set(.button, 0)
    bench.holdsRecords = true
    bench.set(.button, 0)
    bench.run(until: "2026-06-01T19:00:00")
    // The end of the first execution is recorded after the time, and everything is durable when the process ends.
    bench.perform(bench.answer(bench.held.removeFirst()))
    let records = bench.held
    #expect(records.count == 2)
    for record in records { _ = bench.answer(record) }
    (bench.holdsScenes, bench.holdsRecords) = (false, false)
    bench.restart(after: .seconds(10))
    #expect(bench.executions.count == 2 && bench.executions.last?.time == bench.instant("2026-06-01T19:00:10"))
    bench.restart(after: .seconds(10))
    #expect(bench.executions.count == 2)
  }

  @Test("HOME.E1 two planned events for the same time are one occurrence")
  func sameTime() throws {
    let seven = HomeEvent.calendar(.hour(19)), monday = HomeEvent.calendar(try DateParts(weekday: .monday, hour: 19))
    var bench = EngineBench([.test(1, .event(EventTrigger(events: [seven, monday])))])
    bench.run(until: "2026-06-01T20:00")
    #expect(bench.executions.count == 1 && bench.explained.contains { $0.outcome == .sameTime })
    bench.run(until: "2026-06-02T20:00")
    #expect(bench.executions.count == 2)
  }

  // MARK: Persons

  @Test("HOME.E8 a person activates nothing before the place is durable, and nothing if it can't be stored")
  func placeIsRecordedFirst() {
    var bench = EngineBench([.test(1, .on(.presence(PresenceEvent(.everyEntry, of: .homeUsers))))])
    bench.holdsRecords = true
    bench.person(.anna, .home)
    guard case .recordPerson(let person, let ticket)? = bench.held.first else {
      Issue.record("nothing was recorded")
      return
    }
    #expect(person == PersonState(.anna, .home) && bench.held.count == 1 && bench.explained.isEmpty)
    bench.held = []
    bench.perform(bench.engine.recorded(ticket, failure: "disk full"))
    #expect(bench.outcome == .notRecorded("disk full") && bench.held.isEmpty && bench.engine.isHome(.anna))
    bench.holdsRecords = false
    // The arrival was not counted, so it counts after a crash.
    bench.restart()
    bench.person(.anna, .home)
    #expect(bench.executions.count == 1)
    bench.restart()
    bench.person(.anna, .home)
    #expect(bench.executions.count == 1)
  }

  // MARK: By hand

  @Test("HOME.E1 a person fires a trigger by hand, and the explanation names the person")
  func byHand() {
    var bench = EngineBench([.test(1, .on(.calendar(.hour(3)), if: .time(.before(.hour(18)))))])
    bench.perform(bench.engine.fire(.test(1001), by: .ben))
    #expect(bench.executions.count == 1 && bench.why.contains("  event: Ben fired the trigger by hand"))
    #expect(bench.states[.test(1001)]?.started == [] && bench.model.homes[0].triggers[0].lastFire == bench.now)
    bench.run(until: "2026-06-01T18:00")
    bench.perform(bench.engine.fire(.test(1001)))
    #expect(bench.executions.count == 1 && bench.outcome == .conditionFalse)
    #expect(bench.why.contains("  event: a person fired the trigger by hand"))
    #expect(bench.engine.fire(.test(99)).isEmpty)
    bench.run(until: "2026-06-02T03:00")
    #expect(bench.executions.count == 2)
  }

  @Test("HOME.E9 weekdays and the hub count for a trigger that is fired by hand")
  func byHandOnAnotherDay() {
    var bench = EngineBench([
      .test(1, .event(EventTrigger(events: [press], weekdays: [.sunday]))), .test(2, .on(press)),
      .test(3, .on(press), isEnabled: false),
    ])
    bench.perform(bench.engine.fire(.test(1001)))
    #expect(bench.explained.last?.outcome == .otherWeekday(.monday))
    bench.engine.hubIs(on: false)
    bench.perform(bench.engine.fire(.test(1002)))
    #expect(bench.explained.last?.outcome == .noHub)
    bench.engine.hubIs(on: true)
    bench.perform(bench.engine.fire(.test(1003)))
    #expect(bench.executions.isEmpty && bench.why.contains("not executed: the trigger is disabled"))
    bench.perform(bench.engine.fire(.test(1002)))
    #expect(bench.executions.map(\.trigger) == [.test(1002)])
  }
}
