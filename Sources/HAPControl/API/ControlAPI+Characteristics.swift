import HAPDevices
import HAPHost
import HAPIP
import HAPModel
import HAPWire

extension ControlAPI {
  func showCharacteristic(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let accessory = try await accessory(call)
    let id = try await characteristic(call, of: accessory)
    return await show(accessory) { accessory, json in accessory.write(characteristic: id, to: &json) }
  }

  /// Gives it a value by hand, at the device.
  func setCharacteristic(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let value = try call.reading { (node) throws(JSONProblem) -> JSONNode in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["value"])
      return try node.required("value")
    }
    let accessory = try await accessory(call)
    let id = try await characteristic(call, of: accessory)
    _ = try await perform("set", [("characteristic", .text(id.description)), ("value", value)], at: accessory)
    return await show(accessory) { accessory, json in accessory.write(characteristic: id, to: &json) }
  }

  /// Leaves its reads without an answer, or answers them again.
  func stallCharacteristic(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let isStalled = try call.reading { (node) throws(JSONProblem) -> Bool in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["stalled"])
      return try node.required("stalled").asBool()
    }
    let accessory = try await accessory(call)
    let id = try await characteristic(call, of: accessory)
    _ = try await perform(
      "stall", [("characteristic", .text(id.description)), ("value", .bool(isStalled))], at: accessory)
    return await show(accessory) { accessory, json in accessory.write(characteristic: id, to: &json) }
  }

  /// Does something at the device: presses a button, puts something in the way of a door, …
  func act(_ call: ControlCall) async throws(ControlProblem) -> ControlAnswer {
    let members: [String: [String]] = [
      "press": ["kind"], "trigger": [], "obstruct": ["value"], "jam": ["value"], "tamper": ["value"],
      "battery": ["value"],
    ]
    let (action, said) = try call.reading { (node) throws(JSONProblem) in
      _ = try node.asObject()
      let action = try node.required("action").word(of: members.keys.sorted())
      try node.refuseUnknownMembers(exactly: ["action", "aid", "service"] + (members[action] ?? []))
      // Judged here, where the body's places are known; the command's own would mean another text.
      var said: [(name: String, value: JSONNode)] = []
      if let aid = node["aid"] { said.append(("accessory", .integer(try aid.asAid()))) }
      if let service = node["service"] {
        if service.integerValue != nil { _ = try service.asAid() } else { _ = try service.asString() }
        said.append(("service", service))
      }
      if let kind = node["kind"] {
        said.append(("kind", .text(try kind.word(of: ButtonPress.allCases.map(\.name)))))
      }
      switch action {
      case "battery": said.append(("value", .integer(try node.required("value").asInteger(in: 0...100))))
      case "press", "trigger": break
      default: said.append(("value", .bool(try node.bool("value", default: true))))
      }
      return (action, said)
    }
    _ = try await perform(action, said, at: accessory(call))
    return .done
  }

  private func characteristic(
    _ call: ControlCall, of accessory: SimulatedAccessory
  ) async throws(ControlProblem) -> AttributeID {
    let aid = try call.number("aid", in: 1...ControlCall.mostExact)
    let service = call.query("service").map { text in
      text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        ? UInt64(text).map(ServiceSelector.iid) ?? .name(text) : .name(text)
    }
    let selector = CharacteristicSelector(call.parameter("characteristic"), service: service)
    let found = await accessory.look { accessory in
      Result { () throws(CommandError) in try accessory.characteristic(selector, aid: aid) }
    }
    do throws(CommandError) { return try found.get() } catch { throw ControlProblem(error) }
  }
}
