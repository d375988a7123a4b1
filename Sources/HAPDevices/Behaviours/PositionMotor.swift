import HAPModel

/// The motor of a door, window or covering. Current Position follows Target Position in `travelTime`. The tilts of a
/// covering follow their targets in `tiltTime`. HAP R2 §8 "Door", "Window", "Window Covering".
///
/// - Hold Position 1 stops it, and its position becomes the target. The next target releases it. 0 has no effect
///   (§9.43).
/// - An obstruction makes it return to where it started or stop, as `onObstruction` says. While obstructed it does not
///   continue in that direction.
final class PositionMotor: Behaviour {
  /// Values of Position State.
  private enum State {
    static let decreasing: Value = 0, increasing: Value = 1, stopped: Value = 2
  }
  /// In percent.
  private static let ends = 0.0...100.0
  private static let arrival = 0, report = 1, tilts = 2

  private let current, target, state, hold, obstruction: AttributeID?
  private let tilting: [TiltMotor]
  private let travelTime, reportInterval: Duration
  private let turnsBack: Bool
  private var travel = Travel(at: 0, between: PositionMotor.ends, fullTime: .zero)
  /// The position where it started.
  private var origin = 0.0
  private var isMoving = false

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    current = service[.currentPosition]
    target = service[.targetPosition]
    state = service[.positionState]
    hold = service[.holdPosition]
    obstruction = service[.obstructionDetected]
    travelTime = parameters.duration("travelTime")
    reportInterval = max(.milliseconds(50), parameters.duration("report"))
    turnsBack = parameters.choice("onObstruction") == "reverse"
    let tiltTime = parameters.has("tiltTime") ? parameters.duration("tiltTime") : .zero
    tilting = [
      TiltMotor(
        service[.currentHorizontalTiltAngle], service[.targetHorizontalTiltAngle], time: tiltTime, token: Self.tilts),
      TiltMotor(
        service[.currentVerticalTiltAngle], service[.targetVerticalTiltAngle], time: tiltTime, token: Self.tilts + 1),
    ].compactMap { $0 }
  }

  private static let parameters: [BehaviourParameter] = [
    .init("travelTime", .duration, default: .duration(.seconds(10)), "Time from 0 % to 100 %, or back."),
    .init(
      "report", .duration, default: .duration(.seconds(1)), "How often Current Position is reported during travel."),
    .init(
      "onObstruction", .choice(["reverse", "stop"]), default: .choice("reverse"),
      "Reaction to an obstruction: go back, or stop."),
  ]

  private static func kind(_ service: ServiceDefinition, _ summary: String, tilts: Bool = false) -> BehaviourKind {
    let tiltTime = BehaviourParameter(
      "tiltTime", .duration, default: .duration(.seconds(2)), "Time from -90° to 90°, or back.")
    return BehaviourKind(service: service, summary: summary, parameters: parameters + (tilts ? [tiltTime] : [])) {
      PositionMotor($0, $1)
    }
  }

  static let kinds = [
    kind(.door, "The door moves to its target position, and reacts to obstructions."),
    kind(.window, "The window moves to its target position, and reacts to obstructions."),
    kind(.windowCovering, "The covering moves to its target position, and its slats tilt.", tilts: true),
  ]

  func start(_ context: inout DeviceContext) {
    // A motor does not move while the power is off, so it is where the target says; the target is stored.
    let position = context.value(target)?.doubleValue ?? context.value(current)?.doubleValue ?? 0
    travel = Travel(at: position, between: Self.ends, fullTime: travelTime)
    context.tell(current, travel.target)
    context.change(state, to: State.stopped)
    for motor in tilting { motor.start(&context) }
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == target { go(to: value.doubleValue ?? 0, &context) }
    if id == hold, value == true { holdStill(&context) }
    for motor in tilting { motor.written(id, value, &context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    switch id {
    case current:
      // Pushed by hand.
      travel = Travel(at: value.doubleValue ?? 0, between: Self.ends, fullTime: travelTime)
      context.set(target, value)
      rest(&context)
    case obstruction: if value == true { obstructed(&context) }
    case state: break
    default: written(id, value, &context)
    }
    for motor in tilting { motor.setByHand(id, value, &context) }
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    switch token {
    case Self.arrival: rest(&context)
    case Self.report:
      tellPosition(&context)
      context.schedule(Self.report, after: reportInterval)
    default: for motor in tilting { motor.timerFired(token, &context) }
    }
  }

  // MARK: The motor

  private func go(to position: Double, _ context: inout DeviceContext) {
    let here = travel.position(at: context.now)
    if isMoving, travel.target == position { return }
    guard position != here else {
      travel.stop(at: context.now)
      return rest(&context)
    }
    // An obstruction only blocks the closing direction.
    if position < here, context.value(obstruction) == true {
      return holdStill(&context)
    }
    origin = here
    travel.go(to: position, at: context.now)
    isMoving = true
    context.change(state, to: position > here ? State.increasing : State.decreasing)
    context.schedule(Self.arrival, after: travel.timeLeft(at: context.now))
    if travel.timeLeft(at: context.now) > reportInterval { context.schedule(Self.report, after: reportInterval) }
  }

  private func holdStill(_ context: inout DeviceContext) {
    let here = travel.position(at: context.now).rounded()
    travel = Travel(at: here, between: Self.ends, fullTime: travelTime)
    context.tell(target, here)
    rest(&context)
  }

  private func obstructed(_ context: inout DeviceContext) {
    guard isMoving, travel.target < travel.position(at: context.now) else { return }
    guard turnsBack else { return holdStill(&context) }
    let origin = origin.rounded()
    context.tell(target, origin)
    tellPosition(&context)
    go(to: origin, &context)
  }

  private func rest(_ context: inout DeviceContext) {
    if isMoving {
      context.cancel(Self.arrival)
      context.cancel(Self.report)
    }
    isMoving = false
    tellPosition(&context)
    context.change(state, to: State.stopped)
  }

  private func tellPosition(_ context: inout DeviceContext) {
    context.tell(current, travel.position(at: context.now))
  }
}
