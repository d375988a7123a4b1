import Foundation

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

/// Returns the mutation of a population with the name in the arguments.
func mutation<Mutation: RawRepresentable<String>>() -> Mutation? {
  option("--mutation").flatMap { Mutation(rawValue: $0) }
}

/// The population of the option, by default that of accessories and HAP controllers.
let population: any Population =
  if arguments.contains("--hubs") {
    HubSwarms(mutation: mutation())
  } else if arguments.contains("--homes") {
    HomeSwarms(mutation: mutation())
  } else {
    AccessorySwarms(population: arguments.contains("--nodes") ? .nodes : .accessories, mutation: mutation())
  }

/// Runs seeds in one process per core, and prints the report.
/// - Returns: whether all invariants held.
func runAll(_ count: UInt64) throws -> Bool {
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
      ["--first", "\(from)", "--count", "\(share)", "--\(population.name)"]
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
  population.report(lines)
  say("\(count) seeds; \(Int(Double(count) / minutes)) seeds a minute")
  for seed in failures.sorted() {
    say("replay: HAPSIM_SEED=\(seed) make swarm POPULATION=\(population.name)")
  }
  if !isComplete { say("FAILED: a process did not end normally") }
  return failures.isEmpty && isComplete
}

if let count = option("--seeds").flatMap({ UInt64($0) }), count > 0 {
  exit(try runAll(count) ? 0 : 1)
} else if let count = option("--count").flatMap({ UInt64($0) }) {
  try population.runSome(from: number("--first", default: 1), count: count)
} else {
  let words = arguments.first { UInt64($0) != nil } ?? ProcessInfo.processInfo.environment["HAPSIM_SEED"]
  guard let seed = words.flatMap({ UInt64($0) }) else {
    say(
      "usage: Swarm SEED | Swarm --seeds COUNT [--first SEED] [--jobs COUNT]; with [--nodes | --hubs | --homes] [--mutation NAME]"
    )
    exit(2)
  }
  exit(try population.replay(seed) ? 0 : 1)
}
