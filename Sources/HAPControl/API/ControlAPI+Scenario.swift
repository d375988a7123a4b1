import HAPScenario
import HAPWeb
import HAPWire

/// Plays scenarios for the control API. Confined to the loop's thread.
package protocol ControlledScenarios: AnyObject, Sendable {
  /// Parses a scenario in YAML. Callable from any thread.
  /// - Throws: 422 if it is invalid.
  static func read(_ text: String) throws(WebProblem) -> Scenario
  /// Starts a scenario.
  /// - Throws: 409 while another one runs.
  func begin(_ scenario: Scenario) throws(WebProblem)
  /// Whether a scenario runs that was started here.
  var isPlaying: Bool { get }
  /// Ends the running scenario.
  /// - Throws: 409 if none runs.
  func stop() throws(WebProblem)
  /// Writes the members of an object that describes the current or last scenario.
  func write(to json: inout JSONWriter)
}

extension ControlAPI {
  func showScenario() -> WebAnswer {
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

  func startScenario(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let text = try call.reading { (node) throws(JSONProblem) -> String in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["yaml"])
      return try node.string("yaml")
    }
    let player = try player()
    // Parsing takes longer than a turn of the loop should.
    let scenario = try await read(text, as: player)
    await tellEverything()
    try player.begin(scenario)
    return showScenario()
  }

  func stopScenario() throws(WebProblem) -> WebAnswer {
    try player().stop()
    return .done
  }

  private func read<P: ControlledScenarios>(_ text: String, as player: P) async throws(WebProblem) -> Scenario {
    try await offLoop { () throws(WebProblem) in try P.read(text) }
  }

  private func player() throws(WebProblem) -> any ControlledScenarios {
    guard let scenarios else { throw WebProblem(409, "not-possible", "no scenario can be played here") }
    return scenarios
  }
}
