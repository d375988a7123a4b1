import HAPModel

/// A device that humidifies and dehumidifies a room's air while it is active. HAP R2 §8 "Humidifier Dehumidifier".
///
/// Humidifying uses the water of the tank (Water Level) and stops when the tank is empty.
final class HumidifierDehumidifier: Behaviour {
  /// Values of Current Humidifier Dehumidifier State.
  private enum State {
    static let inactive: Value = 0, idle: Value = 1, humidifying: Value = 2, dehumidifying: Value = 3
  }
  /// Values of Target Humidifier Dehumidifier State.
  private enum Mode {
    static let auto: Value = 0, humidify: Value = 1, dehumidify: Value = 2
  }
  private static let look = 0

  private let active, current, mode, humidity, low, high, water: AttributeID?
  private let report, tank: Duration
  private let parameters: BehaviourParameters
  private var room: RegulatedRoom
  private var level = 100.0
  private var lookedAt = Duration.zero

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    active = service[.active]
    current = service[.currentHumidifierDehumidifierState]
    mode = service[.targetHumidifierDehumidifierState]
    humidity = service[.currentRelativeHumidity]
    low = service[.relativeHumidityHumidifierThreshold]
    high = service[.relativeHumidityDehumidifierThreshold]
    water = service[.waterLevel]
    report = max(.seconds(1), parameters.duration("report"))
    tank = parameters.duration("tank")
    self.parameters = parameters
    room = RegulatedRoom(50, parameters, at: .zero)
  }

  static let kind = BehaviourKind(
    service: .humidifierDehumidifier, summary: "It keeps a room's humidity between its thresholds while it is active.",
    parameters: ClimateParameters.humidity + [
      .init(
        "tank", .duration, default: .duration(.seconds(8 * 3600)),
        "How long humidifying takes to empty a full tank; 0s: it stays full.")
    ]
  ) { HumidifierDehumidifier($0, $1) }

  func start(_ context: inout DeviceContext) {
    room = RegulatedRoom(context.value(humidity)?.doubleValue ?? 50, parameters, at: context.now)
    level = context.value(water)?.doubleValue ?? 100
    lookedAt = context.now
    regulate(&context)
    context.schedule(Self.look, after: report)
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    pass(&context)
    regulate(&context)
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == current { return }
    pass(&context)
    if id == humidity { room.set(value.doubleValue ?? room.value, at: context.now) }
    if id == water { level = value.doubleValue ?? level }
    regulate(&context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    pass(&context)
    context.tell(humidity, min(100, max(0, room.value)))
    if water != nil { context.tell(water, level) }
    regulate(&context)
    context.schedule(Self.look, after: report)
  }

  private func pass(_ context: inout DeviceContext) {
    if room.output == .up, tank > .zero, water != nil {
      level = max(0, level - 100 * ((context.now - lookedAt) / tank))
    }
    lookedAt = context.now
    room.pass(to: context.now)
  }

  private func regulate(_ context: inout DeviceContext) {
    let isActive = context.value(active) == 1
    let wets = isActive && context.value(mode) != Mode.dehumidify && (water == nil || level > 0)
    let dries = isActive && context.value(mode) != Mode.humidify
    room.keep(
      low: wets ? context.value(low)?.doubleValue : nil, high: dries ? context.value(high)?.doubleValue : nil,
      at: context.now)
    guard isActive else { return context.change(current, to: State.inactive) }
    context.change(
      current,
      to: room.output == .off ? State.idle : room.output == .up ? State.humidifying : State.dehumidifying)
  }
}
