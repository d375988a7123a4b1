import HAPProfile
import HAPWire

/// Translates the places of problems from a changed text, which isn't written, to the text that it would replace.
package struct ProblemOrigins {
  private let change: TextChange
  private var paths: [JSONPlace: String] = [:]

  /// - Parameter old: the JSON text before the change.
  package init(_ old: [UInt8], _ change: TextChange) {
    self.change = change
    if let root = try? JSONNode.parse(old) { note(root) }
  }

  /// Returns the problem with its place in the old text. New text keeps its new path.
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
