import HAPWire

/// One step of a repeating fault: its action, and the time until the next step.
package struct FaultStep: Equatable, Sendable {
  package let action: FaultAction
  package let duration: Duration

  /// The minimum duration of a step.
  private static let least = Duration.milliseconds(10)

  init(_ node: JSONNode) throws(JSONProblem) {
    let length = try node.required("for")
    duration = try length.duration()
    guard duration >= Self.least else { throw length.problem("it must be at least 10ms") }
    let members = try node.asObject().filter { $0.name != "for" }
    action = try FaultAction(JSONNode(.object(members), place: node.place, path: node.path))
  }
}
