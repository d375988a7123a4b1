import HAPModel

/// A valve: In Use follows Active, for the time of Set Duration. HAP R14 §8.43 "Valve", according to HomeKitADK.
///
/// - Remaining Duration is reported when a countdown starts, changes or ends. Reads in between return the time left.
///   At 0 the valve turns off.
/// - A new Set Duration applies from the next start; 0 is without end.
/// - The water of a valve that is linked to a faucet stops while the faucet is inactive. Active does not change.
final class Valve: Behaviour {
  private enum Flow {
    case stopped
    /// The valve opens; it is `flowing` after `flowDelay`.
    case starting
    /// Without a countdown, the water flows until the valve is turned off.
    case flowing(Countdown?)
  }
  private static let opened = 0, end = 1

  private let active, inUse, setDuration, remaining: AttributeID?
  private let faucets: [AttributeID]
  private let flowDelay: Duration
  private var flow = Flow.stopped

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    active = service[.active]
    inUse = service[.inUse]
    setDuration = service[.setDuration]
    remaining = service[.remainingDuration]
    faucets = service.linked(.faucet).compactMap { $0[.active] }
    flowDelay = parameters.duration("flowDelay")
  }

  static let kind = BehaviourKind(
    service: .valve, summary: "Water flows while it is active, at most for its set duration.",
    parameters: [
      .init("flowDelay", .duration, default: .duration(.zero), "Time from active to in use.")
    ]
  ) { Valve($0, $1) }

  var watched: [AttributeID] { faucets }
  var live: [AttributeID] { [remaining].compactMap { $0 } }

  func read(_ id: AttributeID, _ context: inout DeviceContext) -> Value? {
    guard id == remaining, case .flowing(let countdown?) = flow else { return nil }
    return context.admitted(id, countdown.secondsLeft(at: context.now))
  }

  /// A valve that was on when the power failed starts again.
  func start(_ context: inout DeviceContext) { follow(&context) }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == active { follow(&context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    switch id {
    case active: follow(&context)
    case inUse:
      guard value == 1 else { return stop(&context) }
      // Only an active valve is in use.
      context.change(active, to: 1)
      if case .flowing = flow { return }
      context.cancel(Self.opened)
      run(&context)
    case remaining: changeCountdown(value.doubleValue ?? 0, &context)
    default: break
    }
  }

  func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { follow(&context) }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    switch (token, flow) {
    case (Self.opened, .starting): run(&context)
    case (Self.end, .flowing(_?)): turnOff(&context)
    default: break
    }
  }

  private func follow(_ context: inout DeviceContext) {
    var isOpen = context.value(active) == 1
    for faucet in faucets where context.value(faucet) != 1 { isOpen = false }
    guard isOpen else { return stop(&context) }
    guard case .stopped = flow else { return }
    guard flowDelay > .zero else { return run(&context) }
    flow = .starting
    context.schedule(Self.opened, after: flowDelay)
  }

  private func run(_ context: inout DeviceContext) {
    context.change(inUse, to: 1)
    count(context.value(setDuration)?.doubleValue ?? 0, &context)
    guard case .flowing(let countdown?) = flow else { return context.tell(remaining, 0) }
    if let left = context.admitted(remaining, countdown.secondsLeft(at: context.now)) { context.set(remaining, left) }
  }

  private func count(_ seconds: Double, _ context: inout DeviceContext) {
    guard seconds > 0 else {
      flow = .flowing(nil)
      return
    }
    let countdown = Countdown(seconds, from: context.now)
    flow = .flowing(countdown)
    context.schedule(Self.end, after: countdown.timeLeft(at: context.now))
  }

  private func changeCountdown(_ seconds: Double, _ context: inout DeviceContext) {
    guard case .flowing = flow else { return }
    if seconds > 0 { count(seconds, &context) } else { turnOff(&context) }
  }

  private func turnOff(_ context: inout DeviceContext) {
    context.change(active, to: 0)
    stop(&context)
  }

  private func stop(_ context: inout DeviceContext) {
    switch flow {
    case .stopped, .flowing(nil): break
    case .starting: context.cancel(Self.opened)
    case .flowing: context.cancel(Self.end)
    }
    flow = .stopped
    context.change(inUse, to: 0)
    context.tell(remaining, 0)
  }
}
