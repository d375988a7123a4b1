import HAPModel

/// An irrigation system. It becomes active when one of its valves does, and is in use while one is. Making it inactive
/// turns its valves off. Its Remaining Duration is the longest of theirs. HAP R14 §8.21 "Irrigation System", according
/// to HomeKitADK.
///
/// Its valves are the linked ones. If none is linked, all valves of the accessory are its valves.
final class IrrigationSystem: Behaviour {
  private struct Line {
    let active, inUse, setDuration, remaining: AttributeID?
    var countdown: Countdown?

    init(_ valve: DeviceService) {
      active = valve[.active]
      inUse = valve[.inUse]
      setDuration = valve[.setDuration]
      remaining = valve[.remainingDuration]
    }
  }

  private let active, inUse, remaining: AttributeID?
  private var lines: [Line]
  /// The longest countdown, as last reported.
  private var longest: Countdown?

  init(_ service: DeviceService) {
    active = service[.active]
    inUse = service[.inUse]
    remaining = service[.remainingDuration]
    lines = service.companions(.valve).map { Line($0) }
  }

  static let kind = BehaviourKind(
    service: .irrigationSystem,
    summary: "It is active or in use when one of its valves is; when it becomes inactive, it turns them all off.",
    parameters: []
  ) { service, _ in IrrigationSystem(service) }

  var watched: [AttributeID] { lines.flatMap { [$0.active, $0.inUse, $0.remaining] }.compactMap { $0 } }
  var live: [AttributeID] { [remaining].compactMap { $0 } }

  func read(_ id: AttributeID, _ context: inout DeviceContext) -> Value? {
    guard id == remaining, let longest else { return nil }
    return context.admitted(id, longest.secondsLeft(at: context.now))
  }

  func start(_ context: inout DeviceContext) {
    for index in lines.indices {
      if context.value(lines[index].active) == 1 { context.change(active, to: 1) }
      count(index, &context)
    }
    tell(&context)
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    guard id == active, value == 0 else { return }
    for line in lines { context.change(line.active, to: 0) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { written(id, value, &context) }

  func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    for index in lines.indices {
      let line = lines[index]
      if id == line.active, value == 1 { context.change(active, to: 1) }
      // A valve without Remaining Duration only reports that it is in use.
      if id == line.remaining || id == line.inUse && (line.remaining == nil || value == 0) { count(index, &context) }
    }
    tell(&context)
  }

  /// Updates the remaining time of a valve that reported it.
  private func count(_ index: Int, _ context: inout DeviceContext) {
    let line = lines[index]
    let isInUse = context.value(line.inUse) == 1
    let seconds = isInUse ? context.value(line.remaining ?? line.setDuration)?.doubleValue ?? 0 : 0
    lines[index].countdown = seconds > 0 ? Countdown(seconds, from: context.now) : nil
  }

  private func tell(_ context: inout DeviceContext) {
    var isInUse = false
    for line in lines where context.value(line.inUse) == 1 { isInUse = true }
    context.change(inUse, to: isInUse ? 1 : 0)
    let longest = lines.compactMap(\.countdown).max { $0.end < $1.end }
    guard longest != self.longest || longest == nil else { return }
    self.longest = longest
    guard let longest else { return context.tell(remaining, 0) }
    if let left = context.admitted(remaining, longest.secondsLeft(at: context.now)) { context.set(remaining, left) }
  }
}
