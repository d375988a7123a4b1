import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: end events")
struct EngineEndTests {
  private func trigger(
    _ endEvents: [HomeEvent], executesOnce: Bool = false, if condition: Condition? = nil,
    sets: [HomeObjectID] = [.hiHouse]
  ) -> Trigger {
    .test(
      1,
      .event(
        EventTrigger(
          events: [.characteristic(.motion, equals: true)], endEvents: endEvents, condition: condition,
          executesOnce: executesOnce)), sets: sets)
  }

  private let tenMinutes = HomeEvent.duration(seconds: 600)

  private func pulse(_ bench: inout EngineBench) {
    bench.set(.motion, true)
    bench.set(.motion, false)
  }

  @Test("HOME.E14 values are read before, and written back after the duration")
  func duration() {
    var bench = EngineBench([trigger([tenMinutes])])
    bench.world[.lampHue] = 33.0
    pulse(&bench)
    #expect(bench.world[.lampOn] == true && bench.world[.lampHue] == 120.0)
    let order = bench.trace.compactMap { action -> String? in
      switch action {
      case .read: "read"
      case .record: "record"
      case .execute: "execute"
      default: nil
      }
    }
    #expect(order == ["read", "record", "execute", "record"])
    bench.run(for: .seconds(599))
    #expect(bench.restored.isEmpty)
    bench.run(for: .seconds(1))
    #expect(bench.restored == [[HomeAction(.lampOn, false), HomeAction(.lampHue, 33.0)]])
    #expect(bench.world[.lampOn] == false && bench.world[.lampHue] == 33.0)
    #expect(bench.states[.test(1001)]?.running == nil && bench.states[.test(1001)]?.started == [])
    #expect(
      bench.why == """
        2026-06-01 12:10:00 "trigger 1": its effect ended
          event: the duration ended on 2026-06-01 12:10:00
          Stereo Light/On: gets back off
          Stereo Light/Hue: gets back 33°
          writes: 2 done, 0 failed
        """)
    bench.run(for: .seconds(3600))
    #expect(bench.restored.count == 1)
  }

  @Test("HOME.E14 the first of several end events counts: a value, a range, or the shortest duration")
  func firstEnd() throws {
    let cold = try #require(ThresholdRange(min: nil, max: 18))
    let ends: [HomeEvent] = [
      .characteristic(.lock, equals: 0), .threshold(.temperature, cold), .duration(seconds: 900), tenMinutes,
    ]
    let steps: [(inout EngineBench) -> Void] = [
      { $0.set(.lock, 0) }, { $0.set(.temperature, 17.5) }, { $0.run(for: .seconds(600)) },
    ]
    for step in steps {
      var bench = EngineBench([trigger(ends)])
      pulse(&bench)
      bench.run(for: .seconds(5))
      #expect(bench.restored.isEmpty)
      step(&bench)
      bench.run(for: .seconds(1))
      #expect(bench.restored.count == 1)
      bench.run(for: .seconds(3600))
      #expect(bench.restored.count == 1)
    }
  }

  @Test("HOME.E14 an end event without a running effect does nothing")
  func noEffect() {
    var bench = EngineBench([trigger([.characteristic(.lock, equals: 0)])])
    bench.set(.lock, 0)
    #expect(bench.explained.isEmpty && bench.restored.isEmpty)
    // The trigger does not end by an event before it fired.
    pulse(&bench)
    #expect(bench.restored.isEmpty)
  }

  @Test("HOME.E14 a person's later change stays, within half a step")
  func laterChange() {
    var bench = EngineBench([trigger([tenMinutes])])
    pulse(&bench)
    bench.world[.lampHue] = 200.0
    bench.run(for: .seconds(600))
    #expect(bench.restored == [[HomeAction(.lampOn, false)]])
    #expect(bench.why.contains("Stereo Light/Hue: stays 200°"))
    pulse(&bench)
    bench.world[.lampHue] = 120.4
    bench.run(for: .seconds(600))
    #expect(bench.restored[1] == [HomeAction(.lampOn, false), HomeAction(.lampHue, 200.0)])
  }

  @Test("HOME.E14 a value that the sets did not change is not written back")
  func noDifference() {
    var bench = EngineBench([trigger([tenMinutes])])
    bench.world[.lampOn] = true
    bench.world[.lampHue] = 120.0
    pulse(&bench)
    bench.run(for: .seconds(600))
    #expect(bench.restored.isEmpty && bench.states[.test(1001)]?.running == nil)
    #expect(bench.outcome == .ended(endedValues(bench), ExecutionReport(done: 0)))
  }

  private func endedValues(_ bench: EngineBench) -> [Evaluation.RestoredValue] {
    if case .ended(let values, _)? = bench.outcome { values } else { [] }
  }

  @Test("HOME.E14 a value that can't be read before is not written back; nor is one that can't be read at the end")
  func unreadable() {
    var bench = EngineBench([trigger([tenMinutes])])
    bench.unreachable = [.lampHue]
    pulse(&bench)
    bench.unreachable = []
    bench.world[.lampHue] = 120.0
    bench.run(for: .seconds(600))
    #expect(bench.restored == [[HomeAction(.lampOn, false)]])
    #expect(bench.why.contains("Stereo Light/Hue: stays, because the value before is unknown"))
    pulse(&bench)
    bench.unreachable = [.lampOn, .lampHue]
    bench.run(for: .seconds(600))
    #expect(bench.restored.count == 1)
    #expect(bench.why.contains("Stereo Light/On: stays, because the value is unknown"))
  }

  @Test("HOME.E14 if the trigger fires again, the duration restarts and the first values are kept")
  func refire() {
    var bench = EngineBench([trigger([tenMinutes])])
    bench.world[.lampHue] = 33.0
    pulse(&bench)
    bench.run(for: .seconds(400))
    bench.world[.lampHue] = 50.0
    pulse(&bench)
    #expect(bench.executions.count == 2)
    #expect(bench.trace.count { if case .read = $0 { true } else { false } } == 1)
    bench.run(for: .seconds(599))
    #expect(bench.restored.isEmpty)
    bench.run(for: .seconds(1))
    #expect(bench.restored == [[HomeAction(.lampOn, false), HomeAction(.lampHue, 33.0)]])
  }

  @Test("HOME.E14 a set that was changed in between adds its values, and keeps the first ones")
  func changedSet() {
    var bench = EngineBench([trigger([tenMinutes])])
    pulse(&bench)
    bench.change(
      .actionsChanged(.hiHouse, [HomeAction(.lampOn, true), HomeAction(.lampBrightness, 100)]))
    pulse(&bench)
    bench.run(for: .seconds(600))
    #expect(
      bench.restored == [
        [HomeAction(.lampOn, false), HomeAction(.lampBrightness, 50), HomeAction(.lampHue, 0.0)]
      ])
  }

  @Test("HOME.E14 of two sets that write one characteristic, the last value counts")
  func twoSets() {
    var bench = EngineBench([trigger([tenMinutes], sets: [.byeHouse, .hiHouse])])
    bench.world[.lampOn] = false
    pulse(&bench)
    #expect(bench.world[.lampOn] == true)
    bench.run(for: .seconds(600))
    #expect(bench.world == bench.world.merging([.lampOn: false, .lampBrightness: 50, .lampHue: 0.0]) { $1 })
  }

  @Test("HOME.E14 an effect survives a restart, and ends late if the hub was off")
  func restart() {
    for (off, late) in [(Duration.seconds(100), false), (.seconds(86_400), true)] {
      var bench = EngineBench([trigger([tenMinutes])])
      pulse(&bench)
      bench.run(for: .seconds(100))
      bench.restart(after: off)
      #expect(bench.restored.count == (late ? 1 : 0))
      bench.run(for: .seconds(600))
      #expect(bench.restored == [[HomeAction(.lampOn, false), HomeAction(.lampHue, 0.0)]])
      bench.restart(after: .seconds(86_400))
      #expect(bench.restored.count == 1)
    }
  }

  @Test("HOME.E14 if the clock goes back, the rest of the duration stays; after a restart it is at most the duration")
  func setBack() {
    var bench = EngineBench([trigger([tenMinutes])])
    pulse(&bench)
    bench.run(for: .seconds(400))
    bench.jump(to: bench.now.advanced(by: .seconds(-3600)))
    bench.run(for: .seconds(199))
    #expect(bench.restored.isEmpty)
    bench.run(for: .seconds(1))
    #expect(bench.restored.count == 1)
    pulse(&bench)
    bench.restart(after: .seconds(-7200))
    bench.run(for: .seconds(599))
    #expect(bench.restored.count == 1)
    bench.run(for: .seconds(1))
    #expect(bench.restored.count == 2)
  }

  @Test("HOME.E14 with an uptime, the rest of the duration stays if the clock is set, and passes in a sleep")
  func clockIsSet() {
    for step in [3600, -3600, 300, -300, 400_000_000, -1_000_000_000] {
      var bench = EngineBench([trigger([tenMinutes])])
      bench.uptime = .seconds(77)
      pulse(&bench)
      bench.run(for: .seconds(400))
      bench.jump(to: bench.now.advanced(by: .seconds(step)))
      bench.run(for: .seconds(199))
      #expect(bench.restored.isEmpty, "\(step) s")
      // The new end is durable.
      bench.restart(knowsValues: false)
      bench.run(for: .seconds(1))
      #expect(bench.restored.count == 1, "\(step) s")
    }
    var bench = EngineBench([trigger([tenMinutes])])
    bench.uptime = .zero
    pulse(&bench)
    bench.run(for: .seconds(1))
    bench.jump(to: bench.now.advanced(by: .seconds(3600)), isSleep: true)
    #expect(bench.restored.count == 1)
  }

  @Test("HOME.E14 if the clock is set while a prolongation is recorded that fails, the effect before ends in its time")
  func clockIsSetDuringRecord() {
    var bench = EngineBench([trigger([tenMinutes])])
    bench.uptime = .zero
    pulse(&bench)
    bench.run(for: .seconds(400))
    bench.holdsRecords = true
    bench.set(.motion, true)
    let held = bench.held
    bench.jump(to: bench.now.advanced(by: .seconds(7200)))
    if case .record(_, with: _, let ticket)? = held.first {
      bench.perform(bench.engine.recorded(ticket, failure: "disk full"))
    }
    bench.holdsRecords = false
    bench.run(for: .seconds(199))
    #expect(bench.restored.isEmpty)
    bench.run(for: .seconds(1))
    #expect(bench.restored.count == 1)
  }

  @Test("HOME.E14 a trigger that executes once is disabled, and its effect still ends")
  func executesOnce() {
    var bench = EngineBench([trigger([tenMinutes, .characteristic(.lock, equals: 0)], executesOnce: true)])
    pulse(&bench)
    pulse(&bench)
    #expect(bench.executions.count == 1 && bench.subscribed == [.lock])
    bench.restart()
    #expect(bench.subscribed == [.lock])
    bench.set(.lock, 0)
    #expect(bench.restored.count == 1 && bench.subscribed.isEmpty)
  }

  @Test("HOME.E14 new end events apply to a running effect; without any, it does not end")
  func newEndEvents() {
    var bench = EngineBench([trigger([tenMinutes])])
    pulse(&bench)
    func change(_ ends: [HomeEvent]) {
      bench.update(.test(1001)) {
        $0.kind = .event(EventTrigger(events: [.characteristic(.motion, equals: true)], endEvents: ends))
      }
    }
    change([.duration(seconds: 60)])
    bench.run(for: .seconds(60))
    #expect(bench.restored.count == 1)
    pulse(&bench)
    change([])
    bench.run(for: .seconds(3600))
    #expect(bench.restored.count == 1 && bench.states[.test(1001)]?.running == nil)
    change([tenMinutes])
    pulse(&bench)
    bench.change(.triggerRemoved(.test(1001)))
    bench.run(for: .seconds(3600))
    #expect(bench.restored.count == 1)
  }

  // MARK: At the same time

  @Test("HOME.E14 an event while the values at the end are read prolongs the effect")
  func fireDuringEndRead() {
    var bench = EngineBench([trigger([tenMinutes])])
    pulse(&bench)
    bench.holdsReads = true
    bench.run(for: .seconds(600))
    #expect(bench.held.count == 1)
    pulse(&bench)
    #expect(bench.executions.count == 2)
    bench.answerHeld()
    #expect(bench.restored.isEmpty)
    bench.holdsReads = false
    bench.run(for: .seconds(600))
    #expect(bench.restored == [[HomeAction(.lampOn, false), HomeAction(.lampHue, 0.0)]])
  }

  @Test("HOME.E14 an event while old values are written keeps them as the first values")
  func fireDuringRestore() {
    var bench = EngineBench([trigger([tenMinutes])])
    pulse(&bench)
    bench.holdsScenes = true
    bench.run(for: .seconds(600))
    #expect(bench.restored.count == 1)
    pulse(&bench)
    bench.holdsScenes = false
    bench.answerHeld()
    bench.run(for: .seconds(600))
    #expect(bench.restored.count == 2 && bench.restored[0] == bench.restored[1])
  }

  @Test("HOME.E14 an end event while the first values are read is ignored: the effect starts again")
  func endDuringSnapshot() {
    var bench = EngineBench([trigger([tenMinutes, .characteristic(.lock, equals: 0)])])
    pulse(&bench)
    bench.change(
      .actionsChanged(.hiHouse, [HomeAction(.lampOn, true), HomeAction(.lampBrightness, 100)]))
    bench.holdsReads = true
    bench.set(.motion, true)
    bench.set(.lock, 0)
    #expect(bench.held.count == 1)
    bench.holdsReads = false
    bench.answerHeld()
    #expect(bench.executions.count == 2 && bench.restored.isEmpty)
    bench.run(for: .seconds(600))
    #expect(bench.restored.count == 1)
  }

  @Test("HOME.E14 an end that falls into an execution that is then dropped is caught up")
  func overdueEnd() {
    var bench = EngineBench([trigger([tenMinutes])])
    pulse(&bench)
    bench.change(.actionsChanged(.hiHouse, [HomeAction(.lampOn, true), HomeAction(.lampBrightness, 100)]))
    bench.run(for: .seconds(598))
    bench.holdsReads = true
    bench.set(.motion, true)
    bench.run(for: .seconds(3))
    bench.change(.actionsChanged(.hiHouse, []))
    bench.holdsReads = false
    bench.answerHeld()
    #expect(bench.restored == [[HomeAction(.lampOn, false), HomeAction(.lampHue, 0.0)]])
  }

  @Test("HOME.E14 the values at the end are waited for 5 s")
  func endReadLimit() {
    var bench = EngineBench([trigger([tenMinutes])])
    pulse(&bench)
    bench.holdsReads = true
    bench.run(for: .seconds(605))
    #expect(bench.restored.isEmpty && bench.states[.test(1001)]?.running == nil)
    #expect(bench.why.contains("Stereo Light/On: stays, because the value is unknown"))
  }

  @Test("HOME.E14 a condition that is false at a later event does not prolong the effect")
  func falseCondition() {
    var bench = EngineBench([trigger([tenMinutes], if: .characteristic(.lock, .equal, 1))])
    pulse(&bench)
    bench.run(for: .seconds(300))
    bench.set(.lock, 0)
    pulse(&bench)
    bench.run(for: .seconds(300))
    #expect(bench.executions.count == 1 && bench.restored.count == 1)
  }

  @Test("HOME.E14 a failed write of an old value is reported, and not repeated")
  func failedRestore() {
    var bench = EngineBench([trigger([tenMinutes, .characteristic(.lock, equals: 0)])])
    pulse(&bench)
    bench.engine.valuesLost([])
    bench.holdsScenes = true
    bench.set(.lock, 0)
    bench.unreachable = [.lampHue]
    bench.answerHeld()
    #expect(bench.why.contains("its effect ended, but not all writes succeeded"))
    #expect(bench.why.contains("    Stereo Light/Hue: the accessory is not reachable"))
    bench.run(for: .seconds(3600))
    #expect(bench.restored.count == 1)
  }
}
