import HAPDeviations
import HAPWire
import HAPYAML

/// What is wrong with a fleet, and where.
package struct FleetProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package var file: String
  package var place: JSONPlace
  /// "groups[3].count"; empty for the whole file.
  package var path: String
  package var message: String

  package init(_ problem: JSONProblem, in file: String) {
    self.file = file
    place = problem.place
    path = problem.path
    message = problem.message
  }

  package var description: String { "\(file):\(place): " + (path.isEmpty ? message : "\(path): \(message)") }
}

/// A file with a fleet: the fleet, or all that is wrong with it. Profiles are not looked into.
package struct FleetFile: Sendable {
  package let file: String
  /// nil when there are problems.
  package private(set) var fleet: Fleet?
  package private(set) var problems: [FleetProblem] = []

  /// Bytes of the largest file: 4 MiB.
  package static let limit = 4 << 20

  /// - Parameters:
  ///   - bytes: YAML.
  ///   - file: its name, for messages.
  package init(_ bytes: [UInt8], file: String) {
    self.file = file
    guard bytes.count <= Self.limit else {
      complain(JSONProblem(path: "", place: JSONPlace(line: 1, column: 1), message: "it has more than 4 MiB"))
      return
    }
    do throws(JSONError) {
      var reader = FleetReader()
      let fleet = reader.fleet(try JSONNode.yaml(bytes))
      for problem in reader.problems { complain(problem) }
      if problems.isEmpty { self.fleet = fleet }
    } catch {
      complain(JSONProblem(path: "", place: error.place, message: error.message))
    }
  }

  private mutating func complain(_ problem: JSONProblem) { problems.append(FleetProblem(problem, in: file)) }
}
