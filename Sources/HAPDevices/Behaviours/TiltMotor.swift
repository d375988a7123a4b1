import HAPModel

/// The tilt of slats: a current angle follows a target angle. Part of a covering's or slat's behaviour.
final class TiltMotor {
  /// In degrees.
  private static let ends = -90.0...90.0

  private let current, target: AttributeID
  private let token: Int
  private let time: Duration
  private var travel = Travel(at: 0, between: TiltMotor.ends, fullTime: .zero)

  /// `nil` if the service has no such angles.
  /// - Parameters:
  ///   - time: from -90° to 90°.
  ///   - token: the token of its only timer.
  init?(_ current: AttributeID?, _ target: AttributeID?, time: Duration, token: Int) {
    guard let current, let target else { return nil }
    self.current = current
    self.target = target
    self.time = time
    self.token = token
  }

  func start(_ context: inout DeviceContext) {
    let angle = context.value(target)?.doubleValue ?? 0
    travel = Travel(at: angle, between: Self.ends, fullTime: time)
    context.tell(current, travel.target)
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    guard id == target else { return }
    travel.go(to: value.doubleValue ?? 0, at: context.now)
    context.schedule(token, after: travel.timeLeft(at: context.now))
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    guard id == current else { return }
    context.cancel(token)
    travel = Travel(at: value.doubleValue ?? 0, between: Self.ends, fullTime: time)
    context.set(target, value)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    if token == self.token {
      context.tell(current, travel.position(at: context.now))
    }
  }
}
