import HAPModel

/// A bolt with a motor: Lock Current State follows Lock Target State after `actuationTime`, or jams. HAP R2 §8 "Lock Mechanism".
final class LockMechanism: Behaviour {
  /// Values of Lock Current State; the first two are those of Lock Target State too.
  private enum Bolt {
    static let unsecured: Value = 0, secured: Value = 1, jammed: Value = 2
  }

  private let current, target: AttributeID?
  private let actuationTime: Duration
  /// The probability that it jams, 0...1.
  private let jams: Double
  private let token: Int
  private var isMoving = false
  /// Whether the bolt is stuck. It stays so until it is freed.
  private var isStuck = false

  init(_ service: DeviceService, _ parameters: BehaviourParameters, token: Int = 0) {
    current = service[.lockCurrentState]
    target = service[.lockTargetState]
    actuationTime = parameters.duration("actuationTime")
    jams = parameters.fraction("jams")
    self.token = token
  }

  /// Whether the service has a lock.
  var isThere: Bool { current != nil && target != nil }

  static let parameters: [BehaviourParameter] = [
    .init("actuationTime", .duration, default: .duration(.seconds(1)), "Time that the bolt needs to move."),
    .init(
      "jams", .fraction, default: .fraction(0),
      "Probability that the bolt jams (Lock Current State: jammed): 0 is never, 1 always."),
  ]

  static let kind = BehaviourKind(
    service: .lockMechanism, summary: "The bolt follows its target, unless it jams.", parameters: parameters
  ) { LockMechanism($0, $1) }

  func start(_ context: inout DeviceContext) {
    // A bolt at rest does not move while the power is off, so it is where the target says; the target is stored.
    guard let wanted = context.value(target), [Bolt.unsecured, Bolt.secured].contains(context.value(current)) else {
      return
    }
    if context.value(current) != wanted { context.set(current, wanted) }
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == target { drive(&context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == target { return drive(&context) }
    guard id == current else { return }
    stop(&context)
    // A person has moved the bolt with a key: the motor continues from there.
    if value == Bolt.unsecured || value == Bolt.secured { context.set(target, value) }
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    guard token == self.token, isMoving, let wanted = context.value(target) else { return }
    isMoving = false
    let isStuck = isStuck || jams > 0 && Double.random(in: 0..<1, using: &context.random) < jams
    context.set(current, isStuck ? Bolt.jammed : wanted)
  }

  var actions: Set<PhysicalAction.Kind> { [.jam] }

  /// A stuck bolt reports jammed only when it should move. A freed bolt moves to its target.
  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    guard case .jam(let isStuck) = action, isStuck != self.isStuck else { return }
    self.isStuck = isStuck
    if !isStuck, context.value(current) == Bolt.jammed { drive(&context) }
  }

  private func drive(_ context: inout DeviceContext) {
    guard context.value(current) != context.value(target) else { return stop(&context) }
    isMoving = true
    context.schedule(token, after: actuationTime)
  }

  private func stop(_ context: inout DeviceContext) {
    if isMoving { context.cancel(token) }
    isMoving = false
  }
}
