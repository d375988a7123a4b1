import Foundation
import HAPSwarm

/// Prints a line at once, so that none is lost in a crash.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// The arguments: `SEED` replays one seed and prints what happens; `--seeds FROM COUNT` runs many, and prints a line for each failure.
let arguments = Array(CommandLine.arguments.dropFirst())

func option(_ name: String) -> String? {
  guard let at = arguments.firstIndex(of: name), at + 1 < arguments.count else { return nil }
  return arguments[at + 1]
}

let mutation = option("--mutation").flatMap { SwarmMutation(rawValue: $0) }
if let first = option("--first").flatMap({ UInt64($0) }), let count = option("--count").flatMap({ UInt64($0) }) {
  var coverage = SwarmCoverage()
  for seed in first..<first + count {
    if option("--progress") != nil { say("seed \(seed)") }
    let outcome = try SwarmRun(seed: seed, mutation: mutation).run()
    coverage.add(outcome.coverage)
    for violation in outcome.violations { say("\(seed) \(violation)") }
  }
  say(coverage.table)
} else {
  let seed = UInt64(arguments.first ?? "1") ?? 1
  let outcome = try SwarmRun(seed: seed, mutation: mutation, log: { say($0) }).run()
  say(outcome.coverage.table)
  for violation in outcome.violations { say("\(violation)") }
  say("\(outcome.coverage.operations) operations, \(outcome.coverage.faultCount) faults, \(outcome.duration), trace \(outcome.traceHash)")
}
