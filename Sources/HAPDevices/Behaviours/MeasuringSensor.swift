import HAPModel

/// A sensor that measures one thing: temperature, humidity, light. HAP R2 §8, the services of that name.
final class MeasuringSensor: Behaviour {
  private let measurements: Measurements

  private init(_ service: DeviceService, _ parameters: BehaviourParameters, _ level: AttributeID?) {
    measurements = Measurements([level].compactMap { $0 }, replayed: level, in: service, parameters)
  }

  private static func kind(
    _ service: ServiceDefinition, _ level: CharacteristicDefinition, _ summary: String
  ) -> BehaviourKind {
    BehaviourKind(service: service, summary: summary, parameters: Measurements.parameters) {
      MeasuringSensor($0, $1, $0[level])
    }
  }

  static let kinds = [
    kind(.humiditySensor, .currentRelativeHumidity, "Humidity changes at random or follows a series."),
    kind(.lightSensor, .currentAmbientLightLevel, "The light level changes at random or follows a series."),
    kind(.temperatureSensor, .currentTemperature, "The temperature changes at random or follows a series."),
  ]

  func start(_ context: inout DeviceContext) { measurements.start(&context) }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    _ = measurements.setByHand(id, value, &context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) { _ = measurements.timerFired(token, &context) }
}
