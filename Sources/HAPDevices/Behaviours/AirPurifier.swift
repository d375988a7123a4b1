import HAPModel

/// A purifier: Current Air Purifier State follows Active. A linked fan starts and stops with it. Stopping the fan
/// stops the purifier; starting the fan does not start it. HAP R2 §8 "Air Purifier".
final class AirPurifier: Behaviour {
  /// Values of Current Air Purifier State.
  private enum State {
    static let inactive: Value = 0, idle: Value = 1, purifying: Value = 2
  }
  private static let started = 0

  private let active, current: AttributeID?
  private let fans: [AttributeID]
  private let startTime: Duration
  private var isStarting = false

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    active = service[.active]
    current = service[.currentAirPurifierState]
    fans = service.linked(.fanv2).compactMap { $0[.active] }
    startTime = parameters.duration("startTime")
  }

  static let kind = BehaviourKind(
    service: .airPurifier, summary: "It runs while it is active; a linked fan starts and stops with it.",
    parameters: [.init("startTime", .duration, default: .duration(.seconds(2)), "Time from idle to purifying.")]
  ) { AirPurifier($0, $1) }

  var watched: [AttributeID] { fans }

  func start(_ context: inout DeviceContext) {
    context.change(current, to: context.value(active) == 1 ? State.purifying : State.inactive)
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == active { turn(&context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { written(id, value, &context) }

  func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    guard value == 0, context.value(active) == 1 else { return }
    context.set(active, 0)
    turn(&context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    isStarting = false
    context.change(current, to: State.purifying)
  }

  private func turn(_ context: inout DeviceContext) {
    let isActive = context.value(active) == 1
    for fan in fans { context.change(fan, to: isActive ? 1 : 0) }
    if isActive {
      guard !isStarting, context.value(current) != State.purifying else { return }
      guard startTime > .zero else { return context.change(current, to: State.purifying) }
      isStarting = true
      context.change(current, to: State.idle)
      context.schedule(Self.started, after: startTime)
    } else {
      if isStarting { context.cancel(Self.started) }
      isStarting = false
      context.change(current, to: State.inactive)
    }
  }
}
