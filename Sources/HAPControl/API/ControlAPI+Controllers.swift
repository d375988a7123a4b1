import HAPWeb
import HAPWire

extension ControlAPI {
  func listPairings(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    try await show(accessory(call)) { accessory, json in
      json.object { json in
        json.key("pairings")
        accessory.writePairings(to: &json)
      }
    }
  }

  func removePairings(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    .result(try await perform(.unpair(controller: nil), at: accessory(call)))
  }

  func removePairing(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    .result(try await perform(.unpair(controller: call.parameter("controller")), at: accessory(call)))
  }

  func listConnections(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    try await show(accessory(call)) { accessory, json in
      json.object { json in
        json.key("connections")
        accessory.writeConnections(to: &json)
      }
    }
  }

  func closeConnections(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    .result(try await perform(.disconnect(controller: call.query("controller")), at: accessory(call)))
  }

  func closeConnection(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let number = try Self.number(call.parameter("connection"), "a connection's id")
    guard try await accessory(call).disconnect(connection: number) else {
      throw WebProblem(404, "no-such-connection", "there is no connection \(number)")
    }
    return .done
  }
}
