import HAPModel

/// A room with a heating and a cooling, kept by a thermostat. HAP R2 §8 "Thermostat".
///
/// The temperature drifts to `outside` and is pushed by `power`. Current Heating Cooling State follows what the machine does; in auto the thresholds are
/// kept where there are any, else Target Temperature.
final class Thermostat: Behaviour {
  /// Values of Target Heating Cooling State; the first three are those of the current one too.
  private enum Mode {
    static let off: Value = 0, heat: Value = 1, cool: Value = 2, auto: Value = 3
  }
  private static let look = 0

  private let current, mode, temperature, target, heating, cooling: AttributeID?
  private let report: Duration
  private let power: Double
  private let parameters: BehaviourParameters
  private var room: Surroundings
  private var regulator: Regulator

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    current = service[.currentHeatingCoolingState]
    mode = service[.targetHeatingCoolingState]
    temperature = service[.currentTemperature]
    target = service[.targetTemperature]
    heating = service[.heatingThresholdTemperature]
    cooling = service[.coolingThresholdTemperature]
    report = max(.seconds(1), parameters.duration("report"))
    power = parameters.number("power")
    self.parameters = parameters
    room = ClimateParameters.room(20, parameters, at: .zero)
    regulator = Regulator(hysteresis: parameters.number("hysteresis"))
  }

  static let kind = BehaviourKind(
    service: .thermostat, summary: "A room is heated and cooled to what is wanted, and drifts to the weather outside.",
    parameters: ClimateParameters.temperature
  ) { Thermostat($0, $1) }

  func start(_ context: inout DeviceContext) {
    room = ClimateParameters.room(context.value(temperature)?.doubleValue ?? 20, parameters, at: context.now)
    regulate(&context)
    context.schedule(Self.look, after: report)
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    room.pass(to: context.now)
    regulate(&context)
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == current { return }
    if id == temperature { room.set(value.doubleValue ?? room.value, at: context.now) }
    written(id, value, &context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    room.pass(to: context.now)
    context.tell(temperature, room.value)
    regulate(&context)
    context.schedule(Self.look, after: report)
  }

  private func regulate(_ context: inout DeviceContext) {
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
    regulator.regulate(room.value, low: low, high: high)
    switch regulator.output {
    case .off: room.push(0, from: context.now)
    case .up: room.push(power, from: context.now)
    case .down: room.push(-power, from: context.now)
    }
    context.change(current, to: regulator.output == .off ? Mode.off : regulator.output == .up ? Mode.heat : Mode.cool)
  }
}
