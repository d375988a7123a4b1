import HAPProfile
import HAPWire

/// Tells the problems of a text that isn't written by places of the one that it would take the place of.
package struct ProblemOrigins {
  private let change: TextChange
  private var paths: [JSONPlace: String] = [:]

  /// - Parameter old: the JSON text before the change.
  package init(_ old: [UInt8], _ change: TextChange) {
    self.change = change
    if let root = try? JSONNode.parse(old) { note(root) }
  }

  /// What is new keeps the path that it would have.
  package func origin(of problem: ProfileProblem) -> ProfileProblem {
    var problem = problem
    let (place, isNew) = change.origin(of: JSONPlace(line: problem.line, column: problem.column))
    (problem.line, problem.column) = (place.line, place.column)
    if !isNew { problem.path = paths[place] ?? problem.path }
    return problem
  }

  private mutating func note(_ node: JSONNode) {
    paths[node.place] = node.path.description
    for child in node.elements ?? node.members?.map(\.value) ?? [] { note(child) }
  }
}
