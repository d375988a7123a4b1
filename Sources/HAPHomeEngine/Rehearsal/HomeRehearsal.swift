import HAPAlmanac
import HAPHome
import HAPModel

/// A rehearsal of the automations of homes: the engine runs in virtual time, and every write succeeds.
///
/// The rehearsal shows what the triggers of a model do in a week, before they do it. It writes nothing, stores nothing
/// and reads no clock: a write succeeds at once, and its value is then the value of the characteristic. Values that
/// are not given are unknown, so that conditions on them are not true (rule E5).
public struct HomeRehearsal: Sendable {
  /// An input of the rehearsal.
  public enum Event: Hashable, Sendable {
    /// A characteristic has a value.
    case value(HomeObjectID, Value)
    /// A user is at a place.
    case person(HomeObjectID, PersonState.Place)
    /// A person fires a trigger.
    case fire(HomeObjectID)
  }

  /// What the engine reports at one moment.
  public enum Report: Hashable, Sendable {
    /// An evaluation. One with the number of an earlier one of the same trigger replaces it.
    case evaluated(Evaluation)
    /// A value that a set or the end of an effect wrote.
    case wrote(HomeObjectID, Value, trigger: HomeObjectID)
  }

  /// The homes, with the changes that triggers make, such as their last execution.
  public private(set) var model: HomeModel
  /// The values that were given or written.
  public private(set) var values: [HomeObjectID: Value]
  private var engine: HomeEngine
  private var reports: [Report] = []

  /// The time.
  public var now: Instant { engine.now }

  /// Starts a rehearsal.
  /// - Parameters:
  ///   - values: the values that are known at the start.
  ///   - persons: the places of users; others are away.
  ///   - zoneRules: as for `HomeEngine`.
  public init(
    _ model: HomeModel, values: [HomeObjectID: Value] = [:], persons: [PersonState] = [], at start: Instant,
    policy: EnginePolicy = EnginePolicy(), zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?
  ) {
    (self.model, self.values) = (model, values)
    engine = HomeEngine(policy: policy, zoneRules: zoneRules)
    perform(engine.start(model, states: [], persons: persons, at: start))
  }

  /// Returns the next planned time of an enabled trigger, on one of its weekdays; nil: nothing is planned.
  public func nextTime(of trigger: HomeObjectID) -> Instant? { engine.nextTime(of: trigger) }

  /// The characteristics whose values at the start matter: those of events and conditions, and those that get an old
  /// value back at the end of an effect.
  public static func characteristics(of triggers: [Trigger], in home: Home) -> Set<HomeObjectID> {
    var found: Set<HomeObjectID> = []
    for trigger in triggers {
      found.formUnion(trigger.kind.characteristics)
      guard !trigger.kind.endEvents.isEmpty else { continue }
      let sets = Set(trigger.actionSets)
      for set in home.actionSets where sets.contains(set.id) {
        found.formUnion(set.actions.lazy.map(\.characteristic))
      }
    }
    return found
  }

  /// Passes the time until a moment, with all that is planned until then.
  /// - Parameter report: called with each report, in order.
  public mutating func run(until end: Instant, _ report: (Instant, Report) -> Void) {
    while let deadline = engine.nextDeadline, deadline <= end {
      perform(engine.advance(to: deadline))
      flush(report)
    }
    perform(engine.advance(to: end))
    flush(report)
  }

  /// Passes an event at the present time.
  public mutating func pass(_ event: Event, _ report: (Instant, Report) -> Void) {
    switch event {
    case .value(let id, let value):
      values[id] = value
      perform(engine.value(value, of: id))
    case .person(let user, let place): perform(engine.person(user, place))
    case .fire(let trigger): perform(engine.fire(trigger))
    }
    flush(report)
  }

  private mutating func flush(_ report: (Instant, Report) -> Void) {
    for item in reports { report(engine.now, item) }
    reports = []
  }

  /// Performs actions as a hub whose accessories and disk never fail.
  private mutating func perform(_ actions: [EngineAction]) {
    var queue = actions[...]
    while let action = queue.popFirst() {
      switch action {
      case .subscribe(let ids):
        for id in ids { if let value = values[id] { queue += engine.value(value, of: id, isCatchUp: true) } }
      case .read(let ids, let ticket):
        let known = ids.compactMap { id in values[id].map { (id, $0) } }
        queue += engine.readEnded(
          ticket, Dictionary(uniqueKeysWithValues: known),
          why: known.count < ids.count ? "the rehearsal was not given this value" : nil)
      case .record(_, with: let changes, let ticket):
        model.apply(changes)
        queue += engine.recorded(ticket)
      case .execute(let sets, let trigger, let ticket):
        queue += write(model.actions(of: sets), trigger, ticket)
      case .restore(let actions, let trigger, let ticket): queue += write(actions, trigger, ticket)
      case .explain(let evaluation): reports.append(.evaluated(evaluation))
      case .recordPerson(_, let ticket): queue += engine.recorded(ticket)
      case .tell: break
      }
    }
  }

  private mutating func write(
    _ actions: [HomeAction], _ trigger: HomeObjectID, _ ticket: EngineTicket
  ) -> [EngineAction] {
    var following: [EngineAction] = []
    for action in actions {
      values[action.characteristic] = action.value
      reports.append(.wrote(action.characteristic, action.value, trigger: trigger))
      following += engine.written(action.value, of: action.characteristic)
    }
    return following + engine.sceneEnded(ticket, ExecutionReport(done: actions.count))
  }
}

extension HomeModel {
  /// The actions of these sets, in their order.
  fileprivate func actions(of sets: [HomeObjectID]) -> [HomeAction] {
    let wanted = Set(sets)
    return homes.flatMap(\.actionSets).filter { wanted.contains($0.id) }.flatMap(\.actions)
  }
}
