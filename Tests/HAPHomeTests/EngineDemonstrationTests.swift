import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

/// WWDC15, session 210: unlocking the front door before 6 p.m. with motion in the hall executes the arriving scene.
@Suite("Engine: the demonstration of 2015")
struct EngineDemonstrationTests {
  private let trigger = Trigger.test(
    1,
    .on(
      .characteristic(.lock, equals: 0),
      if: .all([.time(.before(.hour(18))), .characteristic(.motion, .equal, true)])))

  @Test("HOME.E1 the door is unlocked before 6 p.m. with motion: the scene is executed")
  func positive() {
    var bench = EngineBench([trigger], at: "2026-06-01T17:30")
    bench.set(.motion, true)
    bench.set(.lock, 0)
    #expect(bench.executions == [.init(trigger: trigger.id, sets: [.hiHouse], time: bench.now)])
    #expect(bench.world[.lampOn] == true && bench.world[.lampHue] == 120.0)
    bench.set(.lock, 1)
    bench.run(until: "2026-06-01T18:00")
    bench.set(.lock, 0)
    #expect(bench.executions.count == 1 && bench.outcome == .conditionFalse)
  }

  @Test("HOME.E5 the door is unlocked without motion: the explanation names the comparison that is false")
  func negative() {
    var bench = EngineBench([trigger], at: "2026-06-01T17:30:05")
    bench.set(.lock, 0)
    #expect(bench.executions.isEmpty)
    #expect(
      bench.why == """
        2026-06-01 17:30:05 "trigger 1": not executed: the condition is false
          event: Front Door Lock/Lock Current State became unsecured; it was secured
          condition:
            false: all of
              true: before 18:00 (17:30:05)
              false: Motion Sensor/Motion Detected is true (it is false)
        """)
  }
}
