import HAPHomeSwarm
import Testing

@Suite("Swarms of homes with a hub and accessories") struct HomeSwarmTests {
  @Test("All invariants hold in a short swarm, and two runs of a seed are equal", arguments: 1...4)
  func seeds(_ seed: UInt64) throws {
    weak var ended: HomeRun?
    func run() throws -> HomeOutcome {
      let run = HomeRun(seed: seed)
      ended = run
      return try run.run()
    }
    let outcome = try run()
    #expect(ended == nil)
    #expect(outcome.violations.isEmpty, "HAPSIM_SEED=\(seed) make swarm POPULATION=homes")
    #expect(outcome.coverage.operations >= 60 && outcome.coverage.faults >= 5)
    guard seed <= 2 else { return }
    #expect(try HomeRun(seed: seed).run().traceHash == outcome.traceHash)
  }

  // Each of these runs the seed that found the error.
  @Test("A command does not begin between two actions of the engine, of which the second is a record")
  func commandBetweenActions() throws { #expect(try HomeRun(seed: 4).run().violations.isEmpty) }

  @Test("Each invariant fails under a mutation", arguments: HomeMutation.allCases)
  func mutations(_ mutation: HomeMutation) throws {
    for seed in UInt64(1)...30 {
      let broken = try HomeRun(seed: seed, mutation: mutation).run().violations.map(\.invariant)
      if broken.contains(mutation.breaks) { return }
    }
    Issue.record("\(mutation.rawValue) does not violate \(mutation.breaks.rawValue) in 30 seeds")
  }

  @Test("Each invariant has a mutation") func coverage() {
    #expect(Set(HomeMutation.allCases.map(\.breaks)) == Set(HomeInvariant.allCases))
  }
}
