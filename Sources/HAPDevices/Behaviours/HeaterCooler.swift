import HAPModel

/// A device that heats and cools a room while it is active. HAP R2 §8 "Heater Cooler".
///
/// Heating keeps the room above Heating Threshold Temperature. Cooling keeps it below Cooling Threshold Temperature. A
/// linked faucet turns it off.
final class HeaterCooler: RoomRegulation {
  /// Values of Current Heater Cooler State.
  private enum State {
    static let inactive: Value = 0, idle: Value = 1, heating: Value = 2, cooling: Value = 3
  }
  /// Values of Target Heater Cooler State.
  private enum Mode {
    static let auto: Value = 0, heat: Value = 1, cool: Value = 2
  }

  let current, temperature: AttributeID?
  private let active, mode, heating, cooling: AttributeID?
  private let faucet: AttributeID?
  let parameters: BehaviourParameters
  var room: RegulatedRoom

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    active = service[.active]
    current = service[.currentHeaterCoolerState]
    mode = service[.targetHeaterCoolerState]
    temperature = service[.currentTemperature]
    heating = service[.heatingThresholdTemperature]
    cooling = service[.coolingThresholdTemperature]
    faucet = service.linked(.faucet).first?[.active]
    self.parameters = parameters
    room = RegulatedRoom(20, parameters, at: .zero)
  }

  static let kind = BehaviourKind(
    service: .heaterCooler, summary: "It keeps a room between its thresholds while it is active.",
    parameters: ClimateParameters.temperature
  ) { HeaterCooler($0, $1) }

  var watched: [AttributeID] { [faucet].compactMap { $0 } }

  func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    guard value == 0 else { return }
    context.change(active, to: 0)
    room.pass(to: context.now)
    regulate(&context)
  }

  func regulate(_ context: inout DeviceContext) {
    let isActive = context.value(active) == 1
    let heats = isActive && context.value(mode) != Mode.cool
    let cools = isActive && context.value(mode) != Mode.heat
    room.keep(
      low: heats ? context.value(heating)?.doubleValue : nil, high: cools ? context.value(cooling)?.doubleValue : nil,
      at: context.now)
    guard isActive else { return context.change(current, to: State.inactive) }
    context.change(
      current, to: room.output == .off ? State.idle : room.output == .up ? State.heating : State.cooling)
  }
}
