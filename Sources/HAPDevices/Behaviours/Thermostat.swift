import HAPModel

/// A room that a thermostat heats and cools. HAP R2 §8 "Thermostat".
///
/// The temperature drifts to `outside`; heating and cooling change it by `power`. Current Heating Cooling State
/// follows the machine. In auto, the thresholds apply; Target Temperature replaces a missing one.
final class Thermostat: RoomRegulation {
  /// Values of Target Heating Cooling State; the first three are those of the current one too.
  private enum Mode {
    static let off: Value = 0, heat: Value = 1, cool: Value = 2, auto: Value = 3
  }

  let current, temperature: AttributeID?
  private let mode, target, heating, cooling: AttributeID?
  let parameters: BehaviourParameters
  var room: RegulatedRoom

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    current = service[.currentHeatingCoolingState]
    mode = service[.targetHeatingCoolingState]
    temperature = service[.currentTemperature]
    target = service[.targetTemperature]
    heating = service[.heatingThresholdTemperature]
    cooling = service[.coolingThresholdTemperature]
    self.parameters = parameters
    room = RegulatedRoom(20, parameters, at: .zero)
  }

  static let kind = BehaviourKind(
    service: .thermostat,
    summary: "It heats and cools a room to its target; the room drifts to the outside temperature.",
    parameters: ClimateParameters.temperature
  ) { Thermostat($0, $1) }

  func regulate(_ context: inout DeviceContext) {
    let wanted = context.value(target)?.doubleValue
    let (low, high): (Double?, Double?) =
      switch context.value(mode) {
      case Mode.heat: (wanted, nil)
      case Mode.cool: (nil, wanted)
      case Mode.auto:
        (
          context.value(heating)?.doubleValue ?? wanted, context.value(cooling)?.doubleValue ?? wanted
        )
      default: (nil, nil)
      }
    room.keep(low: low, high: high, at: context.now)
    context.change(current, to: room.output == .off ? Mode.off : room.output == .up ? Mode.heat : Mode.cool)
  }
}
