import HAPAttributes
import HAPModel

/// A fan: Current Fan State follows Active and Rotation Speed. HAP R2 §8 "Fan v2".
final class FanMotor: Behaviour {
  /// Values of Current Fan State.
  private enum State {
    static let inactive: Value = 0, idle: Value = 1, blowing: Value = 2
  }
  private static let spun = 0

  private let active, current, speed: AttributeID?
  private let spinUp: Duration
  private var isSpinningUp = false

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    active = service[.active]
    current = service[.currentFanState]
    speed = service[.rotationSpeed]
    spinUp = parameters.duration("spinUp")
  }

  static let kind = BehaviourKind(
    service: .fanv2, summary: "It blows while it is active and its speed is above 0.",
    parameters: [.init("spinUp", .duration, default: .duration(.zero), "Time from idle to blowing.")]
  ) { FanMotor($0, $1) }

  func start(_ context: inout DeviceContext) { turn(&context) }

  func written(_ write: ServiceWrite, _ context: inout DeviceContext) { turn(&context) }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id != current { turn(&context) }
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    isSpinningUp = false
    context.change(current, to: State.blowing)
  }

  private func turn(_ context: inout DeviceContext) {
    let isActive = context.value(active) == 1
    let turns = isActive && context.value(speed)?.doubleValue != 0
    guard turns else {
      if isSpinningUp { context.cancel(Self.spun) }
      isSpinningUp = false
      return context.change(current, to: isActive ? State.idle : State.inactive)
    }
    guard !isSpinningUp, context.value(current) != State.blowing else { return }
    guard spinUp > .zero else { return context.change(current, to: State.blowing) }
    context.change(current, to: State.idle)
    isSpinningUp = true
    context.schedule(Self.spun, after: spinUp)
  }
}
