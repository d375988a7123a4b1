import HAPModel

/// A filter that wears while the machine that it is linked to runs. Without a linked machine it always wears. HAP R2
/// §8 "Filter Maintenance".
///
/// Reset Filter Indication replaces it with a new filter.
final class FilterWear: Behaviour {
  private static let next = 0

  private let level, change, reset: AttributeID?
  private let machines: [AttributeID]
  private let life: Duration
  private let changeAt: Double
  private var drain = Drain(100, at: .zero)

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    level = service[.filterLifeLevel]
    change = service[.filterChangeIndication]
    reset = service[.resetFilterIndication]
    machines =
      [ServiceDefinition.airPurifier, .humidifierDehumidifier, .heaterCooler, .fanv2]
      .lazy.map { service.linked($0) }.first { !$0.isEmpty }?.compactMap { $0[.active] } ?? []
    life = parameters.duration("life")
    changeAt = parameters.number("changeAt")
  }

  static let kind = BehaviourKind(
    service: .filterMaintenance, summary: "The filter wears while its machine runs, and reports when a change is due.",
    parameters: [
      .init(
        "life", .duration, default: .duration(.seconds(180 * 86_400)),
        "How long a new filter lasts in use; 0s: forever."),
      .init("changeAt", .number(0...100), default: .number(10), "The highest level at which a change is due, in %."),
    ]
  ) { FilterWear($0, $1) }

  var watched: [AttributeID] { machines }

  func start(_ context: inout DeviceContext) {
    drain = Drain(context.value(level)?.doubleValue ?? 100, at: context.now)
    run(&context)
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    guard id == reset, value == 1 else { return }
    drain.set(100, at: context.now)
    run(&context)
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == level {
      drain.set(value.doubleValue ?? 100, at: context.now)
      run(&context)
    }
    written(id, value, &context)
  }

  func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { run(&context) }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    tell(&context)
    context.schedule(Self.next, after: drain.untilNextPercent(at: context.now))
  }

  private func run(_ context: inout DeviceContext) {
    var isUsed = machines.isEmpty
    for machine in machines where context.value(machine) == 1 { isUsed = true }
    drain.run(isUsed ? life : .zero, from: context.now)
    tell(&context)
    context.schedule(Self.next, after: drain.untilNextPercent(at: context.now))
  }

  private func tell(_ context: inout DeviceContext) {
    let percent = drain.percent(at: context.now)
    context.tell(level, percent)
    context.change(change, to: percent <= changeAt ? 1 : 0)
  }
}
