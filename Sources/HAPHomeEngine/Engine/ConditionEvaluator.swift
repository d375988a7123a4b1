import HAPAlmanac
import HAPHome
import HAPModel

/// Evaluates conditions at a moment, with given values and persons (rules E4 to E8).
struct ConditionEvaluator {
  let home: HomePlan
  let moment: Instant
  /// The known values.
  let values: [HomeObjectID: Value]
  /// The reason for values that are missing.
  let why: String?
  /// The users who are at home.
  let atHome: [HomeObjectID]
  private let time: CivilTime?

  init(
    _ home: HomePlan, at moment: Instant, values: [HomeObjectID: Value], why: String?,
    atHome: [HomeObjectID]
  ) {
    (self.home, self.moment, self.values, self.why, self.atHome) = (home, moment, values, why, atHome)
    time = home.zone?.civilTime(at: moment)
  }

  /// Evaluates all parts of a condition, also those that cannot change the result.
  func trace(_ condition: Condition) -> ConditionTrace {
    switch condition {
    case .all(let parts):
      let traces = parts.map(trace)
      return ConditionTrace(result: .all(traces.lazy.map(\.result)), detail: .all(traces))
    case .any(let parts):
      let traces = parts.map(trace)
      return ConditionTrace(result: .any(traces.lazy.map(\.result)), detail: .any(traces))
    case .not(let part):
      let trace = trace(part)
      return ConditionTrace(result: !trace.result, detail: .not(trace))
    case .characteristic(let id, let comparison, let value): return compare(id, comparison, value)
    case .time(let condition):
      return ConditionTrace(
        result: time.map { Truth(condition.holds(at: $0)) } ?? .unknown, detail: .time(condition, actual: time))
    case .sun(let condition): return compare(condition)
    case .presence(let event): return compare(event)
    case .unknown: return ConditionTrace(result: .unknown, detail: .removed)
    }
  }

  private func compare(_ id: HomeObjectID, _ comparison: Comparison, _ expected: Value) -> ConditionTrace {
    let actual = values[id]
    var result = Truth.unknown
    if let actual, let rules = home.characteristics[id]?.rules { result = comparison.holds(actual, expected, rules) }
    return ConditionTrace(
      result: result,
      detail: .characteristic(id, comparison, expected, actual: actual, why: actual == nil ? why : nil))
  }

  private func compare(_ condition: SunCondition) -> ConditionTrace {
    let moments = condition.moments.map(instant)
    let result = condition.holds(at: moment, moments)
    let civil = moments.map { moment in moment.flatMap { home.zone?.civilTime(at: $0) } }
    return ConditionTrace(result: result, detail: .sun(condition, actual: time, moments: civil))
  }

  /// The moment on the home's civil day; nil if the sun does not rise or set on it, or if the day or place is unknown.
  private func instant(_ moment: SunMoment) -> Instant? {
    guard let zone = home.zone, let place = home.location, let time else { return nil }
    return moment.event.time(on: time.date, at: place, in: zone)?.advanced(by: .seconds(moment.offset))
  }

  private func compare(_ event: PresenceEvent) -> ConditionTrace {
    let users = home.users(of: event)
    let atHome = users.filter(atHome.contains)
    let result: Truth
    switch event.kind {
    // Rule T8 refuses the others as conditions.
    case .everyEntry, .everyExit: result = .unknown
    case .firstEntry: result = users.isEmpty ? .unknown : Truth(!atHome.isEmpty)
    case .lastExit: result = users.isEmpty ? .unknown : Truth(atHome.isEmpty)
    }
    return ConditionTrace(result: result, detail: .presence(event, users: users, atHome: atHome))
  }
}

extension SunCondition {
  /// The moments that the condition compares with.
  var moments: [SunMoment] {
    switch self {
    case .before(let moment), .after(let moment): [moment]
    case .between(let start, let end): [start, end]
    }
  }

  /// Returns whether the condition holds, with the times of its moments (rule E7).
  fileprivate func holds(at time: Instant, _ moments: [Instant?]) -> Truth {
    guard let first = moments[0] else { return .unknown }
    switch self {
    case .before: return Truth(time < first)
    case .after: return Truth(time >= first)
    case .between:
      guard let end = moments[1] else { return .unknown }
      // From sunset to sunrise includes midnight.
      return Truth(end < first ? time >= first || time < end : time >= first && time < end)
    }
  }
}
