/// What rooms with a climate of their own have in common.
enum ClimateParameters {
  static let temperature: [BehaviourParameter] = [
    .init("outside", .number(-60...60), default: .number(15), "The temperature that the room drifts to, in °C."),
    .init("inertia", .duration, default: .duration(.seconds(4 * 3600)), "How slowly it drifts; 0s: it doesn't."),
    .init("power", .number(0...100), default: .number(6), "What heating and cooling do, in °C an hour."),
    .init(
      "hysteresis", .number(0...10), default: .number(0.5), "How far it may go off before they are switched on, in °C."),
    report,
  ]

  static let humidity: [BehaviourParameter] = [
    .init("outside", .number(0...100), default: .number(50), "The relative humidity that the room drifts to, in %."),
    .init("inertia", .duration, default: .duration(.seconds(4 * 3600)), "How slowly it drifts; 0s: it doesn't."),
    .init("power", .number(0...1000), default: .number(20), "What the machine does, in % an hour."),
    .init(
      "hysteresis", .number(0...50), default: .number(2),
      "How far it may go off before the machine is switched on, in %."),
    report,
  ]

  private static let report = BehaviourParameter(
    "report", .duration, default: .duration(.seconds(60)), "How often the room is looked at, and its state told.")
}
