import HAPDevices
import HAPHost
import HAPIP
import HAPModel
import HAPVocabulary
import HAPWeb
import HAPWire

extension ControlAPI {
  func showCharacteristic(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let accessory = try await accessory(call)
    let id = try await characteristic(call, of: accessory)
    return await show(accessory) { accessory, json in accessory.write(characteristic: id, to: &json) }
  }

  /// Sets a value as if by hand at the device.
  func setCharacteristic(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let node = try call.reading { (node) throws(JSONProblem) -> JSONNode in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["value"])
      return try node.required("value")
    }
    guard let value = Value(written: node) else {
      throw WebProblem(CommandError(.invalidValue, Value.refusal(of: node)))
    }
    let accessory = try await accessory(call)
    let id = try await characteristic(call, of: accessory)
    try await perform(.set(CharacteristicSelector(id.description), value: value), at: accessory)
    return await show(accessory) { accessory, json in accessory.write(characteristic: id, to: &json) }
  }

  /// Stalls reads of a characteristic, or answers them again.
  func stallCharacteristic(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let isStalled = try call.reading { (node) throws(JSONProblem) -> Bool in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["stalled"])
      return try node.required("stalled").asBool()
    }
    let accessory = try await accessory(call)
    let id = try await characteristic(call, of: accessory)
    try await perform(.stall(CharacteristicSelector(id.description), isStalled), at: accessory)
    return await show(accessory) { accessory, json in accessory.write(characteristic: id, to: &json) }
  }

  /// Performs an action at the device, such as pressing a button or obstructing a door.
  func act(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let (action, aid) = try call.reading { (node) throws(JSONProblem) in
      _ = try node.asObject()
      let name = try node.required("action").choice(of: Self.actions, named: \.rawValue)
      let own = CommandForm[name].members.map(\.name).filter { $0 != "accessory" }
      try node.refuseUnknownMembers(exactly: ["action", "aid"] + own)
      let aid = try node["aid"]?.asAid()
      return (try SimulatorCommand.Action(name, node), aid)
    }
    try await perform(action, at: accessory(call), aid: aid)
    return .done
  }

  /// Actions on a service, apart from setting values.
  private static let actions: [CommandName] = [.battery, .jam, .obstruct, .press, .tamper, .trigger]

  private func characteristic(
    _ call: ControlCall, of accessory: SimulatedAccessory
  ) async throws(WebProblem) -> AttributeID {
    let aid = try call.number("aid", in: 1...ControlCall.mostExact)
    let service = call.query("service").map { text in
      text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        ? UInt64(text).map(ServiceSelector.iid) ?? .name(text) : .name(text)
    }
    let selector = CharacteristicSelector(call.parameter("characteristic"), service: service)
    let found = await accessory.look { accessory in
      Result { () throws(CommandError) in try accessory.characteristic(selector, aid: aid) }
    }
    do throws(CommandError) { return try found.get() } catch { throw WebProblem(error) }
  }
}
