import HAPAlmanac
import HAPHome
import HAPModel

/// The automations of all homes of a hub, as a pure machine: inputs are events and the time, outputs are actions for the
/// shell. docs/internals/home.md describes the states, and what a shell has to do.
///
/// The shell calls `advance` before each other input, and at `nextDeadline`. It performs the actions in their order; `tell` and `explain` can come last.
public struct HomeEngine: Sendable {
  let policy: EnginePolicy
  private let zoneRules: @Sendable (ZoneName) -> ZoneRules?

  /// The time of the last `advance`.
  public internal(set) var now = Instant.distantPast
  /// The last time that was passed with an uptime.
  var clock: (wall: Instant, uptime: Duration)?
  var hubIsOn = true
  var homes: [HomeObjectID: HomePlan] = [:]
  /// The triggers of all homes, in the order of the model.
  var order: [HomeObjectID] = []
  var runs: [HomeObjectID: TriggerRun] = [:]
  /// The evaluations of triggers. They are not in `runs`, because then each one would copy those before.
  var explanations: [HomeObjectID: Explanations] = [:]
  var watches: [HomeObjectID: Watch] = [:]
  var persons: [HomeObjectID: PersonState.Place] = [:]
  var subscribed: [HomeObjectID] = []
  var pending: [EngineTicket: Pending] = [:]
  var deadlines = DeadlineHeap()
  /// The number of deadlines after those that were void were removed.
  var validDeadlines = 0
  var actions: [EngineAction] = []
  private var lastTicket = 0

  /// Creates an engine that is not started.
  /// - Parameter zoneRules: returns the rules of a zone; nil if the machine does not have the zone.
  public init(policy: EnginePolicy = EnginePolicy(), zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?) {
    self.policy = policy
    self.zoneRules = zoneRules
  }

  // MARK: Queries

  /// The time of the next `advance` that is required; nil: none.
  public var nextDeadline: Instant? { deadlines.first?.time }

  /// Returns the last evaluations of a trigger, the oldest first; at most `EnginePolicy.keptEvaluations`.
  public func evaluations(of trigger: HomeObjectID) -> [Evaluation] {
    explanations[trigger]?.evaluations.suffix(policy.keptEvaluations) ?? []
  }

  /// Returns the time of the next planned event of a trigger: a timer, a calendar event or a sun event. Weekdays and the
  /// condition are not considered. Nil: there is none, or the trigger is not enabled.
  public func nextOccurrence(of trigger: HomeObjectID) -> Instant? { runs[trigger]?.nextDue }

  /// Returns whether a trigger can be executed now (rule E17); nil: there is no such trigger.
  public func activation(of trigger: HomeObjectID) -> TriggerActivation? {
    guard let run = runs[trigger], let home = homes[run.home] else { return nil }
    guard run.trigger.isEnabled else { return .disabled }
    guard case .event(let event) = run.trigger.kind else { return .enabled }
    if !hubIsOn { return .disabledNoHomeHub }
    return home.location == nil && event.needsLocation ? .disabledNoLocationServicesAuthorization : .enabled
  }

  /// Returns whether a user is at home.
  public func isHome(_ user: HomeObjectID) -> Bool {
    homes.values.contains { $0.users.contains(user) && isHome(user, in: $0) }
  }

  func isHome(_ user: HomeObjectID, in home: HomePlan) -> Bool {
    home.isHome(persons[user] ?? .away, within: policy.homeRadius)
  }

  // MARK: Requests

  /// Returns the plans of the homes.
  /// - Parameter states: the states of the triggers.
  func plans(of model: HomeModel, _ states: some Sequence<TriggerState>) -> [HomeObjectID: HomePlan] {
    let values = Set(states.lazy.compactMap(\.running).flatMap { $0.values.lazy.map(\.characteristic) })
    let plans = model.homes.map { ($0.id, HomePlan($0, zone: zoneRules($0.zone), restoring: values)) }
    return Dictionary(plans) { first, _ in first }
  }

  /// The zone of a timer's period (rule E10); nil: the machine has no data of it.
  func zone(of timer: TimerTrigger, in home: HomePlan) -> ZoneRules? {
    guard timer.recurrence?.needsZone ?? false else { return .utc }
    return timer.zone.map(zoneRules) ?? home.zone
  }

  mutating func newTicket(_ pending: Pending) -> EngineTicket {
    lastTicket += 1
    let ticket = EngineTicket(number: lastTicket)
    self.pending[ticket] = pending
    return ticket
  }

  mutating func read(_ ids: [HomeObjectID], for pending: Pending) -> EngineTicket {
    let ticket = newTicket(pending)
    if let limit = pending.limit { deadlines.add(.read(ticket), at: limit) }
    actions.append(.read(ids.sorted(), ticket: ticket))
    return ticket
  }

  mutating func record(_ trigger: HomeObjectID, with changes: [HomeChange] = [], for pending: Pending) -> EngineTicket?
  {
    guard let state = runs[trigger]?.durableState else { return nil }
    let ticket = newTicket(pending)
    actions.append(.record(state, with: changes, ticket: ticket))
    return ticket
  }

  /// Records the state of a trigger without waiting for it.
  mutating func record(_ trigger: HomeObjectID, with changes: [HomeChange] = []) {
    _ = record(trigger, with: changes, for: .changes(changes))
  }

  /// Adds an evaluation, or replaces the one with the same number.
  mutating func explain(_ evaluation: Evaluation) {
    explanations[evaluation.trigger]?.keep(evaluation, atMost: policy.keptEvaluations)
    actions.append(.explain(evaluation))
  }

  /// Explains a new evaluation.
  @discardableResult
  mutating func explain(
    _ trigger: HomeObjectID, _ cause: Evaluation.Cause, _ outcome: Evaluation.Outcome,
    _ condition: ConditionTrace? = nil, isLast: Bool = false
  ) -> Evaluation {
    let number = explanations[trigger, default: Explanations()].nextNumber()
    let evaluation = Evaluation(
      trigger: trigger, number: number, time: now, cause: cause, condition: condition,
      isLast: isLast, outcome: outcome)
    explain(evaluation)
    return evaluation
  }

  /// Ends an input: returns the actions, and removes void deadlines from the front.
  mutating func takeActions() -> [EngineAction] {
    while let first = deadlines.first, !isValid(first) { deadlines.removeFirst() }
    if deadlines.count > 2 * validDeadlines + 64 { rebuildDeadlines() }
    defer { actions = [] }
    return actions
  }
}
