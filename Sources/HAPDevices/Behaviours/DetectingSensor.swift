import HAPModel

/// A sensor that detects one thing: motion, people, an open door, water, smoke. HAP R2 §8, the services of that name.
final class DetectingSensor: Behaviour {
  private let detection: Detection

  init(
    _ service: DeviceService, _ parameters: BehaviourParameters, _ state: AttributeID?, _ detected: Value,
    _ clear: Value
  ) {
    detection = Detection(
      state, in: service, detected: detected, clear: clear, hold: parameters.duration("hold"), token: 0)
  }

  private static func kind(
    _ service: ServiceDefinition, _ state: CharacteristicDefinition, hold: Duration, _ summary: String
  ) -> BehaviourKind {
    let (detected, clear): (Value, Value) = state.format == .bool ? (true, false) : (1, 0)
    return BehaviourKind(service: service, summary: summary, parameters: [Detection.hold(hold)]) {
      DetectingSensor($0, $1, $0[state], detected, clear)
    }
  }

  static let kinds = [
    // Contact Sensor State is 1 while the contact is open.
    kind(.contactSensor, .contactSensorState, hold: .seconds(10), "A trigger opens it for a while."),
    kind(.leakSensor, .leakDetected, hold: .zero, "A trigger reports a leak until it is reset by hand."),
    kind(.motionSensor, .motionDetected, hold: .seconds(30), "A trigger reports motion for a while."),
    kind(.occupancySensor, .occupancyDetected, hold: .seconds(120), "A trigger reports occupancy for a while."),
    kind(.smokeSensor, .smokeDetected, hold: .seconds(60), "A trigger reports smoke for a while."),
  ]

  func start(_ context: inout DeviceContext) {}

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    detection.setByHand(id, &context)
  }

  var actions: Set<PhysicalAction.Kind> { [.trigger] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    if case .trigger = action { try detection.trigger(&context) }
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    if detection.timerFired(token) { detection.forget(&context) }
  }
}
