import HAPModel

/// A speaker: Volume Selector turns Volume up and down; Volume and Mute keep the values that are set. HAP R2 §8
/// "Speaker".
final class Speaker: Behaviour {
  private static let increment: Value = 0

  private let selector, volume: AttributeID?
  private let step: Double

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    selector = service[.volumeSelector]
    volume = service[.volume]
    step = parameters.number("step")
  }

  static let kind = BehaviourKind(
    service: .speaker, summary: "Volume Selector raises and lowers Volume.",
    parameters: [.init("step", .number(1...100), default: .number(5), "How much Volume Selector changes Volume, in %.")]
  ) { Speaker($0, $1) }

  func start(_ context: inout DeviceContext) {}

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    guard id == selector, let level = context.value(volume)?.doubleValue else { return }
    context.tell(volume, level + (value == Self.increment ? step : -step))
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { written(id, value, &context) }
}
