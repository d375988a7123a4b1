import HAPModel
import HAPWire

/// The behaviour for services without their own: current values follow targets as the profile says.
///
/// At the start, each current value is that of its target. A target that is written during a transition starts a new
/// one from the present value. A current value that is set by hand stays, and its target does not change.
final class Follower: Behaviour {
  private struct Pair {
    let current, target: AttributeID
    let delay, duration, report: Duration
    let curve: Fade.Curve
    /// `nil` at rest.
    var motion: (fade: Fade, goal: Value)?
  }
  /// Each pair has a timer, and the number of timers is limited.
  private static let mostPairs = 100

  private var pairs: [Pair]

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    pairs = parameters.list("follow").prefix(Self.mostPairs).compactMap { pair in
      guard let current = service[pair.characteristic("current")], let target = service[pair.characteristic("target")]
      else { return nil }
      return Pair(
        current: current, target: target, delay: pair.duration("delay"), duration: pair.duration("duration"),
        report: max(.milliseconds(50), pair.duration("report")),
        curve: Fade.Curve(rawValue: pair.choice("curve")) ?? .jump)
    }
  }

  private static let members: [BehaviourParameter] = [
    .init("current", .characteristic, default: nil, "The characteristic that follows: its type, name or description."),
    .init("target", .characteristic, default: nil, "The characteristic that it follows."),
    .init("delay", .duration, default: .duration(.zero), "Time until it starts."),
    .init("duration", .duration, default: .duration(.zero), "Time from start to end."),
    .init(
      "curve", .choice(Fade.Curve.allCases.map(\.rawValue)), default: .choice(Fade.Curve.jump.rawValue),
      "Shape of the change: all at once at the end, evenly, or slowly at both ends; the last two are for numbers."),
    .init("report", .duration, default: .duration(.milliseconds(500)), "How often it is reported during the change."),
  ]

  static let kind = BehaviourKind(
    service: nil, summary: "Currents follow targets as the profile says.",
    parameters: [.init("follow", .list(members), default: .list([]), "The pairs of a current and its target.")],
    judge: { judge($0, $1, $2) }
  ) { Follower($0, $1) }

  func start(_ context: inout DeviceContext) {
    for pair in pairs {
      if let value = context.value(pair.target) { put(value, pair, &context) }
    }
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    for index in pairs.indices where pairs[index].target == id { follow(index, value, &context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    for index in pairs.indices where pairs[index].current == id { halt(index, &context) }
    written(id, value, &context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    guard pairs.indices.contains(token), let (fade, goal) = pairs[token].motion else { return }
    guard context.now < fade.end else { return arrive(token, goal, &context) }
    context.tell(pairs[token].current, fade.value(at: context.now))
    context.schedule(token, after: fade.untilNext(pairs[token].report, at: context.now))
  }

  private func follow(_ index: Int, _ goal: Value, _ context: inout DeviceContext) {
    let pair = pairs[index]
    if let motion = pair.motion {
      if motion.goal == goal { return }
      if pair.curve != .jump { context.tell(pair.current, motion.fade.value(at: context.now)) }
    }
    guard let here = context.value(pair.current), !isSame(here, goal) else { return halt(index, &context) }
    let from = pair.motion?.fade.value(at: context.now) ?? here.doubleValue ?? 0
    let fade = Fade(
      from: from, to: goal.doubleValue ?? from, start: context.now + pair.delay, duration: pair.duration,
      curve: pair.curve)
    guard fade.end > context.now else { return arrive(index, goal, &context) }
    pairs[index].motion = (fade, goal)
    context.schedule(index, after: fade.untilNext(pair.report, at: context.now))
  }

  /// The number 20 is the same in any numeric format.
  private func isSame(_ a: Value, _ b: Value) -> Bool {
    guard let first = a.doubleValue, let second = b.doubleValue else { return a == b }
    return first == second
  }

  private func arrive(_ index: Int, _ goal: Value, _ context: inout DeviceContext) {
    halt(index, &context)
    put(goal, pairs[index], &context)
  }

  private func halt(_ index: Int, _ context: inout DeviceContext) {
    if pairs[index].motion != nil { context.cancel(index) }
    pairs[index].motion = nil
  }

  /// A goal beyond the range of the current characteristic is limited to it.
  private func put(_ value: Value, _ pair: Pair, _ context: inout DeviceContext) {
    guard let current = context.characteristic(pair.current) else { return }
    if current.allows(value) {
      context.change(pair.current, to: value)
    } else if current.format.isNumeric, let number = value.doubleValue {
      context.tell(pair.current, number)
    }
  }
}

extension Follower {
  /// Returns the problems of the list `follow`, except those of unreadable members, which are reported before.
  private static func judge(
    _ parameters: BehaviourParameters, _ node: JSONNode, _ characteristics: [Characteristic]
  ) -> [JSONProblem] {
    guard let list = node["follow"], let elements = list.elements else { return [] }
    guard elements.count <= mostPairs else {
      return [list.problem("there can be \(mostPairs) pairs, not \(elements.count)")]
    }
    let pairs = parameters.list("follow")
    let currents = pairs.map { $0.characteristic("current") }
    return zip(elements.indices, zip(elements, pairs)).compactMap { index, pair in
      let (element, members) = pair
      let place = { (name: String) in element[name] ?? element }
      guard let current = characteristics.first(where: { $0.type == members.characteristic("current") }),
        let target = characteristics.first(where: { $0.type == members.characteristic("target") })
      else { return nil }
      if current.type == target.type { return place("target").problem("\(current.shownName) can't follow itself") }
      if let other = currents.firstIndex(of: current.type), other != index {
        return place("current").problem("\(current.shownName) is already the current of follow[\(other)]")
      }
      if let other = currents.firstIndex(of: target.type) {
        return place("target").problem(
          "\(target.shownName) is the current of follow[\(other)], so it can't be a target")
      }
      guard current.format == target.format || current.format.isNumeric && target.format.isNumeric else {
        let formats =
          "\(current.shownName) is \(current.format.rawValue), \(target.shownName) is \(target.format.rawValue)"
        return element.problem("\(formats): the one can't follow the other")
      }
      let curve = members.choice("curve")
      guard curve == Fade.Curve.jump.rawValue || current.format.isNumeric else {
        return place("curve").problem(
          "\"\(curve)\" is for numbers, and \(current.shownName) is \(current.format.rawValue)")
      }
      return nil
    }
  }
}
