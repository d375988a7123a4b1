import HAPModel

/// Slats that tilt and swing: Current Slat State says fixed, swinging or jammed. HAP R2 §8 "Slat".
///
/// Jammed slats do not move until they are freed; then they do what was requested meanwhile.
final class SlatDrive: Behaviour {
  /// Values of Current Slat State.
  private enum State {
    static let fixed: Value = 0, jammed: Value = 1, swinging: Value = 2
  }

  private let state, swing, target: AttributeID?
  private let tilt: TiltMotor?
  private var isJammed = false

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    state = service[.currentSlatState]
    swing = service[.swingMode]
    target = service[.targetTiltAngle]
    tilt = TiltMotor(
      service[.currentTiltAngle], service[.targetTiltAngle], time: parameters.duration("tiltTime"), token: 0)
  }

  static let kind = BehaviourKind(
    service: .slat, summary: "The slats tilt to their target angle, and swing.",
    parameters: [.init("tiltTime", .duration, default: .duration(.seconds(2)), "Time from -90° to 90°, or back.")]
  ) { SlatDrive($0, $1) }

  func start(_ context: inout DeviceContext) {
    isJammed = context.value(state) == State.jammed
    if !isJammed {
      tilt?.start(&context)
      tellState(&context)
    }
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    guard !isJammed else { return }
    if id == swing { tellState(&context) }
    tilt?.written(id, value, &context)
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == state { isJammed = value == State.jammed }
    tilt?.setByHand(id, value, &context)
    written(id, value, &context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) { if !isJammed { tilt?.timerFired(token, &context) } }

  var actions: Set<PhysicalAction.Kind> { [.jam] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    guard case .jam(let isStuck) = action, isStuck != isJammed else { return }
    isJammed = isStuck
    tellState(&context)
    if !isStuck, let target, let angle = context.value(target) { tilt?.written(target, angle, &context) }
  }

  private func tellState(_ context: inout DeviceContext) {
    context.change(state, to: isJammed ? State.jammed : context.value(swing) == 1 ? State.swinging : State.fixed)
  }
}
