import HAPModel

/// A button: each press is one Programmable Switch Event. HAP R2 §8 "Stateless Programmable Switch", "Doorbell".
///
/// A press that the valid-values exclude is refused. A stateful switch also turns its output on and off.
final class Button: Behaviour {
  private let event, output: AttributeID?

  init(_ service: DeviceService) {
    event = service[.programmableSwitchEvent]
    output = service[.programmableSwitchOutputState]
  }

  private static func kind(_ service: ServiceDefinition, _ summary: String) -> BehaviourKind {
    BehaviourKind(service: service, summary: summary, parameters: []) { service, _ in Button(service) }
  }

  static let kinds = [
    kind(.statelessProgrammableSwitch, "Each press is an event."),
    kind(.statefulProgrammableSwitch, "Each press is an event, and turns its output on and off."),
    kind(.doorbell, "Each press rings."),
  ]

  func start(_ context: inout DeviceContext) {}

  var mindsWrites: Bool { false }

  var actions: Set<PhysicalAction.Kind> { event == nil ? [] : [.press] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    guard case .press(let press) = action, let event, let characteristic = context.characteristic(event) else { return }
    func isKnown(_ press: ButtonPress) -> Bool { characteristic.allows(.integer(Int128(press.rawValue))) }
    guard isKnown(press) else {
      let known = ButtonPress.allCases.filter(isKnown).map(\.name)
      throw CommandError(
        .notPossible,
        "this button has no \(press.name) press: "
          + (known.isEmpty ? "its valid-values allow none" : "it has \(known.joined(separator: " and "))"))
    }
    context.set(event, .integer(Int128(press.rawValue)))
    if let output { context.set(output, context.value(output) == 1 ? 0 : 1) }
  }
}
