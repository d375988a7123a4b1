import HAPDeviations
import HAPHost
import HAPWire

extension ControlAPI {
  /// All that there are, and their parameters.
  func listFaults() -> ControlAnswer {
    .json { json in
      json.object { json in
        json.key("faults")
        json.array { json in for fault in FaultLibrary.builtIn.entries { fault.write(to: &json) } }
      }
    }
  }

  /// Those that an accessory has at the moment.
  func listActiveFaults(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    try await showActiveFaults(of: accessory(call))
  }

  private func showActiveFaults(of accessory: SimulatedAccessory) async -> ControlAnswer {
    await show(accessory) { accessory, json in
      json.object { json in
        json.key("faults")
        json.array { json in for fault in accessory.activeFaults { fault.writeActive(to: &json) } }
      }
    }
  }

  /// The body has the parameters; without one all have the values they usually have.
  func switchFaultOn(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let definition = try definition(call)
    let fault =
      call.body == nil
      ? definition.plain
      : try call.reading { (node) throws(JSONProblem) in
        _ = try node.asObject()
        if let own = node["fault"] {
          throw own.problem("the path says which fault: there is no parameter of this name")
        }
        return try definition.choice(node)
      }
    let accessory = try await accessory(call)
    try await perform(.fault(fault, true), at: accessory)
    return await showActiveFaults(of: accessory)
  }

  func switchFaultOff(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    try await perform(.fault(definition(call).plain, false), at: accessory(call))
    return .done
  }

  /// The fault that the path names.
  private func definition(_ call: ControlCall) throws(ControlProblem) -> FaultDefinition {
    let name = call.parameter("fault")
    guard let definition = FaultLibrary.builtIn[name] else {
      throw ControlProblem(404, "no-such-fault", FaultLibrary.builtIn.unknown(String(name.prefix(100))))
    }
    return definition
  }
}

extension FaultChoice {
  fileprivate func writeActive(to json: inout JSONWriter) {
    json.object { json in
      json.key("fault")
      json.string(name)
      json.key("text")
      json.string(text)
      json.key("parameters")
      json.object { writeParameters(to: &$0) }
    }
  }
}
