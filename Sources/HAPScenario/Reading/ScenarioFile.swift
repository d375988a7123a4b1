import HAPVocabulary
import HAPWire
import HAPYAML

/// What is wrong with a scenario, and where.
package struct ScenarioProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package var file: String
  package var place: JSONPlace
  /// "steps[3].expect"; empty for the whole file.
  package var path: String
  package var message: String

  package init(_ problem: JSONProblem, file: String) {
    self.file = file
    place = problem.place
    path = problem.path
    message = problem.message
  }

  package var description: String { "\(file):\(place): " + (path.isEmpty ? message : "\(path): \(message)") }
}

/// The commands that steps may have.
package enum ScenarioCommands: Sendable {
  /// All commands of accessories, except queries, the end of the process, and time, which the scenario has steps for.
  case all
  /// For a sender who may not have files of this machine read.
  case withoutFiles

  package var names: [String] {
    CommandForm.all.filter { $0.isScenarioStep && !(self == .withoutFiles && $0.namesFile) }.map(\.name.rawValue)
  }
}

/// A file with a scenario: the scenario, or all that is wrong with it.
package struct ScenarioFile: Sendable {
  package let file: String
  /// nil when there are problems.
  package private(set) var scenario: Scenario?
  package private(set) var problems: [ScenarioProblem] = []

  /// Bytes of the largest file: 4 MiB.
  package static let limit = 4 << 20

  /// - Parameters:
  ///   - bytes: YAML.
  ///   - file: its name, for messages.
  package init(_ bytes: [UInt8], file: String, commands: ScenarioCommands) {
    self.file = file
    guard bytes.count <= Self.limit else {
      complain(JSONProblem(path: "", place: JSONPlace(line: 1, column: 1), message: "it has more than 4 MiB"))
      return
    }
    do throws(JSONError) {
      var reader = ScenarioReader(commands)
      let scenario = reader.scenario(try JSONNode.yaml(bytes))
      for problem in reader.problems { complain(problem) }
      if problems.isEmpty { self.scenario = scenario }
    } catch {
      complain(JSONProblem(path: "", place: error.place, message: error.message))
    }
  }

  private mutating func complain(_ problem: JSONProblem) {
    problems.append(ScenarioProblem(problem, file: file))
  }
}
