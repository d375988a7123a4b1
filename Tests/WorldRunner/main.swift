import HAPCommandLine
import HAPLoop
import HAPWorld
import WorldPrograms

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// WorldRunner WORD…: runs `haptest run WORD…` in a simulated world.
// WorldRunner: the same for each line of standard input, with words separated by tabs; prints "END" and the exit status
// after each.

func run(_ words: [String]) -> Int32 {
  let result = SimulatedTest(words).run(.standard)
  print(
    "world: \(result.time) passed, trace \(String(result.traceHash, radix: 16)), \(result.foreignJobCount) foreign jobs"
  )
  return result.code.rawValue
}

if CommandLine.arguments.count > 1 { exit(run(Array(CommandLine.arguments.dropFirst()))) }
while let line = readLine() {
  let code = run(line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init))
  print("END \(code)")
  fflush(nil)
}
