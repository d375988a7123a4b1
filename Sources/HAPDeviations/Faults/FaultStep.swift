import HAPWire

/// One step of a fault that goes round: a command, and how long it is until the next one.
package struct FaultStep: Sendable {
  /// `{"command": …}`
  package let command: JSONNode
  package let duration: Duration

  /// Nothing goes round faster.
  private static let least = Duration.milliseconds(10)

  init(_ node: JSONNode) throws(JSONProblem) {
    let length = try node.required("for")
    duration = try length.duration()
    guard duration >= Self.least else { throw length.problem("it is 10ms at least") }
    let members = try node.asObject().filter { $0.name != "for" }
    command = JSONNode(.object(members), place: node.place, path: node.path)
    _ = try command.string("command")
  }
}
