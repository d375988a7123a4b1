import HAPLoop
import HAPStore
import Testing
@testable import HAPCommands
@testable import HAPHost

@Suite("Commands for several loops") struct FleetDispatcherTests {
  /// A loop with its dispatcher.
  private final class Part: @unchecked Sendable {  // used on its loop alone
    let loop = EventLoop(name: "part")
    private(set) var dispatcher: CommandDispatcher!

    init(origin: UInt64) throws {
      loop.start()
      try loop.performAndWait { [self] in
        let clock = SimulationClock(.running(scale: 1), on: loop, origin: origin)
        let simulation = Simulation(.init(folder: .ephemeral(), places: []), in: clock, on: loop)
        dispatcher = CommandDispatcher(
          simulation, readProfile: { throw ServedSimulation.Failure(message: $0) }, onAllStopped: {})
      }
    }

    var clock: SimulationClock { dispatcher.simulation.clock }

    func end() throws {
      try loop.performAndWait { [self] in dispatcher.simulation.stop() }
      loop.stop()
    }
  }

  @Test("A jump applies to each loop, even in the turn in which the fleet starts") func jump() throws {
    let origin = EventLoop(name: "clock").readClock()
    let parts = try (0..<3).map { _ in try Part(origin: origin) }
    let fleet = try parts[0].loop.performAndWait {
      let fleet = FleetDispatcher(parts.map(\.dispatcher), onAllStopped: {})
      parts[0].clock.jump(by: .seconds(3600)) { _ in }
      return fleet
    }
    // A later jump on another loop, too.
    try parts[1].loop.performAndWait { parts[1].clock.jump(by: .seconds(3600)) { _ in } }
    for part in parts {
      let now = try part.loop.performAndWait { part.clock.now }
      #expect(now >= .seconds(7200) && now < .seconds(10_800))
    }
    _ = fleet
    for part in parts { try part.end() }
  }
}
