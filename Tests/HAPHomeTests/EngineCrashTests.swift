import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: crashes")
struct EngineCrashTests {
  private static let tenMinutes = HomeEvent.duration(seconds: 600)

  /// Triggers of all kinds that fire in the script below.
  private static func triggers(_ start: Instant) -> [Trigger] {
    let sunset = SunMoment(.sunset)!
    return [
      .test(1, .timer(TimerTrigger(fireDate: start, recurrence: CivilPeriod(minutes: 20)))),
      .test(2, .on(.calendar(.hour(21)), if: .characteristic(.window, .equal, false))),
      .test(3, .on(.sun(sunset)), sets: [.hiHouse, .byeHouse]),
      .test(4, .event(EventTrigger(events: [.characteristic(.lock, equals: 0)], executesOnce: true))),
      .test(
        5, .event(EventTrigger(events: [.characteristic(.motion, equals: true)], endEvents: [tenMinutes])),
        sets: [.byeHouse]),
      .test(6, .on(.presence(PresenceEvent(.firstEntry, of: .homeUsers)))),
    ]
  }

  /// The inputs of 85 minutes, each with its minute after the start.
  private static let script: [(minute: Int, @Sendable (inout EngineBench) -> Void)] = [
    (3, { $0.set(.motion, true) }), (5, { $0.set(.lock, 0) }), (6, { $0.set(.motion, false) }),
    (9, { $0.person(.anna, .home) }), (10, { $0.set(.motion, true) }), (12, { $0.set(.lock, 1) }),
    (13, { $0.set(.lock, 0) }), (30, { $0.person(.anna, .away) }), (45, { $0.person(.ben, .home) }),
    (64, { $0.set(.motion, false) }), (65, { $0.set(.motion, true) }), (85, { _ in }),
  ]

  private func bench() -> (bench: EngineBench, start: Instant) {
    let start = TestZones.rules(ZoneName("Europe/Berlin")!)!.instant(of: try! CivilTime("2026-06-01T20:30"))
    return (EngineBench(Self.triggers(start), at: "2026-06-01T20:29:00"), start)
  }

  private func play(_ bench: inout EngineBench, _ start: Instant) {
    for (minute, step) in Self.script {
      let time = start.advanced(by: .seconds(minute * 60))
      guard time >= bench.now else { continue }
      bench.run(until: time)
      step(&bench)
    }
  }

  @Test("HOME.E13 after a crash at any action, no occurrence is executed twice, and none is lost that was recorded")
  func everyBoundary() {
    var (whole, start) = bench()
    play(&whole, start)
    let count = whole.trace.count
    #expect(count > 80)
    #expect(Set(whole.executions.map(\.trigger)).count == 6 && whole.restored.count == 2)
    var unconfirmed = 0
    for crash in 1...count {
      var (bench, start) = bench()
      bench.actionsLeft = crash + 1
      play(&bench, start)
      if !bench.isDead { continue }
      let executedBefore = bench.executions.count
      let pending = bench.states.values.flatMap(\.started)
      let explainedBefore = bench.explained.count
      bench.restart(after: .seconds(1))
      // Executions without a recorded end are explained, once each.
      let explained = bench.explained.dropFirst(explainedBefore).compactMap { evaluation in
        if case .notConfirmed(let started) = evaluation.outcome { started } else { nil }
      }
      #expect(explained.count == pending.count && Set(explained) == Set(pending), "crash at action \(crash)")
      unconfirmed += pending.count
      play(&bench, start)
      expectOnce(bench, crash, executedBefore)
      #expect(bench.states.values.allSatisfy { $0.started.isEmpty && $0.running == nil }, "crash at action \(crash)")
    }
    #expect(unconfirmed > 20)
  }

  /// Checks that no occurrence was executed twice.
  private func expectOnce(_ bench: EngineBench, _ crash: Int, _ executedBefore: Int) {
    func times(_ number: Int) -> [Instant] {
      bench.executions.filter { $0.trigger == .test(1000 + number) }.map(\.time)
    }
    // Planned occurrences: at most one for each planned time, at most a minute late.
    for number in 1...3 {
      let planned = times(number).map { ($0.seconds - 60) / 300 }
      #expect(Set(planned).count == planned.count, "crash at action \(crash), trigger \(number)")
    }
    #expect(times(4).count <= 1, "crash at action \(crash), executesOnce")
    // The script has three events of motion and two first entries.
    #expect(times(5).count <= 3 && times(6).count <= 2, "crash at action \(crash)")
    #expect(bench.restored.count <= 3, "crash at action \(crash)")
    // Only the execution of the crash can be missing.
    #expect(bench.executions.count >= Self.executionsWithoutCrash - 2, "crash at action \(crash)")
    #expect(bench.executions.count <= Self.executionsWithoutCrash, "crash at action \(crash)")
  }

  private static let executionsWithoutCrash: Int = {
    var (bench, start) = EngineCrashTests().bench()
    EngineCrashTests().play(&bench, start)
    return bench.executions.count
  }()

  @Test("HOME.E13 nothing is written before the record is durable, and nothing if it fails")
  func durability() {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: nil)))])
    bench.holdsRecords = true
    bench.set(.lock, 0)
    guard case .record(_, with: _, let ticket)? = bench.held.first else {
      Issue.record("nothing was recorded")
      return
    }
    #expect(bench.executions.isEmpty && bench.outcome == .executing)
    bench.held = []
    bench.perform(bench.engine.recorded(ticket, failure: "no space left on device"))
    #expect(bench.executions.isEmpty && bench.told.isEmpty)
    #expect(bench.why.contains("not executed: the execution could not be stored: no space left on device"))
    bench.perform(bench.engine.recorded(ticket))
    #expect(bench.executions.isEmpty)
    // The model and the store are as before the execution.
    bench.holdsRecords = false
    bench.answerHeld()
    #expect(bench.model.homes[0].triggers[0].lastFire == nil && bench.storedModel == bench.model)
    bench.set(.lock, 1)
    #expect(bench.executions.count == 1)
    #expect(bench.states[.test(1001)]?.started == [])
    let fire = bench.now
    bench.run(for: .seconds(60))
    bench.holdsRecords = true
    bench.set(.lock, 0)
    guard case .record(_, with: _, let second)? = bench.held.first else {
      Issue.record("nothing was recorded")
      return
    }
    #expect(bench.model.homes[0].triggers[0].lastFire == bench.now)
    bench.perform(bench.engine.recorded(second, failure: "disk full"))
    #expect(bench.model.homes[0].triggers[0].lastFire == fire)
  }

  @Test("HOME.E13 a trigger that executes once stays enabled if its execution cannot be recorded")
  func failedLastExecution() {
    let once = EventTrigger(events: [.characteristic(.lock, equals: 0)], executesOnce: true)
    var bench = EngineBench([.test(1, .event(once))])
    bench.holdsRecords = true
    bench.set(.lock, 0)
    guard case .record(_, with: _, let ticket)? = bench.held.first else {
      Issue.record("nothing was recorded")
      return
    }
    #expect(!bench.model.homes[0].triggers[0].isEnabled)
    bench.held = []
    bench.perform(bench.engine.recorded(ticket, failure: "disk full"))
    #expect(bench.model.homes[0].triggers[0].isEnabled && bench.engine.activation(of: .test(1001)) == .enabled)
    bench.holdsRecords = false
    bench.answerHeld()
    bench.set(.lock, 1)
    #expect(bench.executions.isEmpty)
    bench.set(.lock, 0)
    #expect(bench.executions.count == 1)
    #expect(!bench.model.homes[0].triggers[0].isEnabled && !bench.storedModel.homes[0].triggers[0].isEnabled)
  }

  @Test("HOME.E14 if the record of an end fails, nothing is written back, and the end is tried again")
  func failedEnd() {
    let events = EventTrigger(
      events: [.characteristic(.motion, equals: true)], endEvents: [.characteristic(.lock, equals: 0)])
    var bench = EngineBench([.test(1, .event(events))])
    bench.set(.motion, true)
    bench.holdsRecords = true
    bench.set(.lock, 0)
    guard case .record(_, with: _, let ticket)? = bench.held.first else {
      Issue.record("nothing was recorded")
      return
    }
    bench.held = []
    bench.perform(bench.engine.recorded(ticket, failure: "disk full"))
    #expect(bench.restored.isEmpty && bench.outcome == .endNotRecorded("disk full"))
    #expect(bench.why.contains("its effect did not end, because the end could not be stored: disk full; the hub tries"))
    bench.holdsRecords = false
    bench.run(for: .seconds(59))
    #expect(bench.restored.isEmpty)
    bench.run(for: .seconds(1))
    #expect(bench.restored == [[HomeAction(.lampOn, false), HomeAction(.lampHue, 0.0)]])
    bench.run(for: .seconds(600))
    #expect(bench.restored.count == 1)
  }

  @Test("HOME.E14 an event before the end is tried again prolongs the effect, and keeps the first values")
  func failedEndThenEvent() {
    let events = EventTrigger(events: [.characteristic(.motion, equals: true)], endEvents: [Self.tenMinutes])
    var bench = EngineBench([.test(1, .event(events))])
    bench.set(.motion, true)
    bench.set(.motion, false)
    bench.holdsRecords = true
    bench.run(for: .seconds(600))
    if case .record(_, with: _, let ticket)? = bench.held.popLast() {
      bench.perform(bench.engine.recorded(ticket, failure: "disk full"))
    }
    bench.holdsRecords = false
    bench.set(.motion, true)
    bench.run(for: .seconds(599))
    #expect(bench.restored.isEmpty)
    bench.run(for: .seconds(1))
    #expect(bench.restored == [[HomeAction(.lampOn, false), HomeAction(.lampHue, 0.0)]])
  }

  @Test("HOME.E16 sets that lost their actions while an execution was recorded are not executed")
  func emptiedMeanwhile() {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0)))])
    bench.holdsRecords = true
    bench.set(.lock, 0)
    bench.change(.actionsChanged(.hiHouse, []))
    bench.holdsRecords = false
    bench.answerHeld()
    #expect(bench.executions.isEmpty && bench.outcome == .nothingToExecute)
    #expect(bench.states[.test(1001)]?.started == [])
  }

  @Test("HOME.E14 if the record of an execution fails, the effect before is as it was")
  func failedProlongation() {
    let events = EventTrigger(events: [.characteristic(.motion, equals: true)], endEvents: [Self.tenMinutes])
    var bench = EngineBench([.test(1, .event(events))])
    bench.set(.motion, true)
    bench.set(.motion, false)
    bench.run(for: .seconds(300))
    bench.holdsRecords = true
    bench.set(.motion, true)
    if case .record(_, with: _, let ticket)? = bench.held.first {
      bench.perform(bench.engine.recorded(ticket, failure: "disk full"))
    }
    bench.holdsRecords = false
    bench.run(for: .seconds(300))
    #expect(bench.restored.count == 1)
  }

  @Test("HOME.E13 an execution that is not confirmed after a crash is explained in words")
  func explanation() {
    var bench = EngineBench([.test(1, .on(.calendar(.hour(19))))])
    bench.holdsScenes = true
    bench.run(until: "2026-06-01T19:00:00")
    #expect(bench.executions.count == 1 && bench.states[.test(1001)]?.started.count == 1)
    bench.restart(after: .seconds(5))
    #expect(bench.executions.count == 1)
    #expect(
      bench.why == """
        2026-06-01 19:00:05 "trigger 1": not executed: the execution of 2026-06-01 19:00:00 is not confirmed after a \
        crash, and is not repeated
          event: the hub started, or the trigger was enabled
        """)
    #expect(bench.states[.test(1001)]?.started == [])
    bench.restart()
    #expect(bench.engine.evaluations(of: .test(1001)).isEmpty)
  }

  @Test("Answers with unknown tickets, and answers of another kind, are ignored")
  func unknownTickets() {
    let ends = EventTrigger(
      events: [.characteristic(.lock, equals: nil)], endEvents: [Self.tenMinutes],
      condition: .characteristic(.window, .equal, false))
    var bench = EngineBench([.test(1, .event(ends))])
    (bench.holdsReads, bench.holdsRecords, bench.holdsScenes) = (true, true, true)
    bench.set(.lock, 0)
    for _ in 0..<4 {
      guard let action = bench.held.first else { break }
      let tickets = (0...20).map { EngineTicket(number: $0) }
      for ticket in tickets where ticket != action.ticket {
        #expect(bench.engine.readEnded(ticket, [:]).isEmpty)
        #expect(bench.engine.recorded(ticket).isEmpty)
        #expect(bench.engine.sceneEnded(ticket, ExecutionReport(done: 0)).isEmpty)
      }
      if let ticket = action.ticket {
        if case .read = action {} else { #expect(bench.engine.readEnded(ticket, [:]).isEmpty) }
        if case .record = action {} else { #expect(bench.engine.recorded(ticket).isEmpty) }
        if case .execute = action {
        } else {
          #expect(bench.engine.sceneEnded(ticket, ExecutionReport(done: 0)).isEmpty)
        }
      }
      bench.answerHeld()
    }
    #expect(bench.executions.count == 1 && bench.outcome?.isExecuted ?? false)
  }

  @Test("An engine is started once") func startedTwice() async {
    await #expect(processExitsWith: .failure) {
      var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0)))])
      bench.start()
    }
  }
}

extension EngineAction {
  fileprivate var ticket: EngineTicket? {
    switch self {
    case .read(_, let ticket), .record(_, with: _, let ticket), .recordPerson(_, let ticket),
      .execute(_, trigger: _, let ticket), .restore(_, trigger: _, let ticket):
      ticket
    case .subscribe, .tell, .explain: nil
    }
  }
}
