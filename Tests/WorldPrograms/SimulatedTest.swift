import HAPCommandLine
import HAPLoop
import HAPWorld

/// One run of `haptest` in a world of its own, against the `hapsim` that it starts there.
package struct SimulatedTest: Sendable {
  /// The command line behind `haptest run`.
  package var words: [String]
  package var seed: UInt64 = 0

  package init(_ words: [String], seed: UInt64 = 0) {
    self.words = words
    self.seed = seed
  }

  package struct Result: Sendable {
    package var code: ExitCode
    /// How much time passed in the world.
    package var time: Duration
    /// Of everything that happened in the world.
    package var traceHash: UInt64
    /// Jobs that came from outside of the world; 0 in a run that can be repeated.
    package var foreignJobCount: Int
  }

  /// Runs it on the calling thread.
  package func run(_ console: Console) -> Result {
    let laboratory = SimulatedLaboratory(seed: seed)
    let world = laboratory.world
    let code = laboratory.test(words, console)
    defer { world.end() }
    return Result(
      code: code, time: world.now, traceHash: world.trace.hash, foreignJobCount: world.foreignJobCount)
  }
}
