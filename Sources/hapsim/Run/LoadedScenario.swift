import HAPCommandLine
import HAPScenario
import HAPSimulator

/// A scenario and where it came from.
struct LoadedScenario: Sendable {
  let file: String
  let scenario: Scenario

  /// The profiles it names, from where this process is.
  var profiles: [String] {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    return scenario.profiles.map { $0.hasPrefix("/") ? $0 : folder + $0 }
  }
}

/// - Returns: nil when something is wrong with it, which was told then.
func loadScenario(_ path: String, _ console: Console) -> LoadedScenario? {
  do throws(FileError) {
    let file = ScenarioFile(try readFile(path), file: path, commands: .simulator)
    for problem in file.problems { console.complain("\(problem)") }
    return file.scenario.map { LoadedScenario(file: path, scenario: $0) }
  } catch {
    console.complain("hapsim: \(error)")
    return nil
  }
}
