import HAPHost
import HAPLoop
import HAPWorld
import Testing

@Suite("Clocks of simulated hosts") struct WorldClockTests {
  @Test("The civil clock begins in 2026, runs with the world's clock, and jumps only on its own host")
  func civil() throws {
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

  /// Without a minimum delay of a nanosecond, the clock would wake up endlessly at the same time.
  @Test(
    "A clock of any speed reaches each time, despite rounding",
    arguments: [20, 3, 7.3, 0.07])
  func scaled(_ scale: Double) throws {
    let hosts = try TwoHosts()
    var random = WorldRandom(seed: 1)
    let delays = (0..<3000).map { _ in Duration.seconds(Double(random.upTo(200)) / 100) }
    let time: Duration = try hosts.world.run {
      await withCheckedContinuation { continuation in
        hosts.near.schedule {
          let clock = SimulationClock(.running(scale: scale), on: hosts.near)
          let log = Log()
          let timer = SimulationTimer(clock) {}
          timer.setAction {
            log.time = max(log.time, clock.now)
            log.count += 1
            if log.count < delays.count { return timer.start(after: delays[log.count]) }
            continuation.resume(returning: log.time)
            timer.close()
            clock.close()
          }
          timer.start(after: delays[0])
        }
      }
    }
    #expect(time == delays.reduce(.zero, +))
    hosts.world.end()
  }

  @Test("A timer that always restarts itself doesn't prevent other work", arguments: [false, true])
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
}
