import HAPHubSwarm
import Testing

@Suite("Swarms of homes whose hub crashes") struct HubSwarmTests {
  @Test("All invariants hold in a home, and two runs of a seed are equal")
  func seeds() {
    var coverage = HubCoverage()
    for seed in UInt64(1)...6 {
      let outcome = HubSwarmRun(seed: seed).run()
      #expect(outcome.violations.isEmpty, "HAPSIM_SEED=\(seed) make swarm POPULATION=hubs")
      coverage.add(outcome.coverage)
      if seed == 1 { #expect(HubSwarmRun(seed: seed).run().traceHash == outcome.traceHash) }
    }
    for check in HubCheck.allCases { #expect(coverage[check] > 0, "\(check.rawValue)") }
  }

  @Test("Each invariant fails under a mutation", arguments: HubMutation.allCases)
  func mutations(_ mutation: HubMutation) {
    for seed in UInt64(1)...40 {
      let broken = HubSwarmRun(seed: seed, mutation: mutation).run().violations.map(\.invariant)
      if broken.contains(mutation.breaks) { return }
    }
    Issue.record("\(mutation.rawValue) does not violate \(mutation.breaks.rawValue) in 40 seeds")
  }

  @Test("Each invariant has a mutation") func coverage() {
    #expect(Set(HubMutation.allCases.map(\.breaks)) == Set(HubInvariant.allCases))
  }
}
