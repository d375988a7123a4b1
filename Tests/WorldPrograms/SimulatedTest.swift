import HAPCommandLine
import HAPLoop
import HAPWorld

/// One run of `haptest` in a separate world, against the `hapsim` that it starts there.
package struct SimulatedTest: Sendable {
  /// The arguments after `haptest run`.
  package var words: [String]
  package var seed: UInt64 = 0

  package init(_ words: [String], seed: UInt64 = 0) {
    self.words = words
    self.seed = seed
  }

  package struct Result: Sendable {
    package var code: ExitCode
    /// The virtual time of the run.
    package var time: Duration
    /// The hash of all events of the world.
    package var traceHash: UInt64
    /// The number of jobs from outside the world; 0 in a reproducible run.
    package var foreignJobCount: Int
  }

  /// Runs the test on the calling thread.
  package func run(_ console: Console) -> Result {
    let laboratory = SimulatedLaboratory(seed: seed)
    let world = laboratory.world
    let code = laboratory.test(words, console)
    defer { world.end() }
    return Result(
      code: code, time: world.now, traceHash: world.trace.hash, foreignJobCount: world.foreignJobCount)
  }
}
