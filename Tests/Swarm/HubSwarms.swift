import Foundation
import HAPHubSwarm

/// A population of homes: the same commands as that of accessories, with the option of its name.
protocol HomePopulation {
  /// The name for `make swarm POPULATION=`, and the option.
  var name: String { get }
  /// Runs seeds one after the other, and prints the coverage as one line for `report`.
  func runSome(from first: UInt64, count: UInt64) throws
  /// Runs one seed, and prints every event.
  /// - Returns: whether all invariants held.
  func replay(_ seed: UInt64) throws -> Bool
  /// Prints the sum of the coverage.
  func report(_ lines: [String])
}

/// The swarm of engines of hubs that crash.
struct HubSwarms: HomePopulation {
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
