import HAPNodeSwarm
import HAPSwarm

/// The swarm of accessories with HAP controllers, or with controllers of HAP and Matter.
struct AccessorySwarms: Population {
  let population: SwarmPopulation
  let mutation: SwarmMutation?

  var name: String { population.rawValue }

  private func makeRun(_ seed: UInt64, log: ((String) -> Void)? = nil) -> SwarmRun {
    SwarmRun(seed: seed, mutation: mutation, second: population == .nodes ? NodeSwarm() : nil, log: log)
  }

  func runSome(from first: UInt64, count: UInt64) throws {
    var coverage = SwarmCoverage(of: population)
    for seed in first..<first + count {
      let outcome = try makeRun(seed).run()
      coverage.add(outcome.coverage)
      for violation in outcome.violations { say("FAILED seed \(seed): \(violation)") }
    }
    say("coverage \(coverage.line)")
  }

  func replay(_ seed: UInt64) throws -> Bool {
    let outcome = try makeRun(seed, log: { say($0) }).run()
    let coverage = outcome.coverage
    say(coverage.table)
    say(
      "seed \(seed): \(coverage.operations) operations, \(coverage.faultCount) faults, \(outcome.duration), trace \(outcome.traceHash)"
    )
    for violation in outcome.violations { say("FAILED seed \(seed): \(violation)") }
    return outcome.violations.isEmpty
  }

  func report(_ lines: [String]) {
    var coverage = SwarmCoverage(of: population)
    for line in lines { if let part = SwarmCoverage(line: line, of: population) { coverage.add(part) } }
    say(coverage.table)
    say("\(coverage.missing) pairs of an operation and a fault never met")
    say("\(coverage.operations) operations, \(coverage.faultCount) faults")
  }
}
