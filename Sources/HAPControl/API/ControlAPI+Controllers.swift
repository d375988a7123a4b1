import HAPWire

extension ControlAPI {
  func listPairings(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    try await show(accessory(call)) { accessory, json in
      json.object { json in
        json.key("pairings")
        accessory.writePairings(to: &json)
      }
    }
  }

  func removePairings(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    .result(try await perform("unpair", at: accessory(call)))
  }

  func removePairing(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    .result(
      try await perform("unpair", [("controller", .text(call.parameter("controller")))], at: accessory(call)))
  }

  func listConnections(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    try await show(accessory(call)) { accessory, json in
      json.object { json in
        json.key("connections")
        accessory.writeConnections(to: &json)
      }
    }
  }

  func closeConnections(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let controller = call.query("controller").map { [(name: "controller", value: JSONNode.text($0))] } ?? []
    return .result(try await perform("disconnect", controller, at: accessory(call)))
  }

  func closeConnection(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let number = try Self.number(call.parameter("connection"), "a connection's id")
    guard try await accessory(call).disconnect(connection: number) else {
      throw ControlProblem(404, "no-such-connection", "there is no connection \(number)")
    }
    return .done
  }
}
