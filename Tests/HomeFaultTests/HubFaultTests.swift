import HAPAlmanac
import HAPHome
import HAPHomeSwarm
import HAPHubLink
import HAPModel
import Testing

/// Crashes of the hub and jumps of its clock, each with its stated outcome. home.md §19.
@Suite("Crashes of a hub and jumps of its clock") struct HubFaultTests {
  /// Adds a trigger that writes 9 to the first lamp of the device 1 when the device 0 detects motion.
  private static func addMotionTrigger(_ it: FaultBench) async throws {
    let motion = try #require(it.app.home.motion(of: it.devices[0]))
    try await it.app.addSet("Alarm", [HomeAction(try it.lamp(1).token, .integer(9))])
    let trigger = EventTrigger(events: [.characteristic(motion, equals: .bool(true))])
    try await it.app.addTrigger("Motion", .event(trigger), runs: "Alarm")
    await it.lab.sleep(.seconds(2))
  }

  private static func restart(_ it: FaultBench) async throws {
    #expect(await it.lab.wait(atMost: .seconds(10)) { it.hub.process?.isAlive != true })
    it.hub.kill()
    #expect(await it.hub.start() == nil)
    #expect(await it.app.attach())
    for number in it.devices.indices { try await it.becomes(number, reachable: true) }
    await it.lab.sleep(.seconds(120))
  }

  enum Moment: CaseIterable { case beforePut, beforeResult }

  @Test(
    "A hub that is killed after the record does not execute again, and explains that the result is not confirmed",
    arguments: Moment.allCases, [false, true])
  func killed(_ moment: Moment, losingPower: Bool) async throws {
    try await withHome(devices: 2) { it in
      try await Self.addMotionTrigger(it)
      func crash() { if losingPower { it.hub.losePower() } else { it.hub.kill() } }
      if moment == .beforePut {
        it.hub.hooks.onWrite = { _, _ in
          it.hub.hooks.onWrite = nil
          crash()
        }
      } else {
        await it.devices[1].switchOn("latency:by=1s")
      }
      await it.devices[0].setMotion(true)
      if moment == .beforeResult {
        await it.lab.sleep(.milliseconds(500))
        crash()
        await it.devices[1].switchOff("latency")
      }
      try await Self.restart(it)
      #expect(try it.count(1, 9) == (moment == .beforePut ? 0 : 1))
      let outcomes = try await it.app.outcomes(of: "Motion")
      #expect(outcomes.first == "not-confirmed" && !outcomes.contains("executed"), "\(outcomes)")
      #expect(it.app.home.trigger("Motion")?.lastFire != nil)
      // The next event executes.
      await it.devices[0].setMotion(false)
      await it.lab.sleep(.seconds(1))
      await it.devices[0].setMotion(true)
      await it.lab.sleep(.seconds(3))
      #expect(try it.count(1, 9) == (moment == .beforePut ? 1 : 2))
    }
  }

  @Test(
    "A hub that is killed before the record executes nothing, also not after the restart, as no earlier value is known")
  func killedBeforeRecord() async throws {
    try await withHome(devices: 2) { it in
      try await Self.addMotionTrigger(it)
      it.hub.disk.crash(after: 0, losingPower: false)
      await it.devices[0].setMotion(true)
      #expect(await it.lab.wait(atMost: .seconds(10)) { it.hub.process?.isAlive != true })
      it.hub.disk.clearFaults()
      #expect(try it.count(1, 9) == 0)
      try await Self.restart(it)
      // The engine knows no value from before the crash, so the first one is no event.
      #expect(try it.count(1, 9) == 0)
      #expect(it.app.home.trigger("Motion")?.lastFire == nil)
    }
  }

  /// Adds a timer of five minutes whose next time is 30 s from now, and a time in the first minute of the hour.
  private static func addTimer(_ it: FaultBench) async throws {
    try await it.app.addSet("Tick", [HomeAction(try it.lamp(0).token, .integer(5))])
    let now = it.hub.wall.nanoseconds
    let minute: Int64 = 60_000_000_000
    let first = Instant(nanoseconds: (now / minute + 1) * minute)
    let kind = Trigger.Kind.timer(TimerTrigger(fireDate: first, recurrence: CivilPeriod(minutes: 5)))
    try await it.app.addTrigger("Timer", kind, runs: "Tick")
    await it.lab.sleep(.nanoseconds(Int64(first.nanoseconds - it.hub.wall.nanoseconds)) + .seconds(10))
    #expect(try it.count(0, 5) == 1)
  }

  @Test("A time that a jump of the clock passes is executed if it was in the last minute, and missed otherwise")
  func clockAhead() async throws {
    try await withHome(devices: 1) { it in
      try await Self.addTimer(it)
      it.hub.setClock(by: .seconds(320))
      await it.lab.sleep(.seconds(15))
      #expect(try it.count(0, 5) == 2)
      it.hub.setClock(by: .seconds(450))
      await it.lab.sleep(.seconds(15))
      #expect(try it.count(0, 5) == 2)
      #expect(try await it.app.outcomes(of: "Timer").last == "missed")
      await it.lab.sleep(.seconds(300))
      #expect(try it.count(0, 5) == 3)
    }
  }

  @Test("A time that was executed is not executed again after the clock was set back")
  func clockBack() async throws {
    try await withHome(devices: 1) { it in
      try await Self.addTimer(it)
      it.hub.setClock(by: .seconds(-400))
      await it.lab.sleep(.seconds(600))
      #expect(try it.count(0, 5) == 1)
      #expect(try await it.app.outcomes(of: "Timer").contains("settled-before"))
      await it.lab.sleep(.seconds(120))
      #expect(try it.count(0, 5) == 2)
    }
  }

  @Test("A jump of an accessory's clock does not disturb the hub")
  func accessoryClock() async throws {
    try await withHome(devices: 2) { it in
      try await it.addScene("Evening", 7)
      await it.devices[0].switchOn("clock-jump:by=1h")
      await it.lab.sleep(.seconds(30))
      #expect(try await it.app.execute(["Evening"]).error == nil && it.reachability(of: 0).isEmpty)
    }
  }
}
