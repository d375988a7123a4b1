import HAPNodeSwarm
import HAPSwarm
import Testing

@Suite("Swarms of Matter nodes with controllers of both protocols") struct NodeSwarmTests {
  private static func run(_ seed: UInt64, _ mutation: SwarmMutation? = nil) throws -> SwarmOutcome {
    try SwarmRun(seed: seed, mutation: mutation, second: NodeSwarm()).run()
  }

  @Test("All invariants hold in a short swarm, and two runs of a seed are equal", arguments: 1...4)
  func seeds(_ seed: UInt64) throws {
    weak var ended: SwarmRun?
    func run() throws -> SwarmOutcome {
      let run = SwarmRun(seed: seed, second: NodeSwarm())
      ended = run
      return try run.run()
    }
    let outcome = try run()
    #expect(ended == nil)
    #expect(outcome.violations.isEmpty, "HAPSIM_SEED=\(seed) make swarm POPULATION=nodes")
    #expect(outcome.coverage.operations >= 200 && outcome.coverage.faultCount >= 3)
    guard seed <= 1 else { return }
    #expect(try Self.run(seed).traceHash == outcome.traceHash)
  }

  @Test("Each invariant fails under a mutation", arguments: SwarmMutation.allCases.filter(\.isOfMatter))
  func mutations(_ mutation: SwarmMutation) throws {
    for seed in UInt64(1)...30 {
      let broken = try Self.run(seed, mutation).violations.map(\.invariant)
      if broken.contains(mutation.breaks) { return }
    }
    Issue.record("\(mutation.rawValue) does not violate \(mutation.breaks.rawValue) in 30 seeds")
  }

  @Test("Each invariant of Matter has a mutation") func coverage() {
    let broken = Set(SwarmMutation.allCases.filter(\.isOfMatter).map(\.breaks))
    #expect(broken.isSuperset(of: SwarmInvariant.allCases.filter(\.isOfMatter)))
  }
}
