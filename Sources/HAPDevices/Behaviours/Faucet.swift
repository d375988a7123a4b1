import HAPModel

/// A faucet. While it is inactive, its linked valves stop their water and stay active; they notice the change
/// themselves. Making it inactive also turns off a linked heater. HAP R14 §8.14 "Faucet", according to HomeKitADK.
final class Faucet: Behaviour {
  private let active: AttributeID?
  private let heaters: [AttributeID]

  init(_ service: DeviceService) {
    active = service[.active]
    heaters = service.linked(.heaterCooler).compactMap { $0[.active] }
  }

  static let kind = BehaviourKind(
    service: .faucet, summary: "When inactive, it stops the water of its valves and turns off its heater.",
    parameters: []
  ) { service, _ in Faucet(service) }

  func start(_ context: inout DeviceContext) { follow(&context) }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == active { follow(&context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { written(id, value, &context) }

  private func follow(_ context: inout DeviceContext) {
    guard context.value(active) == 0 else { return }
    for heater in heaters { context.change(heater, to: 0) }
  }
}
