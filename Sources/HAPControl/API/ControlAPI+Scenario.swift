import HAPWire

/// Who plays scenarios for the control API. Belongs to the loop's thread.
package protocol ControlledScenarios: AnyObject, Sendable {
  /// Begins one; its text is YAML.
  /// - Throws: 422 where it is wrong, 409 while another is played.
  func begin(_ text: String) throws(ControlProblem)
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

  func startScenario(_ call: ControlCall) throws(ControlProblem) -> ControlAnswer {
    let text = try call.reading { (node) throws(JSONProblem) -> String in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["yaml"])
      return try node.string("yaml")
    }
    try player().begin(text)
    return showScenario()
  }

  func stopScenario() throws(ControlProblem) -> ControlAnswer {
    try player().stop()
    return .done
  }

  private func player() throws(ControlProblem) -> any ControlledScenarios {
    guard let scenarios else { throw ControlProblem(409, "not-possible", "no scenario can be played here") }
    return scenarios
  }
}
