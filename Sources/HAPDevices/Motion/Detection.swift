import HAPModel

/// A detection that ends after a hold time. Part of a sensor's behaviour.
///
/// A state that was set by hand stays until it is set or triggered again. While Status Active is false, nothing is
/// detected.
final class Detection {
  private let state, statusActive: AttributeID?
  private let detected, clear: Value
  private let hold: Duration
  private let token: Int
  private var isHeld = false

  /// - Parameters:
  ///   - clear: the value while nothing is detected; `detected` is the value otherwise.
  ///   - hold: how long a detection lasts; zero: until it is set by hand.
  ///   - token: the token of its only timer.
  init(
    _ state: AttributeID?, in service: DeviceService, detected: Value, clear: Value, hold: Duration, token: Int
  ) {
    self.state = state
    statusActive = service[.statusActive]
    self.detected = detected
    self.clear = clear
    self.hold = hold
    self.token = token
  }

  static func hold(_ duration: Duration) -> BehaviourParameter {
    .init(
      "hold", .duration, default: .duration(duration),
      "How long the detection lasts after the last trigger; 0s: until the state is set by hand.")
  }

  /// Whether the sensor can detect anything.
  func isActive(_ context: inout DeviceContext) -> Bool { context.value(statusActive) != false }

  func trigger(_ context: inout DeviceContext) throws(CommandError) {
    guard isActive(&context) else {
      throw CommandError(.notPossible, "the sensor detects nothing while its Status Active is false")
    }
    notice(&context)
    guard hold > .zero else { return }
    isHeld = true
    context.schedule(token, after: hold)
  }

  func notice(_ context: inout DeviceContext) { context.change(state, to: detected) }

  /// Clears the detection, unless a trigger still holds it.
  func forget(_ context: inout DeviceContext) { if !isHeld { context.change(state, to: clear) } }

  func setByHand(_ id: AttributeID, _ context: inout DeviceContext) {
    guard id == state, isHeld else { return }
    isHeld = false
    context.cancel(token)
  }

  /// - Returns: whether the hold ended.
  func timerFired(_ token: Int) -> Bool {
    guard token == self.token, isHeld else { return false }
    isHeld = false
    return true
  }
}
