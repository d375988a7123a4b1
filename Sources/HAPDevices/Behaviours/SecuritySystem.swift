import HAPModel

/// An alarm system: Security System Current State follows the target, and an armed system can be triggered. HAP R2 §8
/// "Security System".
///
/// - Before it is armed for away or night, it waits for `exitDelay`, so that people can leave.
/// - After a trigger, writing a target within `entryDelay` prevents the alarm. Writing a target later clears it.
final class SecuritySystem: Behaviour {
  /// Values of Security System Current State; all but the last are those of the target too.
  private enum State {
    static let away: Value = 1, night: Value = 2, disarmed: Value = 3, triggered: Value = 4
  }
  private static let armed = 0, alarm = 1

  private let current, target, alarmType, tampered: AttributeID?
  private let exitDelay, entryDelay: Duration
  private let tamperTriggers: Bool
  /// The state after the exit delay.
  private var arming: Value?
  private var isEntered = false

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    current = service[.securitySystemCurrentState]
    target = service[.securitySystemTargetState]
    alarmType = service[.securitySystemAlarmType]
    tampered = service[.statusTampered]
    exitDelay = parameters.duration("exitDelay")
    entryDelay = parameters.duration("entryDelay")
    tamperTriggers = parameters.flag("tamperTriggers")
  }

  static let kind = BehaviourKind(
    service: .securitySystem, summary: "Its state follows its target, armed or disarmed, and it can be triggered.",
    parameters: [
      .init(
        "exitDelay", .duration, default: .duration(.zero), "Time until it is armed for away or night."),
      .init("entryDelay", .duration, default: .duration(.zero), "Time from a trigger to the alarm."),
      .init(
        "tamperTriggers", .flag, default: .flag(true), "Whether opening its housing triggers it while it is armed."),
    ]
  ) { SecuritySystem($0, $1) }

  /// An alarm continues after a restart. Any other state is that of the target, which is stored.
  func start(_ context: inout DeviceContext) {
    guard context.value(current) != State.triggered, let wanted = context.value(target) else { return }
    context.change(current, to: wanted)
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == target { arm(&context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    switch id {
    case target: arm(&context)
    case current:
      rest(&context)
      if value == State.triggered { return context.change(alarmType, to: 1) }
      context.change(target, to: value)
      context.change(alarmType, to: 0)
    case tampered: if value == 1, tamperTriggers, isArmed(&context) { enter(&context) }
    default: break
    }
  }

  var actions: Set<PhysicalAction.Kind> { [.trigger] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    guard case .trigger = action else { return }
    if context.value(current) == State.disarmed {
      throw CommandError(
        .notPossible, arming == nil ? "the security system is disarmed" : "the security system is not armed yet")
    }
    enter(&context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    switch token {
    case Self.armed: if let arming { become(arming, &context) }
    case Self.alarm where isEntered: sound(&context)
    default: break
    }
  }

  private func isArmed(_ context: inout DeviceContext) -> Bool {
    guard let state = context.value(current) else { return false }
    return state != State.disarmed && state != State.triggered
  }

  private func arm(_ context: inout DeviceContext) {
    guard let wanted = context.value(target) else { return }
    let mayLeave = wanted == State.away || wanted == State.night
    guard mayLeave, exitDelay > .zero, context.value(current) != wanted else { return become(wanted, &context) }
    if arming == wanted, !isEntered { return }
    let wasTriggered = context.value(current) == State.triggered
    rest(&context)
    // The alarm is over at once. Until the exit delay ends, the system is disarmed.
    if wasTriggered { context.set(current, State.disarmed) }
    context.change(alarmType, to: 0)
    arming = wanted
    context.schedule(Self.armed, after: exitDelay)
  }

  private func become(_ state: Value, _ context: inout DeviceContext) {
    rest(&context)
    context.change(current, to: state)
    context.change(alarmType, to: 0)
  }

  private func enter(_ context: inout DeviceContext) {
    guard isArmed(&context), !isEntered else { return }
    guard entryDelay > .zero else { return sound(&context) }
    isEntered = true
    context.schedule(Self.alarm, after: entryDelay)
  }

  private func sound(_ context: inout DeviceContext) {
    rest(&context)
    context.set(current, State.triggered)
    context.change(alarmType, to: 1)
  }

  private func rest(_ context: inout DeviceContext) {
    if arming != nil { context.cancel(Self.armed) }
    if isEntered { context.cancel(Self.alarm) }
    arming = nil
    isEntered = false
  }
}
