import HAPModel

/// A battery that drains, and fills while it is charged. Status Low Battery follows in its service and in all other
/// services of the accessory, except those of other batteries. HAP R2 §8 "Battery Service".
final class Battery: Behaviour {
  /// Values of Charging State.
  private enum Charging {
    static let no: Value = 0, yes: Value = 1, notChargeable: Value = 2
  }
  private static let next = 0

  private let level, low, charging: AttributeID?
  private let alsoLow: [AttributeID]
  private let life, chargeTime: Duration
  private let lowAt: Double
  private var drain = Drain(100, at: .zero)

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    level = service[.batteryLevel]
    low = service[.statusLowBattery]
    charging = service[.chargingState]
    // Other batteries have their own level.
    alsoLow = service.others { $0.type != ServiceDefinition.batteryService.type && $0[.statusLowBattery] != nil }
      .compactMap { $0[.statusLowBattery] }
    life = parameters.duration("life")
    chargeTime = parameters.duration("chargeTime")
    lowAt = parameters.number("lowAt")
  }

  static let kind = BehaviourKind(
    service: .batteryService, summary: "It drains and charges, and reports when it is low.",
    parameters: [
      .init(
        "life", .duration, default: .duration(.seconds(365 * 86_400)), "Time from full to empty; 0s: it never drains."),
      .init(
        "chargeTime", .duration, default: .duration(.seconds(2 * 3600)), "Time from empty to full while it is charged."),
      .init("lowAt", .number(0...100), default: .number(20), "The highest level that is low, in %."),
    ]
  ) { Battery($0, $1) }

  func start(_ context: inout DeviceContext) {
    drain = Drain(context.value(level)?.doubleValue ?? 100, at: context.now)
    run(&context)
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == level { drain.set(value.doubleValue ?? 100, at: context.now) }
    if id == level || id == charging { run(&context) }
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    tell(&context)
    // Full: the device stays at the charger, but no longer charges.
    if context.value(charging) == Charging.yes, drain.level(at: context.now) >= 100 {
      context.set(charging, Charging.no)
      run(&context)
    } else {
      context.schedule(Self.next, after: drain.untilNextPercent(at: context.now))
    }
  }

  var actions: Set<PhysicalAction.Kind> { [.battery] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    guard case .battery(let percent) = action else { return }
    drain.set(Double(percent), at: context.now)
    run(&context)
  }

  private func run(_ context: inout DeviceContext) {
    let isCharged = context.value(charging) == Charging.yes
    drain.run(isCharged ? chargeTime : life, filling: isCharged, from: context.now)
    tell(&context)
    context.schedule(Self.next, after: drain.untilNextPercent(at: context.now))
  }

  private func tell(_ context: inout DeviceContext) {
    let percent = drain.percent(at: context.now)
    context.tell(level, percent)
    for id in [low].compactMap({ $0 }) + alsoLow { context.change(id, to: percent <= lowAt ? 1 : 0) }
  }
}
