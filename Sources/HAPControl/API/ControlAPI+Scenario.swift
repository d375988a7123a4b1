import HAPScenario
import HAPWire

/// Who plays scenarios for the control API. Belongs to the loop's thread.
package protocol ControlledScenarios: AnyObject, Sendable {
  /// Reads one; its text is YAML. On any thread.
  /// - Throws: 422, where it is wrong.
  static func read(_ text: String) throws(ControlProblem) -> Scenario
  /// Begins one.
  /// - Throws: 409 while another is played.
  func begin(_ scenario: Scenario) throws(ControlProblem)
  /// Whether one is played that was begun here.
  var isPlaying: Bool { get }
  /// Ends the one that is played.
  /// - Throws: 409 where none is.
  func stop() throws(ControlProblem)
  /// The members of an object: what is played, or was last.
  func write(to json: inout JSONWriter)
}

extension ControlAPI {
  func showScenario() -> ControlAnswer {
    .json { json in
      json.object { json in
        if let scenarios {
          scenarios.write(to: &json)
        } else {
          json.key("state")
          json.string("none")
        }
      }
    }
  }

  func startScenario(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let text = try call.reading { (node) throws(JSONProblem) -> String in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["yaml"])
      return try node.string("yaml")
    }
    let player = try player()
    // Reading takes longer than a turn of the loop should.
    let scenario = try await read(text, as: player)
    await tellEverything()
    try player.begin(scenario)
    return showScenario()
  }

  func stopScenario() throws(ControlProblem) -> ControlAnswer {
    try player().stop()
    return .done
  }

  private func read<P: ControlledScenarios>(_ text: String, as player: P) async throws(ControlProblem) -> Scenario {
    try await offLoop { () throws(ControlProblem) in try P.read(text) }
  }

  private func player() throws(ControlProblem) -> any ControlledScenarios {
    guard let scenarios else { throw ControlProblem(409, "not-possible", "no scenario can be played here") }
    return scenarios
  }
}
