import HAPDeviations
import HAPHost
import HAPWeb
import HAPWire

extension ControlAPI {
  /// Returns all faults and their parameters.
  func listFaults() -> WebAnswer {
    .json { json in
      json.object { json in
        json.key("faults")
        json.array { json in for fault in FaultLibrary.builtIn.entries { fault.write(to: &json) } }
      }
    }
  }

  /// Returns the active faults of an accessory.
  func listActiveFaults(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    try await showActiveFaults(of: accessory(call))
  }

  private func showActiveFaults(of accessory: SimulatedAccessory) async -> WebAnswer {
    await show(accessory) { accessory, json in
      json.object { json in
        json.key("faults")
        json.array { json in
          for fault in accessory.activeFaults {
            fault.writeActive(to: &json, withoutEffectOn: accessory.protocolsWithoutEffect(of: fault))
          }
        }
      }
    }
  }

  /// Switches a fault on. The body contains parameters; missing ones have their default values.
  func switchFaultOn(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let definition = try definition(call)
    let fault =
      call.body == nil
      ? definition.plain
      : try call.reading { (node) throws(JSONProblem) in
        _ = try node.asObject()
        if let own = node["fault"] {
          throw own.problem("the path names the fault; remove this member")
        }
        return try definition.choice(node)
      }
    let accessory = try await accessory(call)
    try await perform(.fault(fault, true), at: accessory)
    return await showActiveFaults(of: accessory)
  }

  func switchFaultOff(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    try await perform(.fault(definition(call).plain, false), at: accessory(call))
    return .done
  }

  /// Returns the fault named in the path.
  private func definition(_ call: ControlCall) throws(WebProblem) -> FaultDefinition {
    let name = call.parameter("fault")
    guard let definition = FaultLibrary.builtIn[name] else {
      throw WebProblem(404, "no-such-fault", FaultLibrary.builtIn.unknown(String(name.prefix(100))))
    }
    return definition
  }
}

extension FaultChoice {
  fileprivate func writeActive(to json: inout JSONWriter, withoutEffectOn protocols: [ServedProtocol]) {
    json.object { json in
      json.key("fault")
      json.string(name)
      json.key("text")
      json.string(text)
      json.key("parameters")
      json.object { writeParameters(to: &$0) }
      json.key("withoutEffectOn")
      json.array { json in for name in protocols { json.string(name.rawValue) } }
    }
  }
}
