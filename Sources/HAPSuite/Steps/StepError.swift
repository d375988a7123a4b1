import HAPWire

/// An error in a step that cannot be carried out as written. The fault is in the suite or the tester, never in the accessory.
package struct StepError: Error, Equatable, Sendable {
  package var place: JSONPlace
  /// "cases[3].steps[0].send.tlv".
  package var path: String
  package var message: String

  package init(_ node: JSONNode, _ message: String) {
    place = node.place
    path = node.path.description
    self.message = message
  }

  package init(_ problem: JSONProblem) {
    place = problem.place
    path = problem.path
    message = problem.message
  }

  init(place: JSONPlace, path: JSONPath, _ message: String) {
    self.place = place
    self.path = path.description
    self.message = message
  }

  /// - Parameter step: the step with the problem, if its exact place is not known.
  package init(_ step: Step, _ problem: StepProblem) {
    place = step.place
    path = step.path
    message = problem.message
  }
}

/// An error in a step, without its place. The runner adds the place of the step.
package struct StepProblem: Error, Equatable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}
