import HAPDeviations
import HAPModel
import HAPSimulatorCore
import HAPModel
import HAPVocabulary
import HAPWire

/// What a person at the device does, and what the world does to it.
extension RunningAccessory {
  /// Gives a characteristic a value by hand, as a person at the device would. Controllers that are subscribed hear of it.
  /// - Parameters:
  ///   - characteristic: also one that controllers may not write.
  ///   - value: a value, or the catalogue's word for one: `"open"`.
  /// - Throws: ``SimulatorError/Code/invalidValue``, with the rule that it breaks or the word that was probably meant.
  public func set(_ characteristic: CharacteristicName, to value: Value) async throws(SimulatorError) {
    try await perform(.set(characteristic.selector, value: value.asWritten), of: characteristic.accessory)
  }

  /// Lets it identify itself, as a controller's Identify would.
  /// - Parameter accessory: the name of one behind the bridge.
  public func identify(accessory: String? = nil) async throws(SimulatorError) {
    try await perform(.identify, of: accessory)
  }

  /// Presses a button.
  /// - Parameters:
  ///   - press: how.
  ///   - service: type or Name of the button, where there are several.
  ///   - accessory: the name of one behind the bridge.
  public func press(
    _ press: ButtonPress = .single, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    try await perform(.deed(.press(press), service: service.map { .name($0) }), of: accessory)
  }

  /// Puts something in the way of a door, or takes it away.
  /// - Parameters:
  ///   - isObstructed: false: takes it away.
  ///   - service: type or Name of the door, where there are several.
  ///   - accessory: the name of one behind the bridge.
  public func obstruct(
    _ isObstructed: Bool = true, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    try await perform(.obstruct(isObstructed, service: service.map { .name($0) }), of: accessory)
  }

  /// Lets a mechanism get stuck, or loosens it.
  /// - Parameters:
  ///   - isJammed: false: loosens it.
  ///   - service: type or Name of it, where there are several.
  ///   - accessory: the name of one behind the bridge.
  public func jam(
    _ isJammed: Bool = true, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    try await perform(.deed(.jam(isJammed), service: service.map { .name($0) }), of: accessory)
  }

  /// Lets a sensor notice something once, or an alarm go off.
  /// - Parameters:
  ///   - service: type or Name of it, where there are several.
  ///   - accessory: the name of one behind the bridge.
  public func trigger(service: String? = nil, accessory: String? = nil) async throws(SimulatorError) {
    try await perform(.deed(.trigger, service: service.map { .name($0) }), of: accessory)
  }

  /// Opens the housing, or closes it.
  /// - Parameters:
  ///   - isOpen: false: closes it.
  ///   - service: type or Name of what notices it, where there are several.
  ///   - accessory: the name of one behind the bridge.
  public func tamper(
    _ isOpen: Bool = true, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    try await perform(.deed(.tamper(isOpen), service: service.map { .name($0) }), of: accessory)
  }

  /// Charges or drains the battery.
  /// - Parameters:
  ///   - level: in percent, 0 to 100.
  ///   - service: type or Name of it, where there are several.
  ///   - accessory: the name of one behind the bridge.
  /// - Throws: ``SimulatorError/Code/invalidValue`` for another level.
  public func setBattery(
    to level: Int, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    guard (0...100).contains(level) else {
      throw SimulatorError(.invalidValue, "a battery has 0 to 100 percent, not \(level)")
    }
    try await perform(.deed(.battery(level), service: service.map { .name($0) }), of: accessory)
  }

  /// Removes pairings as somebody who has the accessory in hand would: their connections end.
  /// - Parameter controller: the identifier of whose pairing; nil: of all. Without an admin nobody stays.
  public func unpair(controller: String? = nil) async throws(SimulatorError) {
    try await perform(.unpair(controller: controller))
  }

  /// Switches a fault of the accessory or its network on. One of the same name that is on gives way to it.
  /// - Parameter fault: a name and parameters as on hapsim's command line: "latency:by=2s:jitter=500ms". `hapsim faults` lists what there is.
  public func switchOn(fault: String) async throws(SimulatorError) { try await switchFault(fault, isOn: true) }

  /// Switches a fault off.
  /// - Parameter fault: its name: "latency".
  public func switchOff(fault: String) async throws(SimulatorError) { try await switchFault(fault, isOn: false) }

  private func switchFault(_ text: String, isOn: Bool) async throws(SimulatorError) {
    let action: SimulatorCommand.Action
    do throws(JSONProblem) { action = try SimulatorCommand.Action(fault: text, isOn: isOn) } catch {
      throw SimulatorError(.malformed, error.message)
    }
    try await perform(action)
  }

  /// Takes the accessory off the network, with every connection cut off, or brings it back at the same port.
  public func setRadio(_ isOn: Bool) async throws(SimulatorError) { try await perform(.radio(isOn)) }

  /// Loses an accessory behind the bridge, or finds it again.
  /// - Parameter accessory: its name.
  public func setReachable(_ isReachable: Bool, accessory: String) async throws(SimulatorError) {
    try await perform(.reachable(isReachable), of: accessory)
  }

  /// Closes connections.
  /// - Parameter controller: the identifier of whose connections; nil: of all.
  public func disconnect(controller: String? = nil) async throws(SimulatorError) {
    try await perform(.disconnect(controller: controller))
  }

  /// Carries out any of hapsim's commands: `{"command": "battery", "value": 5}`. They are listed in the command reference. `advance` is the
  /// simulator's; `add` is refused.
  /// - Parameter command: one JSON object. Where it names no accessory, this one is meant.
  /// - Throws: the command's refusal, with its code.
  /// - Returns: the answer, one JSON object: `{"id": null, "ok": true, …}`.
  @discardableResult
  public func perform(_ command: String) async throws(SimulatorError) -> String {
    try await served.loop.resultUnlessCancelled { [served] done in served.perform(json: command, done: done) }
  }
}
