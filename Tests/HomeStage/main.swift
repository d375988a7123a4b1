import HAPCommandLine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// HomeStage FOLDER NAME…: runs the demonstrations of these names in FOLDER, and prints their transcripts.
// --write: stores the transcripts and homes. Without it, they are compared with the stored ones.

func run(_ name: String, in folder: String, isWriting: Bool, _ console: Console) throws -> Bool {
  let demonstration = Demonstration(folder: "\(folder)/\(name)")
  let result = try demonstration.run { console.print($0) }
  var problems = result.problems
  if result.foreignJobCount > 0 { problems.append("\(result.foreignJobCount) jobs came from outside of the world") }
  if isWriting { try demonstration.write(result) } else { problems += try demonstration.differences(result) }
  for problem in problems { console.complain("\(name): \(problem)") }
  return problems.isEmpty
}

let console = Console.standard
var words = Array(CommandLine.arguments.dropFirst())
let isWriting = words.contains("--write")
words.removeAll { $0 == "--write" }
guard words.count >= 2, let folder = words.first else {
  console.complain("usage: HomeStage FOLDER NAME… [--write]")
  exit(ExitCode.usage.rawValue)
}
do {
  var isWell = true
  for name in words.dropFirst() where try !run(name, in: folder, isWriting: isWriting, console) { isWell = false }
  exit((isWell ? ExitCode.well : .problem).rawValue)
} catch {
  console.complain("HomeStage: \(error)")
  exit(ExitCode.cannotRun.rawValue)
}
