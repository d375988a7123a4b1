import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: executions")
struct EngineExecutionTests {
  private let event = HomeEvent.characteristic(.lock, equals: nil)

  private func toggle(_ bench: inout EngineBench) { bench.set(.lock, bench.world[.lock] == 0 ? 1 : 0) }

  // MARK: E13

  @Test("HOME.E13 executesOnce disables the trigger before it executes")
  func executesOnce() throws {
    var bench = EngineBench([.test(1, .event(EventTrigger(events: [event], executesOnce: true)))])
    bench.holdsRecords = true
    toggle(&bench)
    guard case .record(let state, with: let changes, ticket: _)? = bench.held.first else {
      Issue.record("nothing was recorded")
      return
    }
    #expect(state.started.count == 1 && bench.executions.isEmpty && bench.told.isEmpty)
    guard case .triggerUpdated(let disabled) = changes.first?.detail else {
      Issue.record("the trigger is not disabled first")
      return
    }
    #expect(!disabled.isEnabled)
    #expect(changes.last?.detail == .triggerFired(.test(1001), at: bench.now))
    toggle(&bench)
    bench.holdsRecords = false
    bench.answerHeld()
    #expect(bench.executions.count == 1)
    #expect(bench.told == changes.map(\.detail))
    toggle(&bench)
    bench.restart()
    toggle(&bench)
    #expect(bench.executions.count == 1 && bench.subscribed.isEmpty)
    #expect(bench.text(bench.explained.last).contains("executed; the trigger executes once and is disabled now"))
    bench.update(.test(1001)) { $0.isEnabled = true }
    bench.catchUp()
    toggle(&bench)
    #expect(bench.executions.count == 2)
  }

  @Test("HOME.E13 a false condition does not use up the only execution")
  func onceWithCondition() {
    let condition = Condition.characteristic(.motion, .equal, true)
    var bench = EngineBench([
      .test(1, .event(EventTrigger(events: [event], condition: condition, executesOnce: true)))
    ])
    toggle(&bench)
    #expect(bench.executions.isEmpty && bench.model.homes[0].triggers[0].isEnabled)
    bench.set(.motion, true)
    toggle(&bench)
    #expect(bench.executions.count == 1 && !bench.model.homes[0].triggers[0].isEnabled)
  }

  // MARK: E15

  @Test("HOME.E15 triggers may activate each other; in a loop, the one that fires an 11th time in a second is disabled")
  func loop() {
    var bench = EngineBench([
      .test(1, .on(.characteristic(.lampOn, equals: true)), sets: [.byeHouse]),
      .test(2, .on(.characteristic(.lampOn, equals: false)), sets: [.hiHouse]),
    ])
    bench.set(.lampOn, true)
    #expect(bench.executions.count == 20)
    let stopped = bench.model.homes[0].triggers.filter { !$0.isEnabled }
    #expect(stopped.map(\.id) == [.test(1001)])
    #expect(bench.storedModel == bench.model)
    #expect(bench.told.contains(.triggerUpdated(stopped[0])))
    let last = bench.engine.evaluations(of: .test(1001)).last
    #expect(last?.outcome == .loopStopped)
    #expect(bench.text(last).contains("it was executed too often within a second, so it is disabled now"))
    bench.update(.test(1001)) { $0.isEnabled = true }
    bench.catchUp()
    bench.run(for: .seconds(2))
    bench.set(.lampOn, false)
    #expect(bench.executions.count > 20)
  }

  @Test("HOME.E15 ten executions in each second are no loop")
  func noLoop() {
    var bench = EngineBench([.test(1, .on(event))])
    for _ in 0..<100 {
      toggle(&bench)
      bench.run(for: .milliseconds(100))
    }
    #expect(bench.executions.count == 100)
    // Now the 11th one is 999 ms after the first one.
    toggle(&bench)
    bench.run(for: .milliseconds(99))
    #expect(bench.executions.count == 101)
    toggle(&bench)
    #expect(bench.outcome == .loopStopped && bench.executions.count == 101)
  }

  @Test("HOME.E15 evaluations without an execution do not count")
  func falseConditions() {
    var bench = EngineBench([.test(1, .on(event, if: .any([])))])
    for _ in 0..<50 { toggle(&bench) }
    #expect(bench.model.homes[0].triggers[0].isEnabled)
    #expect(bench.engine.evaluations(of: .test(1001)).map(\.number) == Array(31...50))
  }

  @Test("Seventeen unfinished executions are too many")
  func unfinished() {
    var bench = EngineBench([.test(1, .on(event))])
    bench.holdsScenes = true
    for _ in 0..<17 {
      toggle(&bench)
      bench.run(for: .seconds(1))
    }
    #expect(bench.executions.count == 16 && bench.outcome == .tooManyExecutions)
    bench.answerHeld()
    toggle(&bench)
    #expect(bench.executions.count == 17)
  }

  // MARK: E16

  @Test("HOME.E16 the sets of a trigger are one execution, without those that have no actions")
  func together() {
    var bench = EngineBench([.test(1, .on(event), sets: [.hiHouse, .empty, .byeHouse, .test(77)])])
    toggle(&bench)
    #expect(bench.executions.map(\.sets) == [[.hiHouse, .byeHouse]])
    #expect(bench.outcome == .executed(ExecutionReport(done: 4)))
  }

  @Test("Failed writes are in the explanation")
  func failures() {
    var bench = EngineBench([.test(1, .on(event))])
    bench.unreachable = [.lampHue]
    toggle(&bench)
    #expect(
      bench.why == """
        2026-06-01 12:00:00 "trigger 1": executed, but not all writes succeeded
          event: Front Door Lock/Lock Current State became unsecured; it was secured
          writes: 1 done, 1 failed
            Stereo Light/Hue: the accessory is not reachable
        """)
  }

  // MARK: E17

  @Test("HOME.E17 without a hub, event triggers are not executed, and timers are")
  func noHub() throws {
    let fireDate = Instant(seconds: 1_780_318_800)
    var bench = EngineBench([
      .test(1, .on(event)), .test(2, .on(.calendar(.hour(19)))), .test(3, .timer(TimerTrigger(fireDate: fireDate))),
    ])
    #expect(bench.engine.activation(of: .test(1001)) == .enabled)
    bench.engine.hubIs(on: false)
    #expect(bench.engine.activation(of: .test(1001)) == .disabledNoHomeHub)
    #expect(bench.engine.activation(of: .test(1003)) == .enabled)
    toggle(&bench)
    #expect(bench.why.contains("not executed: the home has no hub"))
    bench.run(until: "2026-06-01T20:00")
    #expect(bench.executions.map(\.trigger) == [.test(1003)])
    #expect(bench.explained.filter { $0.outcome == .noHub }.map(\.trigger) == [.test(1001), .test(1002)])
    bench.engine.hubIs(on: true)
    toggle(&bench)
    #expect(bench.executions.count == 2)
  }

  @Test("HOME.E17 without a location, triggers that need one are not executed")
  func noLocation() throws {
    let sunset = try #require(SunMoment(.sunset))
    var bench = EngineBench([
      .test(1, .event(EventTrigger(events: [.sun(sunset), event]))),
      .test(2, .on(event, if: .any([.sun(.after(sunset)), .all([])]))), .test(3, .on(event)),
      .test(4, .on(event), isEnabled: false),
    ])
    bench.change(.locationChanged(nil))
    #expect(
      (1...4).map { bench.engine.activation(of: .test(1000 + $0)) } == [
        .disabledNoLocationServicesAuthorization, .disabledNoLocationServicesAuthorization, .enabled, .disabled,
      ])
    #expect(bench.engine.activation(of: .test(99)) == nil)
    toggle(&bench)
    bench.run(for: .seconds(86_400))
    #expect(bench.executions.map(\.trigger) == [.test(1003)])
    #expect(bench.explained.filter { $0.outcome == .noLocation }.map(\.trigger) == [.test(1001), .test(1002)])
    bench.change(.locationChanged(Home.berlin))
    bench.run(for: .seconds(86_400))
    #expect(bench.executions.map(\.trigger) == [.test(1003), .test(1001)])
  }
}
