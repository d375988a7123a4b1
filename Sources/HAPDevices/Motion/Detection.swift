import HAPModel

/// What a sensor notices and forgets again after a while. Part of a sensor's behaviour.
///
/// What a hand set stays until it is set or triggered anew. With Status Active false nothing is noticed.
final class Detection {
  private let state, statusActive: AttributeID?
  private let detected, clear: Value
  private let hold: Duration
  private let token: Int
  private var isHeld = false

  /// - Parameters:
  ///   - clear: what it says when there is nothing; `detected` when there is.
  ///   - hold: how long it goes on; zero: until it is set by hand.
  ///   - token: its one timer's.
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
      "How long it goes on after the last trigger; 0s: until it is set by hand.")
  }

  /// Whether the sensor notices anything at all.
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

  /// Unless a trigger still holds it.
  func forget(_ context: inout DeviceContext) { if !isHeld { context.change(state, to: clear) } }

  func setByHand(_ id: AttributeID, _ context: inout DeviceContext) {
    guard id == state, isHeld else { return }
    isHeld = false
    context.cancel(token)
  }

  /// - Returns: whether it was the end of the hold.
  func timerFired(_ token: Int) -> Bool {
    guard token == self.token, isHeld else { return false }
    isHeld = false
    return true
  }
}
