import HAPLoop
import HAPSimulator
import HAPWorld
import Testing

@Suite("Clocks of simulated hosts") struct WorldClockTests {
  @Test("The civil clock begins in 2026, runs with the world's, and jumps on its own host only") func civil() throws {
    let hosts = try TwoHosts()
    let host = hosts.world.network.hosts[0]
    let begin = Duration.seconds(1_767_225_600)
    #expect(hosts.near.readWallClock() == begin && SimulatedHost.worldBegin == begin)
    try hosts.world.run { try await hosts.near.sleep(for: .seconds(90)) }
    let monotonic = hosts.near.readClock()
    #expect(hosts.near.readWallClock() == begin + .seconds(90))
    host.clockOffset = .seconds(-3600)
    #expect(hosts.near.readWallClock() == begin + .seconds(90 - 3600))
    #expect(hosts.far.readWallClock() == begin + .seconds(90))
    #expect(hosts.near.readClock() == monotonic)
    hosts.world.end()
  }

  @Test("A loop has the name and the limits of its simulated host and process") func identity() throws {
    let hosts = try TwoHosts()
    hosts.world.network.hosts[1].processes[0].descriptorLimit = 77
    #expect(hosts.near.machineName == "near" && hosts.far.machineName == "far")
    #expect(hosts.near.descriptorLimit == 65_536 && hosts.far.descriptorLimit == 77)
    #expect(try hosts.near.interfaces().named("eth0").addresses == [TwoHosts.nearAddress])
    hosts.world.end()
  }

  @Test("A timer that starts itself again without end leaves turns to other work", arguments: [false, true])
  func endless(_ isStanding: Bool) throws {
    let hosts = try TwoHosts()
    let fired: Int = try hosts.world.run {
      await withCheckedContinuation { continuation in
        hosts.near.schedule {
          let clock = SimulationClock(isStanding ? .standing : .jumping, on: hosts.near, mostFirings: .max)
          let log = Log()
          let timer = SimulationTimer(clock) {}
          timer.setAction {
            log.count += 1
            timer.start(after: .zero)
          }
          timer.start(after: .zero)
          clock.isHeld = false
          if isStanding { clock.advance(by: .seconds(1)) { _ in } }
          LoopTimer(hosts.near) {
            timer.close()
            clock.close()
            continuation.resume(returning: log.count)
          }.start(after: .zero)
        }
      }
    }
    #expect(fired > 0 && fired < 100_000)
    hosts.world.end()
  }

  /// Seen to fail: without a nanosecond at least, the clock wakes up at the same moment without end.
  @Test("A clock that runs twenty times as fast reaches a timer that is due a few attoseconds after a nanosecond")
  func scaled() throws {
    let hosts = try TwoHosts()
    let log = Log()
    let close = try hosts.near.performAndWait {
      let clock = SimulationClock(.running(scale: 20), on: hosts.near)
      let timer = SimulationTimer(clock) { log.count += 1 }
      timer.start(after: Duration(secondsComponent: 0, attosecondsComponent: 200_000_000_005))
      nonisolated(unsafe) let (kept, ended) = (timer, clock)
      return { @Sendable in
        kept.close()
        ended.close()
      }
    }
    for _ in 0..<1000 where log.count == 0 { _ = hosts.world.agenda.runNext() }
    #expect(log.count == 1)
    try hosts.near.performAndWait(close)
    hosts.world.end()
  }
}
