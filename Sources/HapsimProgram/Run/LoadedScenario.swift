import HapsimFiles
import HAPCommandLine
import HAPCommands
import HAPHost
import HAPScenario

/// A scenario and its file.
struct LoadedScenario: Sendable {
  let file: String
  let scenario: Scenario

  /// The paths of its profiles, relative to the working folder.
  var profiles: [String] {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    return scenario.profiles.map { $0.hasPrefix("/") ? $0 : folder + $0 }
  }
}

/// A scenario whose names don't match the accessories that it is run with.
struct ScenarioMisfit: Error {
  let problems: [ScenarioProblem]
}

extension LoadedScenario {
  /// Checks the names in all steps before the first step runs.
  func check(on simulation: Simulation, _ dispatcher: CommandDispatcher) throws(ScenarioMisfit) {
    let problems = ScenarioRun.wordProblems(of: scenario, on: simulation, dispatcher)
    guard problems.isEmpty else {
      throw ScenarioMisfit(problems: problems.map { ScenarioProblem($0, file: file) })
    }
  }
}

/// Loads a scenario. Prints all errors in the file before it throws.
func loadScenario(_ path: String, _ console: Console) throws(BadInput) -> LoadedScenario {
  let bytes: [UInt8]
  do throws(FileError) { bytes = try readFile(path) } catch {
    console.complain("hapsim: \(error)")
    throw BadInput(code: .cannotRun)
  }
  let file = ScenarioFile(bytes, file: path, commands: .all)
  for problem in file.problems { console.complain("\(problem)") }
  guard let scenario = file.scenario else { throw BadInput(code: .problem) }
  return LoadedScenario(file: path, scenario: scenario)
}
