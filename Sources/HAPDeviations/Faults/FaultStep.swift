import HAPWire

/// One step of a fault that goes round: what it does, and how long it is until the next one.
package struct FaultStep: Equatable, Sendable {
  package let action: FaultAction
  package let duration: Duration

  /// Nothing goes round faster.
  private static let least = Duration.milliseconds(10)

  init(_ node: JSONNode) throws(JSONProblem) {
    let length = try node.required("for")
    duration = try length.duration()
    guard duration >= Self.least else { throw length.problem("it is 10ms at least") }
    let members = try node.asObject().filter { $0.name != "for" }
    action = try FaultAction(JSONNode(.object(members), place: node.place, path: node.path))
  }
}
