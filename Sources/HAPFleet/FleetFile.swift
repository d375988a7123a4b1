import HAPDeviations
import HAPWire
import HAPYAML

/// An error in a fleet, with its place.
package struct FleetProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package var file: String
  package var place: JSONPlace
  /// For example "groups[3].count"; empty for the whole file.
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

/// A file with a fleet. It contains the fleet, or all errors of the file. Profiles are not read.
package struct FleetFile: Sendable {
  package let file: String
  /// nil if there are problems.
  package private(set) var fleet: Fleet?
  package private(set) var problems: [FleetProblem] = []

  /// The limit for the size of a file in bytes: 4 MiB.
  package static let limit = 4 << 20

  /// - Parameters:
  ///   - bytes: YAML.
  ///   - file: the file name for messages.
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
