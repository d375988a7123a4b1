import HAPDeviations
import HAPModel
import HAPSimulatorCore
import HAPModel
import HAPVocabulary
import HAPWire

/// Actions of a person at the device, and changes of its environment.
extension RunningAccessory {
  /// Sets the value of a characteristic by hand, like a person at the device. Subscribed controllers are notified.
  /// - Parameters:
  ///   - characteristic: may be one that controllers may not write.
  ///   - value: a value, or the catalogue's name for one: `"open"`.
  /// - Throws: ``SimulatorError/Code/invalidValue``, with the violated rule or the nearest name.
  public func set(_ characteristic: CharacteristicName, to value: Value) async throws(SimulatorError) {
    try await perform(.set(characteristic.selector, value: value.asWritten), of: characteristic.accessory)
  }

  /// Makes the accessory identify itself, as if a controller had requested it.
  /// - Parameter accessory: the name of a bridged accessory.
  public func identify(accessory: String? = nil) async throws(SimulatorError) {
    try await perform(.identify, of: accessory)
  }

  /// Presses a button.
  /// - Parameters:
  ///   - press: the kind of press.
  ///   - service: type or Name of the button. Required if there are several.
  ///   - accessory: the name of a bridged accessory.
  public func press(
    _ press: ButtonPress = .single, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    try await perform(.physical(.press(press), service: service.map { .name($0) }), of: accessory)
  }

  /// Puts an obstacle in the way of a door, or removes it.
  /// - Parameters:
  ///   - isObstructed: `false` removes the obstacle.
  ///   - service: type or Name of the door. Required if there are several.
  ///   - accessory: the name of a bridged accessory.
  public func obstruct(
    _ isObstructed: Bool = true, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    try await perform(.obstruct(isObstructed, service: service.map { .name($0) }), of: accessory)
  }

  /// Jams a mechanism, or frees it.
  /// - Parameters:
  ///   - isJammed: `false` frees it.
  ///   - service: type or Name of the mechanism. Required if there are several.
  ///   - accessory: the name of a bridged accessory.
  public func jam(
    _ isJammed: Bool = true, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    try await perform(.physical(.jam(isJammed), service: service.map { .name($0) }), of: accessory)
  }

  /// Triggers a sensor once, or an alarm.
  /// - Parameters:
  ///   - service: type or Name of the sensor or alarm. Required if there are several.
  ///   - accessory: the name of a bridged accessory.
  public func trigger(service: String? = nil, accessory: String? = nil) async throws(SimulatorError) {
    try await perform(.physical(.trigger, service: service.map { .name($0) }), of: accessory)
  }

  /// Opens the housing, or closes it.
  /// - Parameters:
  ///   - isOpen: `false` closes it.
  ///   - service: type or Name of the service that detects it. Required if there are several.
  ///   - accessory: the name of a bridged accessory.
  public func tamper(
    _ isOpen: Bool = true, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    try await perform(.physical(.tamper(isOpen), service: service.map { .name($0) }), of: accessory)
  }

  /// Charges or drains the battery.
  /// - Parameters:
  ///   - level: in percent, 0 to 100.
  ///   - service: type or Name of the battery. Required if there are several.
  ///   - accessory: the name of a bridged accessory.
  /// - Throws: ``SimulatorError/Code/invalidValue`` for another level.
  public func setBattery(
    to level: Int, service: String? = nil, accessory: String? = nil
  ) async throws(SimulatorError) {
    guard (0...100).contains(level) else {
      throw SimulatorError(.invalidValue, "a battery level is 0 to 100 percent, not \(level)")
    }
    try await perform(.physical(.battery(level), service: service.map { .name($0) }), of: accessory)
  }

  /// Removes pairings at the device, without a controller. Their connections end.
  /// - Parameter controller: the identifier of the controller; `nil`: all controllers. If no admin is left, all
  ///   pairings are removed.
  public func unpair(controller: String? = nil) async throws(SimulatorError) {
    try await perform(.unpair(controller: controller))
  }

  /// Switches on a fault of the accessory or its network. It replaces an active fault of the same name.
  /// - Parameter fault: a name and parameters as on hapsim's command line: "latency:by=2s:jitter=500ms".
  ///   `hapsim faults` lists the faults.
  public func switchOn(fault: String) async throws(SimulatorError) { try await switchFault(fault, isOn: true) }

  /// Switches a fault off.
  /// - Parameter fault: the name of the fault: "latency".
  public func switchOff(fault: String) async throws(SimulatorError) { try await switchFault(fault, isOn: false) }

  private func switchFault(_ text: String, isOn: Bool) async throws(SimulatorError) {
    let action: SimulatorCommand.Action
    do throws(JSONProblem) { action = try SimulatorCommand.Action(fault: text, isOn: isOn) } catch {
      throw SimulatorError(.malformed, error.message)
    }
    try await perform(action)
  }

  /// Disconnects the accessory from the network, cutting every connection, or connects it again at the same port.
  public func setRadio(_ isOn: Bool) async throws(SimulatorError) { try await perform(.radio(isOn)) }

  /// Makes a bridged accessory unreachable, or reachable again.
  /// - Parameters:
  ///   - isReachable: whether the accessory answers from now on.
  ///   - accessory: the name of the bridged accessory.
  public func setReachable(_ isReachable: Bool, accessory: String) async throws(SimulatorError) {
    try await perform(.reachable(isReachable), of: accessory)
  }

  /// Closes connections.
  /// - Parameter controller: the identifier of the controller; `nil`: all connections.
  public func disconnect(controller: String? = nil) async throws(SimulatorError) {
    try await perform(.disconnect(controller: controller))
  }

  /// Carries out a command of hapsim: `{"command": "battery", "value": 5}`. The command reference lists the commands.
  /// `advance` advances the simulator's time; `add` is refused.
  /// - Parameter command: one JSON object. Without `accessory`, it applies to this accessory.
  /// - Throws: the error of the command, with its code.
  /// - Returns: the answer, one JSON object: `{"id": null, "ok": true, …}`.
  @discardableResult
  public func perform(_ command: String) async throws(SimulatorError) -> String {
    try await served.loop.resultUnlessCancelled { [served] done in served.perform(json: command, done: done) }
  }
}
