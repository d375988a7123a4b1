import Foundation
import HAPHomeSwarm
import HAPHubSwarm
import HAPSwarm

// Runs seeds of the swarm, or replays one. See docs/internals/swarm.md.

/// Prints a line immediately, so it is not lost in a crash.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let arguments = Array(CommandLine.arguments.dropFirst())

/// The value of an option.
func option(_ name: String) -> String? {
  guard let at = arguments.firstIndex(of: name), at + 1 < arguments.count else { return nil }
  return arguments[at + 1]
}

func number(_ name: String, default other: UInt64) -> UInt64 { option(name).flatMap { UInt64($0) } ?? other }

let mutation = option("--mutation").flatMap { SwarmMutation(rawValue: $0) }

/// Returns the population of homes; nil: the population of accessories and controllers.
func chosenHomes() -> (any HomePopulation)? {
  if arguments.contains("--hubs") {
    HubSwarms(mutation: option("--mutation").flatMap { HubMutation(rawValue: $0) })
  } else if arguments.contains("--homes") {
    HomeSwarms(mutation: option("--mutation").flatMap { HomeMutation(rawValue: $0) })
  } else {
    nil
  }
}

/// Runs seeds one after the other, and prints the coverage as one line for `runAll`.
func runSome(from first: UInt64, count: UInt64) throws {
  var coverage = SwarmCoverage()
  for seed in first..<first + count {
    let outcome = try SwarmRun(seed: seed, mutation: mutation).run()
    coverage.add(outcome.coverage)
    for violation in outcome.violations { say("FAILED seed \(seed): \(violation)") }
  }
  say("coverage \(coverage.line)")
}

/// Prints the sum of the coverage.
func report(_ lines: [String]) {
  var coverage = SwarmCoverage()
  for line in lines { if let part = SwarmCoverage(line: line) { coverage.add(part) } }
  say(coverage.table)
  say("\(coverage.missing) pairs of an operation and a fault never met")
  say("\(coverage.operations) operations, \(coverage.faultCount) faults")
}

/// Runs seeds in one process per core, and prints the report.
/// - Returns: whether all invariants held.
func runAll(_ count: UInt64) throws -> Bool {
  let homes = chosenHomes()
  let first = number("--first", default: 1)
  let jobs = min(count, number("--jobs", default: UInt64(ProcessInfo.processInfo.activeProcessorCount)))
  let start = ContinuousClock.now
  var running: [(process: Process, pipe: Pipe)] = []
  for job in 0..<jobs {
    let share = count / jobs + (job < count % jobs ? 1 : 0)
    let from = first + job * (count / jobs) + min(job, count % jobs)
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = Bundle.main.executableURL
    process.arguments =
      ["--first", "\(from)", "--count", "\(share)"] + (homes.map { ["--\($0.name)"] } ?? [])
      + (option("--mutation").map { ["--mutation", $0] } ?? [])
    process.standardOutput = pipe
    try process.run()
    running.append((process, pipe))
  }
  var lines: [String] = []
  var failures: Set<String> = []
  var isComplete = true
  for (process, pipe) in running {
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    isComplete = isComplete && process.terminationStatus == 0
    for line in text.split(separator: "\n") {
      if line.hasPrefix("coverage ") {
        lines.append(String(line.dropFirst(9)))
      } else {
        say(String(line))
        if line.hasPrefix("FAILED seed ") { failures.insert(String(line.dropFirst(12).prefix { $0 != ":" })) }
      }
    }
  }
  let minutes = (ContinuousClock.now - start) / .seconds(60)
  if let homes { homes.report(lines) } else { report(lines) }
  say("\(count) seeds; \(Int(Double(count) / minutes)) seeds a minute")
  for seed in failures.sorted() {
    say("replay: HAPSIM_SEED=\(seed) make swarm POPULATION=\(homes?.name ?? "accessories")")
  }
  if !isComplete { say("FAILED: a process did not end normally") }
  return failures.isEmpty && isComplete
}

let homes = chosenHomes()
if let count = option("--seeds").flatMap({ UInt64($0) }), count > 0 {
  exit(try runAll(count) ? 0 : 1)
} else if let count = option("--count").flatMap({ UInt64($0) }) {
  let first = number("--first", default: 1)
  if let homes { try homes.runSome(from: first, count: count) } else { try runSome(from: first, count: count) }
} else {
  let words = arguments.first { UInt64($0) != nil } ?? ProcessInfo.processInfo.environment["HAPSIM_SEED"]
  guard let seed = words.flatMap({ UInt64($0) }) else {
    say(
      "usage: Swarm SEED | Swarm --seeds COUNT [--first SEED] [--jobs COUNT]; with [--hubs | --homes] [--mutation NAME]"
    )
    exit(2)
  }
  if let homes { exit(try homes.replay(seed) ? 0 : 1) }
  let outcome = try SwarmRun(seed: seed, mutation: mutation, log: { say($0) }).run()
  say(outcome.coverage.table)
  say(
    "seed \(seed): \(outcome.coverage.operations) operations, \(outcome.coverage.faultCount) faults, \(outcome.duration), trace \(outcome.traceHash)"
  )
  for violation in outcome.violations { say("FAILED seed \(seed): \(violation)") }
  exit(outcome.violations.isEmpty ? 0 : 1)
}
