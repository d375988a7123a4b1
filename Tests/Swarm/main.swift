import HAPSwarm

let seed = UInt64(CommandLine.arguments.dropFirst().first ?? "1") ?? 1
let outcome = try SwarmRun(seed: seed, log: { print($0) }).run()
print(outcome.coverage.table)
for violation in outcome.violations { print(violation) }
print(outcome.coverage.operations, outcome.coverage.faultCount, outcome.traceHash, outcome.duration)
