import HAPDeviations
import HAPHost
import HAPWire

extension ControlAPI {
  /// All that there are, and their parameters.
  func listFaults() -> ControlAnswer {
    .json { json in
      json.object { json in
        json.key("faults")
        json.array { json in for fault in FaultLibrary.builtIn.faults { fault.write(to: &json) } }
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
        json.array { json in for fault in accessory.activeFaults { fault.write(to: &json) } }
      }
    }
  }

  /// The body has the parameters; without one all have the values they usually have.
  func switchFaultOn(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let name = try fault(call)
    var members: [JSONNode.Member] = []
    if call.body != nil {
      members = try call.reading { (node) throws(JSONProblem) in
        let members = try node.asObject()
        if let own = node["fault"] {
          throw own.problem("the path says which fault: there is no parameter of this name")
        }
        let said = [JSONNode.Member(name: "fault", place: node.place, value: .text(name))] + members
        // Judged here, where the body's places are known.
        _ = try FaultLibrary.builtIn.choice(JSONNode(.object(said), place: node.place, path: node.path))
        return members
      }
    }
    let fault = JSONNode.object([("fault", .text(name))] + members.map { ($0.name, $0.value) })
    let accessory = try await accessory(call)
    _ = try await perform("fault", [("fault", fault)], at: accessory)
    return await showActiveFaults(of: accessory)
  }

  func switchFaultOff(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let name = try fault(call)
    _ = try await perform("fault", [("fault", .text(name)), ("value", .bool(false))], at: accessory(call))
    return .done
  }

  private func fault(_ call: ControlCall) throws(ControlProblem) -> String {
    let name = call.parameter("fault")
    guard FaultLibrary.builtIn[name] != nil else {
      throw ControlProblem(404, "no-such-fault", FaultLibrary.builtIn.unknown(String(name.prefix(100))))
    }
    return name
  }
}

extension FaultChoice {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("fault")
      json.string(name)
      json.key("text")
      json.string(text)
      json.key("parameters")
      json.object { json in
        for (name, value) in given {
          json.key(name)
          json.node(value)
        }
      }
    }
  }
}
