import HAPHubSwarm

/// The swarm of engines of hubs that crash.
struct HubSwarms: Population {
  let name = "hubs"
  let mutation: HubMutation?

  func runSome(from first: UInt64, count: UInt64) {
    var coverage = HubCoverage()
    for seed in first..<first + count {
      let outcome = HubSwarmRun(seed: seed, mutation: mutation).run()
      coverage.add(outcome.coverage)
      for violation in outcome.violations { say("FAILED seed \(seed): \(violation)") }
    }
    say("coverage \(coverage.line)")
  }

  func replay(_ seed: UInt64) -> Bool {
    let outcome = HubSwarmRun(seed: seed, mutation: mutation, log: { say($0) }).run()
    say(outcome.coverage.table)
    say("seed \(seed): \(outcome.duration), trace \(outcome.traceHash)")
    for violation in outcome.violations { say("FAILED seed \(seed): \(violation)") }
    return outcome.violations.isEmpty
  }

  func report(_ lines: [String]) {
    var coverage = HubCoverage()
    for line in lines { if let part = HubCoverage(line: line) { coverage.add(part) } }
    say(coverage.table)
  }
}
