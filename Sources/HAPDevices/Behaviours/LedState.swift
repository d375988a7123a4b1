import HAPModel

/// A current state that follows its target at once: the visibility of an input source, the media state of a smart
/// speaker. HAP R2 §9 "Current Visibility State", "Target Media State".
///
/// Setting it by hand also sets the target, if the target allows the value.
final class LedState: Behaviour {
  private let current, target: AttributeID?

  init(current: AttributeID?, target: AttributeID?) {
    self.current = current
    self.target = target
  }

  static let kinds = [
    BehaviourKind(service: .inputSource, summary: "Its visibility follows its target.", parameters: []) {
      service, _ in LedState(current: service[.currentVisibilityState], target: service[.targetVisibilityState])
    },
    BehaviourKind(service: .smartSpeaker, summary: "Its media state follows its target.", parameters: []) {
      service, _ in LedState(current: service[.currentMediaState], target: service[.targetMediaState])
    },
  ]

  func start(_ context: inout DeviceContext) { follow(&context) }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == target { follow(&context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == current { Self.lead(target, to: value, &context) }
    written(id, value, &context)
  }

  /// Sets a target to the value that its current state was set to by hand.
  static func lead(_ target: AttributeID?, to value: Value, _ context: inout DeviceContext) {
    guard let target, context.characteristic(target)?.allows(value) == true else { return }
    context.change(target, to: value)
  }

  private func follow(_ context: inout DeviceContext) {
    if let wanted = context.value(target)?.doubleValue { context.tell(current, wanted) }
  }
}
