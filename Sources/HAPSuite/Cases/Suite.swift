import HAPWire

/// One file of cases: the cases of an area, and the expectations that they share.
package struct Suite: Sendable {
  /// The file's name, for messages.
  package var file: String
  package var area: String
  package var title: String
  /// Expectations that steps call by name.
  package var expectations: NamedExpectations
  package var cases: [CaseDefinition]
}

/// An error in a suite, with its position.
package struct SuiteProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package var file: String
  package var place: JSONPlace
  /// "cases[3].steps[0].send"; empty for the whole file.
  package var path: String
  package var message: String

  package init(file: String, place: JSONPlace, path: String, message: String) {
    self.file = file
    self.place = place
    self.path = path
    self.message = message
  }

  init(_ node: JSONNode, in file: String, _ message: String) {
    self.init(file: file, place: node.place, path: node.path.description, message: message)
  }

  init(_ problem: JSONProblem, in file: String) {
    self.init(file: file, place: problem.place, path: problem.path, message: problem.message)
  }

  package var description: String {
    "\(file):\(place.line):\(place.column): " + (path.isEmpty ? message : "\(path): \(message)")
  }
}
