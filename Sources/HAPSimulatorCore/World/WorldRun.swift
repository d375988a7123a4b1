import HAPModel
import HAPWorld

/// The report at the end of a world's run. Belongs to the world's thread.
package struct WorldRun {
  private let waits: WorldWaits
  private let seed: UInt64
  private let timeLimit: Duration
  private let world: SimulatedWorld
  private let place: String

  package init(_ waits: WorldWaits, seed: UInt64, timeLimit: Duration, of world: SimulatedWorld, at place: String) {
    self.waits = waits
    self.seed = seed
    self.timeLimit = timeLimit
    self.world = world
    self.place = place
  }

  /// Explains an error of the world, and prints the seed of a failure.
  package func end<T>(_ result: Result<T, any Error>) -> Result<T, any Error> {
    guard case .failure(let raw) = result else { return result }
    let error = (raw as? WorldError).map { explained($0) } ?? raw
    SeedVariable.print(
      "\(place): seed \(seed) failed in a simulated world, after \(world.now.roundText) of virtual time: \(error)\n"
        + "HAPSIM_SEED=\(seed) runs it again")
    return .failure(error)
  }

  private func explained(_ error: WorldError) -> any Error {
    switch error {
    case .stuck(_, let time):
      return SimulationFailure(
        .stuck,
        "the body waits, but nothing more can happen in the simulated world, at \(time.roundText)\n\(waitText)A continuation is never resumed, or something left the world. \(Self.exits)"
      )
    case .spinning(_, let time):
      return SimulationFailure(
        .stuck,
        "the clock of the simulated world can't advance from \(time.roundText), because some code runs endlessly: code that polls with Task.yield needs World.sleep between two polls"
      )
    case .timeLimit:
      return SimulationFailure(
        .timeLimit,
        "the body did not end within \(timeLimit.roundText) of virtual time; timeLimit: allows more\n\(waitText)Perhaps it waits for something that left the world. \(Self.exits)"
      )
    case .realSleep(_, let time):
      return SimulationFailure(
        .leftWorld,
        "Task.sleep was used in the simulated world, at \(time.roundText): it waits in real time. Use World.sleep, or World.clock in code that takes a clock"
      )
    case .foreignWork(_, let time):
      return SimulationFailure(
        .leftWorld,
        "work came into the simulated world from another thread, at \(time.roundText): the run could not be repeated. \(Self.exits)"
      )
    }
  }

  private var waitText: String {
    let lines = waits.lines
    if lines.isEmpty { return "no connection of the world waits\n" }
    return "waiting:\n" + lines.map { "  \($0)\n" }.joined()
  }

  /// The actions that leave a world, and their replacements.
  private static let exits = """
    Task.sleep waits in real time: use World.sleep or World.clock. \
    Tasks that were made outside of the world run elsewhere: use World.startTask, async let or a task group. \
    Code of @MainActor needs includesMainActor: true. \
    Dispatch queues, sockets and callbacks of the system can't run in a world.
    """
}
