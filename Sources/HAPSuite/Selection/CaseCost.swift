import HAPModel
import HAPWire

/// The cost of a case as its steps show it before it runs: waiting time and Pair Setups.
package struct CaseCost: Equatable, Sendable {
  /// The sum of its waits, over all variants. Waits for an answer or an event do not count, because a correct accessory ends them at once.
  package var waits = Duration.zero
  /// The number of Pair Setups that reach M3, over all variants. Each takes seconds of the accessory's processor time.
  package var pairSetups = 0

  package init(_ definition: CaseDefinition) {
    add(definition.steps, times: 1)
    let variants = max(1, definition.variants.count)
    waits = Self.product(waits, variants)
    pairSetups = Self.product(pairSetups, variants)
  }

  private mutating func add(_ steps: [Step], times: Int) { for step in steps { add(step, times: times) } }

  private mutating func add(_ step: Step, times: Int) {
    let node = step.content
    switch step.name {
    case .wait: wait(node, times)
    case .silence, .events: wait(node["for"], times)
    case .pair: if node["until"]?.stringValue != "M2" { pairSetups = min(pairSetups + times, Self.most) }
    case .send:
      if node["setup"]?.stringValue == "M3" { pairSetups = min(pairSetups + times, Self.most) }
      wait(node["pause"], times)
    case .mdns: if node["absent"]?.boolValue == true { wait(node["within"], times) }
    case .repeat:
      let turns = node["times"]?.integerValue.map { Int(clamping: $0) } ?? 1
      // A repetition with `until` usually ends early, so its interval does not count.
      if node["until"] == nil { wait(node["every"], Self.product(times, turns)) }
      add(Step.list(node["steps"]), times: node["until"] == nil ? Self.product(times, turns) : times)
    case .each, .try:
      for part in ["steps", "always"] { add(Step.list(node[part]), times: times) }
    case .if: for part in ["then", "else"] { add(Step.list(node[part]), times: times) }
    case .together:
      for lane in node.elements ?? [] { add(Step.list(lane), times: times) }
    case .finally: add(Step.list(node), times: times)
    case .connect, .close, .secure, .reading, .settle, .expect, .event, .forget, .verify, .controller, .unpair, .let,
      .make, .collect, .check, .find, .database, .lint, .compare, .record, .deviation, .fail, .skip, .mark, .do, .hook,
      .reachable, .alive, .txt, .claims:
      break
    }
  }

  /// Adds a duration. A duration from a variable counts as one second.
  private mutating func wait(_ node: JSONNode?, _ times: Int) {
    guard let node else { return }
    let duration = node.stringValue.flatMap { Duration(long: $0) } ?? .seconds(1)
    waits = min(waits + Self.product(duration, times), .seconds(Self.most))
  }

  /// The upper limit of all numbers here. A case that reaches it counts as long.
  private static let most = 1_000_000_000

  private static func product(_ a: Int, _ b: Int) -> Int {
    let (product, overflows) = a.multipliedReportingOverflow(by: b)
    return overflows ? most : min(product, most)
  }

  private static func product(_ duration: Duration, _ count: Int) -> Duration {
    let seconds = duration / .seconds(1) * Double(count)
    return seconds < Double(most) ? duration * count : .seconds(most)
  }
}
