import HAPAttributes
import HAPModel

/// An outlet: On switches it. Outlet In Use reports whether something is plugged in, or whether power is drawn. HAP R2
/// §8 "Outlet".
final class Outlet: Behaviour {
  private let on, inUse: AttributeID?
  private let followsOn: Bool

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    on = service[.on]
    inUse = service[.outletInUse]
    followsOn = parameters.choice("inUse") == "drawing"
  }

  static let kind = BehaviourKind(
    service: .outlet, summary: "It keeps the value that is set; a press toggles On.",
    parameters: [
      .init(
        "inUse", .choice(["plugged", "drawing"]), default: .choice("plugged"),
        "Meaning of Outlet In Use: something is plugged in, regardless of On; or power is drawn, the same as On.")
    ]
  ) { Outlet($0, $1) }

  func start(_ context: inout DeviceContext) { tellUse(&context) }

  var mindsWrites: Bool { followsOn }

  func written(_ write: ServiceWrite, _ context: inout DeviceContext) { tellUse(&context) }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == on { tellUse(&context) }
  }

  var actions: Set<PhysicalAction.Kind> { on == nil ? [] : [.press] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    try PowerSwitch.press(action, on, &context)
    tellUse(&context)
  }

  private func tellUse(_ context: inout DeviceContext) {
    if followsOn, let value = context.value(on) { context.change(inUse, to: value) }
  }
}
