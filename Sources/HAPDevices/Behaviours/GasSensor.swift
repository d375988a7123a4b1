import HAPModel

/// A sensor of carbon monoxide or dioxide. It reports the gas when it is triggered, and while the level is at
/// `alarmAt` or above. The peak level is the highest one so far. HAP R2 §8 "Carbon Monoxide Sensor", "Carbon Dioxide
/// Sensor".
///
/// A state that was set by hand stays until the level crosses `alarmAt` again.
final class GasSensor: Behaviour {
  private let level, peak: AttributeID?
  private let detection: Detection
  private let measurements: Measurements
  private let alarmAt: Double
  private var isOver = false

  private init(
    _ service: DeviceService, _ parameters: BehaviourParameters, detected: AttributeID?, level: AttributeID?,
    peak: AttributeID?
  ) {
    self.level = level
    self.peak = peak
    measurements = Measurements([level].compactMap { $0 }, replayed: level, in: service, parameters)
    detection = Detection(
      detected, in: service, detected: 1, clear: 0, hold: parameters.duration("hold"), token: Measurements.tokens)
    alarmAt = parameters.number("alarmAt")
  }

  private static func kind(
    _ service: ServiceDefinition, detected: CharacteristicDefinition, level: CharacteristicDefinition,
    peak: CharacteristicDefinition, alarmAt: Double, _ summary: String
  ) -> BehaviourKind {
    let threshold = BehaviourParameter(
      "alarmAt", .number(0...100_000), default: .number(alarmAt), "The lowest level that is detected, in ppm.")
    return BehaviourKind(
      service: service, summary: summary,
      parameters: [threshold, Detection.hold(.seconds(60))] + Measurements.parameters
    ) {
      GasSensor($0, $1, detected: $0[detected], level: $0[level], peak: $0[peak])
    }
  }

  static let kinds = [
    kind(
      .carbonDioxideSensor, detected: .carbonDioxideDetected, level: .carbonDioxideLevel, peak: .carbonDioxidePeakLevel,
      alarmAt: 2000, "It reports carbon dioxide while the level is high."),
    kind(
      .carbonMonoxideSensor, detected: .carbonMonoxideDetected, level: .carbonMonoxideLevel,
      peak: .carbonMonoxidePeakLevel, alarmAt: 50, "It reports carbon monoxide while the level is high."),
  ]

  func start(_ context: inout DeviceContext) {
    measurements.start(&context)
    look(&context)
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    detection.setByHand(id, &context)
    if measurements.setByHand(id, value, &context) { look(&context) }
  }

  var actions: Set<PhysicalAction.Kind> { [.trigger] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    if case .trigger = action { try detection.trigger(&context) }
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    if measurements.timerFired(token, &context) { return look(&context) }
    if detection.timerFired(token), !isOver { detection.forget(&context) }
  }

  private func look(_ context: inout DeviceContext) {
    guard let now = context.value(level)?.doubleValue, detection.isActive(&context) else { return }
    if let highest = context.value(peak)?.doubleValue, now > highest { context.tell(peak, now) }
    guard (now >= alarmAt) != isOver else { return }
    isOver.toggle()
    if isOver { detection.notice(&context) } else { detection.forget(&context) }
  }
}
