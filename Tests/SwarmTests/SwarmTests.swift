import HAPSwarm
import Testing

@Suite("Swarms of accessories and controllers") struct SwarmTests {
  @Test("All invariants hold in a short swarm, and two runs of a seed are equal", arguments: 1...6)
  func seeds(_ seed: UInt64) throws {
    weak var ended: SwarmRun?
    func run() throws -> SwarmOutcome {
      let run = SwarmRun(seed: seed)
      ended = run
      return try run.run()
    }
    let outcome = try run()
    #expect(ended == nil)
    #expect(outcome.violations.isEmpty, "HAPSIM_SEED=\(seed) make swarm")
    #expect(outcome.coverage.operations >= 200 && outcome.coverage.faultCount >= 3)
    guard seed <= 2 else { return }
    #expect(try SwarmRun(seed: seed).run().traceHash == outcome.traceHash)
  }

  // Each of these runs the seed that found the error.
  @Test("An event that waits for a controller is dropped when the controller writes the value itself")
  func eventToWriter() throws { #expect(try SwarmRun(seed: 7).run().violations.isEmpty) }

  @Test("A movement ends even if its time is not a whole number of nanoseconds")
  func endOfMovement() throws { #expect(try SwarmRun(seed: 9).run().violations.isEmpty) }

  @Test("An earlier owner's values are not restored from a log that a power cut damaged before the factory reset")
  func damagedLog() throws { #expect(try SwarmRun(seed: 5987).run().violations.isEmpty) }

  // The debug build has other traces, so only the optimized build shows these errors.
  @Test(
    "A controller may be removed and added while it verifies, and may connect to a former address",
    arguments: [1062, 1408, 1778])
  func races(_ seed: UInt64) throws { #expect(try SwarmRun(seed: seed).run().violations.isEmpty) }

  @Test("Each invariant fails under a mutation", arguments: SwarmMutation.all(of: .accessories))
  func mutations(_ mutation: SwarmMutation) throws {
    for seed in UInt64(1)...30 {
      let broken = try SwarmRun(seed: seed, mutation: mutation).run().violations.map(\.invariant)
      if broken.contains(mutation.breaks) { return }
    }
    Issue.record("\(mutation.rawValue) does not violate \(mutation.breaks.rawValue) in 30 seeds")
  }

  @Test("Each invariant has a mutation") func coverage() {
    #expect(Set(SwarmMutation.all(of: .accessories).map(\.breaks)) == Set(SwarmInvariant.all(of: .accessories)))
  }
}
