import HAPVocabulary
import HAPWire
import HAPYAML

/// An error in a scenario, and its place.
package struct ScenarioProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package var file: String
  package var place: JSONPlace
  /// The path, such as "steps[3].expect"; empty for the whole file.
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

/// The commands that steps may contain.
package enum ScenarioCommands: Sendable {
  /// All commands of accessories. Queries, the end of the process and time are excluded; the scenario has separate
  /// steps for them.
  case all
  /// The commands for a sender that may not make hapsim read files of this machine.
  case withoutFiles

  package var names: [String] {
    CommandForm.all.filter { $0.isScenarioStep && !(self == .withoutFiles && $0.namesFile) }.map(\.name.rawValue)
  }
}

/// A scenario file: the scenario, or all errors in it.
package struct ScenarioFile: Sendable {
  package let file: String
  /// The scenario; nil if there are problems.
  package private(set) var scenario: Scenario?
  package private(set) var problems: [ScenarioProblem] = []

  /// The maximum size of a file in bytes: 4 MiB.
  package static let limit = 4 << 20

  /// - Parameters:
  ///   - bytes: the YAML text.
  ///   - file: the file's name, for messages.
  package init(_ bytes: [UInt8], file: String, commands: ScenarioCommands) {
    self.file = file
    guard bytes.count <= Self.limit else {
      complain(JSONProblem(path: "", place: JSONPlace(line: 1, column: 1), message: "the file has more than 4 MiB"))
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
