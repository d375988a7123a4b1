import HAPModel

/// A sensor of pollutant densities. Air Quality is the level of the worst one. HAP R2 §8 "Air Quality Sensor".
///
/// Air Quality that was set by hand stays until a density is set by hand.
final class AirQualitySensor: Behaviour {
  private struct Pollutant {
    /// The name in parameters.
    let word: String
    let density: CharacteristicDefinition
    /// The largest densities, in µg/m³, that are excellent, good, fair, and inferior. Above the last one the air is
    /// poor.
    let limits: [Double]
  }

  /// The limits are the five levels of the European Air Quality Index, as the European Environment Agency's viewer
  /// first stated them (discomap.eea.europa.eu/map/AQI/Viewer). The index has no VOC; the VOC limits are our choice.
  private static let pollutants = [
    Pollutant(word: "ozone", density: .ozoneDensity, limits: [80, 120, 180, 240]),
    Pollutant(word: "nitrogenDioxide", density: .nitrogenDioxideDensity, limits: [40, 100, 200, 400]),
    Pollutant(word: "sulphurDioxide", density: .sulphurDioxideDensity, limits: [100, 200, 350, 500]),
    Pollutant(word: "pm2.5", density: .pm2_5Density, limits: [10, 20, 25, 50]),
    Pollutant(word: "pm10", density: .pm10Density, limits: [20, 35, 50, 100]),
    Pollutant(word: "voc", density: .vocDensity, limits: [100, 300, 500, 800]),
  ]

  private let quality, statusActive: AttributeID?
  private let densities: [(id: AttributeID, limits: [Double])]
  private let measurements: Measurements
  private var isSetByHand = false

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    quality = service[.airQuality]
    statusActive = service[.statusActive]
    let there = Self.pollutants.compactMap { pollutant in service[pollutant.density].map { (pollutant, $0) } }
    densities = there.map { ($1, $0.limits) }
    let word = parameters.choice("replayed")
    let replayed = there.first { word == "first" || $0.0.word == word }
    measurements = Measurements(densities.map(\.id), replayed: replayed?.1, in: service, parameters)
  }

  static let kind = BehaviourKind(
    service: .airQualitySensor, summary: "Densities change at random or follow a series; Air Quality follows them.",
    parameters: Measurements.parameters + [
      .init(
        "replayed", .choice(["first"] + pollutants.map(\.word)), default: .choice("first"),
        "The density that the series applies to; first: the first one that the service has.")
    ]
  ) { AirQualitySensor($0, $1) }

  func start(_ context: inout DeviceContext) {
    measurements.start(&context)
    judge(&context)
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == quality { isSetByHand = true }
    guard measurements.setByHand(id, value, &context) else { return }
    if id != statusActive { isSetByHand = false }
    judge(&context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    if measurements.timerFired(token, &context) { judge(&context) }
  }

  private func judge(_ context: inout DeviceContext) {
    guard !isSetByHand, !densities.isEmpty, context.value(statusActive) != false else { return }
    var worst = 0
    for (id, limits) in densities {
      let density = context.value(id)?.doubleValue ?? 0
      worst = max(worst, limits.count { density > $0 })
    }
    context.tell(quality, Double(worst + 1))
  }
}
