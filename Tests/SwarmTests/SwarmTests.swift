import HAPSwarm
import Testing

@Suite("Swarms of accessories and controllers") struct SwarmTests {
  @Test("All invariants hold in a short swarm, and two runs of a seed are the same", arguments: 1...6)
  func seeds(_ seed: UInt64) throws {
    let outcome = try SwarmRun(seed: seed).run()
    #expect(outcome.violations.isEmpty, "HAPSIM_SEED=\(seed) make swarm")
    #expect(outcome.coverage.operations >= 200 && outcome.coverage.faultCount >= 3)
    guard seed <= 2 else { return }
    #expect(try SwarmRun(seed: seed).run().traceHash == outcome.traceHash)
  }

  // With the seed that found it.
  @Test("An event that waits for a controller is dropped when the controller writes the value itself")
  func eventToWriter() throws { #expect(try SwarmRun(seed: 7).run().violations.isEmpty) }

  @Test("A movement ends, although its time is no whole number of nanoseconds")
  func endOfMovement() throws { #expect(try SwarmRun(seed: 9).run().violations.isEmpty) }

  @Test("Values of an earlier owner do not come back from a log that a power cut damaged before the factory reset")
  func damagedLog() throws { #expect(try SwarmRun(seed: 5987).run().violations.isEmpty) }

  // The debug build meets other traces, so that these show the same only in the optimized build.
  @Test(
    "A controller may be removed and added while it verifies, and speak to an address that is no more",
    arguments: [1062, 1408, 1778])
  func races(_ seed: UInt64) throws { #expect(try SwarmRun(seed: seed).run().violations.isEmpty) }

  @Test("Each invariant is seen to fail", arguments: SwarmMutation.allCases) func mutations(_ mutation: SwarmMutation)
    throws
  {
    for seed in UInt64(1)...30 {
      let broken = try SwarmRun(seed: seed, mutation: mutation).run().violations.map(\.invariant)
      if broken.contains(mutation.breaks) { return }
    }
    Issue.record("\(mutation.rawValue) does not break \(mutation.breaks.rawValue) in 30 seeds")
  }

  @Test("Each invariant has a mutation") func coverage() {
    #expect(Set(SwarmMutation.allCases.map(\.breaks)) == Set(SwarmInvariant.allCases))
  }
}
