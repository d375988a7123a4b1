/// Parameters that all simulated rooms share.
enum ClimateParameters {
  static let temperature: [BehaviourParameter] = [
    .init("outside", .number(-60...60), default: .number(15), "The temperature that the room drifts to, in °C."),
    .init("inertia", .duration, default: .duration(.seconds(4 * 3600)), "Time constant of the drift; 0s: no drift."),
    .init("power", .number(0...100), default: .number(6), "Effect of heating and cooling, in °C per hour."),
    .init(
      "hysteresis", .number(0...10), default: .number(0.5),
      "Distance from the limit at which heating or cooling is switched on, in °C."),
    report,
  ]

  static let humidity: [BehaviourParameter] = [
    .init("outside", .number(0...100), default: .number(50), "The relative humidity that the room drifts to, in %."),
    .init("inertia", .duration, default: .duration(.seconds(4 * 3600)), "Time constant of the drift; 0s: no drift."),
    .init("power", .number(0...1000), default: .number(20), "Effect of the machine, in % per hour."),
    .init(
      "hysteresis", .number(0...50), default: .number(2),
      "Distance from the limit at which the machine is switched on, in %."),
    report,
  ]

  private static let report = BehaviourParameter(
    "report", .duration, default: .duration(.seconds(60)), "How often the room's state is updated and reported.")
}
