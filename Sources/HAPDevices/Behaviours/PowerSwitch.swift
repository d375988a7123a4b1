import HAPModel

/// A switch: a press toggles On. HAP R2 §8 "Switch".
final class PowerSwitch: Behaviour {
  private let on: AttributeID?

  init(_ service: DeviceService) { on = service[.on] }

  static let kind = BehaviourKind(
    service: .switch, summary: "It keeps the value that is set; a press toggles On.", parameters: []
  ) { service, _ in PowerSwitch(service) }

  func start(_ context: inout DeviceContext) {}

  var mindsWrites: Bool { false }

  var actions: Set<PhysicalAction.Kind> { on == nil ? [] : [.press] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    try Self.press(action, on, &context)
  }

  /// Performs a single press on a service that has On.
  static func press(_ action: PhysicalAction, _ on: AttributeID?, _ context: inout DeviceContext) throws(CommandError) {
    guard case .press(let press) = action, let on else { return }
    guard press == .single else {
      throw CommandError(.notPossible, "a \(press.name) press has no effect here: a single press toggles On")
    }
    context.set(on, .bool(context.value(on) != true))
  }
}
