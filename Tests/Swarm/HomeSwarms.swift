import HAPHomeSwarm

/// The swarm of homes with a real hub and simulated accessories.
struct HomeSwarms: Population {
  let name = "homes"
  let mutation: HomeMutation?

  func runSome(from first: UInt64, count: UInt64) throws {
    var coverage = HomeCoverage()
    for seed in first..<first + count {
      let outcome = try HomeRun(seed: seed, mutation: mutation).run()
      coverage.add(outcome.coverage)
      for violation in outcome.violations { say("FAILED seed \(seed): \(violation)") }
    }
    say("coverage \(coverage.line)")
  }

  func replay(_ seed: UInt64) throws -> Bool {
    let outcome = try HomeRun(seed: seed, mutation: mutation, log: { say($0) }).run()
    say(outcome.coverage.table)
    say("seed \(seed): \(outcome.duration), trace \(outcome.traceHash)")
    for violation in outcome.violations { say("FAILED seed \(seed): \(violation)") }
    return outcome.violations.isEmpty
  }

  func report(_ lines: [String]) {
    var coverage = HomeCoverage()
    for line in lines { if let part = HomeCoverage(line: line) { coverage.add(part) } }
    say(coverage.table)
    say("\(coverage.operations) operations, \(coverage.faults) faults")
  }
}
