import HAPAlmanac
import HAPHome
import HAPModel

/// Values of characteristics, and places of users.
extension HomeEngine {
  // MARK: Values

  /// Receives the value of a characteristic from an event of its accessory.
  /// - Parameter isCatchUp: the value was read after a gap, such as the start, a subscription or a lost session. It
  ///   counts as an event only if it differs from the value before, and if the gap began at most 60 s ago (rule E11).
  public mutating func value(_ value: Value, of id: HomeObjectID, isCatchUp: Bool = false) -> [EngineAction] {
    receive(value, of: id, isCatchUp ? .read : .event)
  }

  /// Receives a value that the hub itself wrote, after the accessory confirmed it: accessories send no event to the
  /// controller that wrote. It counts as an event if it differs from the value before.
  public mutating func written(_ value: Value, of id: HomeObjectID) -> [EngineAction] { receive(value, of: id, .write) }

  private mutating func receive(_ value: Value, of id: HomeObjectID, _ source: ValueChange.Source) -> [EngineAction] {
    guard let index = watches.index(forKey: id) else { return [] }
    let watch = watches.values[index]
    // Null is no value; and the last press of a button is not repeated after a gap.
    if value.isNull || watch.plan.isEventOnly && source == .read { return [] }
    if !watch.plan.isEventOnly {
      watches.values[index].value = value
      watches.values[index].isCurrent = true
      watches.values[index].lostAt = nil
    }
    guard !watch.uses.isEmpty else { return [] }
    react(to: ValueChange(id, watch, value, source), watch)
    return actions.isEmpty ? [] : takeActions()
  }

  /// Receives that values of characteristics are not known any more, because the session was lost.
  public mutating func valuesLost(_ ids: some Sequence<HomeObjectID>) {
    for id in ids where watches[id]?.isCurrent ?? false {
      watches[id]?.isCurrent = false
      watches[id]?.lostAt = now
    }
  }

  private mutating func react(to change: ValueChange, _ watch: Watch) {
    let isLate = watch.lostAt.map { $0.duration(to: now) > policy.greatestLateness } ?? false
    var activated: Set<HomeObjectID> = []
    for use in watch.uses where !use.isEnd && !activated.contains(use.trigger) {
      switch change.matches(use.event) {
      case .false: continue
      case .unknown: refuse(use.trigger, change.cause, .unknownBefore)
      case .true where change.source == .read && isLate: refuse(use.trigger, change.cause, .missed)
      case .true: activate(use.trigger, change.cause, at: now)
      }
      activated.insert(use.trigger)
    }
    // An effect ends however late its end is noticed.
    for use in watch.uses where use.isEnd && change.matches(use.event) == .true { end(use.trigger, change.cause) }
  }

  // MARK: Persons

  /// Receives the place of a user.
  public mutating func person(_ user: HomeObjectID, _ place: PersonState.Place) -> [EngineAction] {
    let before = persons[user] ?? .away
    guard place != before, let home = homes.values.first(where: { $0.users.contains(user) }) else { return [] }
    let wereAtHome = home.users.filter { isHome($0, in: home) }
    persons[user] = place
    let change = PersonChange(
      user, home, from: before, to: place, wereAtHome: wereAtHome, areAtHome: home.users.filter { isHome($0, in: home) }
    )
    let events = order.compactMap { id -> (HomeObjectID, Evaluation.Cause)? in
      guard let run = runs[id], run.home == home.id else { return nil }
      return run.watchedEvents.events.lazy.compactMap(change.cause).first.map { (id, $0) }
    }
    // An arrival that is not durable could count again after a crash.
    let ticket = newTicket(.personRecord(events, at: now))
    actions.append(.recordPerson(PersonState(user, place), ticket: ticket))
    return takeActions()
  }

  // MARK: By hand

  /// A person fires a trigger by hand, instead of one of its events. Weekdays, the hub, the location and the condition
  /// count as for an event; the evaluation has the cause `hand`. A disabled trigger is not executed.
  /// - Parameter user: the person; nil: not known.
  public mutating func fire(_ trigger: HomeObjectID, by user: HomeObjectID? = nil) -> [EngineAction] {
    guard let run = runs[trigger] else { return [] }
    if run.trigger.isEnabled {
      activate(trigger, .hand(user), at: now)
    } else {
      explain(trigger, .hand(user), .disabled)
    }
    return takeActions()
  }
}

/// A new value of a characteristic.
private struct ValueChange {
  /// How the hub learned the value.
  enum Source { case event, write, read }

  let id: HomeObjectID
  let before: Value?
  let after: Value
  let source: Source
  private let plan: CharacteristicPlan

  init(_ id: HomeObjectID, _ watch: Watch, _ after: Value, _ source: Source) {
    (self.id, before, self.after, self.source) = (id, watch.value, after, source)
    plan = watch.plan
  }

  var cause: Evaluation.Cause { .value(id, before: before, after: after, isCatchUp: source == .read) }

  /// Returns whether the new value is an event of a trigger (rules E2 and E3).
  func matches(_ event: HomeEvent) -> Truth {
    switch event {
    case .characteristic(_, let expected): becomes(expected)
    case .threshold(_, let range): enters(range)
    case .calendar, .sun, .presence, .location, .duration: .false
    }
  }

  private func becomes(_ expected: Value?) -> Truth {
    if let expected, !isEqual(after, expected) { return .false }
    if plan.isEventOnly { return .true }
    guard let before else {
      switch source {
      // An accessory sends an event when the value changes.
      case .event: return .true
      case .write: return .unknown
      // A first value after a gap may be an old one.
      case .read: return .false
      }
    }
    return Truth(expected.map { !isEqual(before, $0) } ?? !isEqual(before, after))
  }

  private func enters(_ range: ThresholdRange) -> Truth {
    guard let number = after.doubleValue, range.contains(number) else { return .false }
    if plan.isEventOnly { return .true }
    guard let before else { return source == .read ? .false : .unknown }
    return Truth(!(before.doubleValue.map(range.contains) ?? false))
  }

  private func isEqual(_ left: Value, _ right: Value) -> Bool { ValueOrder(left, right, plan.rules) == .equal }
}

/// A new place of a user.
private struct PersonChange {
  let user: HomeObjectID
  let home: HomePlan
  let positionBefore, positionAfter: Coordinate?
  let wereAtHome, areAtHome: [HomeObjectID]

  init(
    _ user: HomeObjectID, _ home: HomePlan, from before: PersonState.Place, to after: PersonState.Place,
    wereAtHome: [HomeObjectID], areAtHome: [HomeObjectID]
  ) {
    (self.user, self.home, self.wereAtHome, self.areAtHome) = (user, home, wereAtHome, areAtHome)
    positionBefore = home.position(of: before)
    positionAfter = home.position(of: after)
  }

  /// Returns the cause if the change is this event.
  func cause(_ event: HomeEvent) -> Evaluation.Cause? {
    switch event {
    case .presence(let event): cause(event)
    case .location(let region, let onEntry, let onExit): cause(region, onEntry, onExit)
    case .characteristic, .threshold, .calendar, .sun, .duration: nil
    }
  }

  private func cause(_ event: PresenceEvent) -> Evaluation.Cause? {
    let users = home.users(of: event)
    let (was, isHome) = (wereAtHome.contains(user), areAtHome.contains(user))
    guard users.contains(user), was != isHome else { return nil }
    let happened =
      switch event.kind {
      case .everyEntry: isHome
      case .everyExit: was
      case .firstEntry: isHome && !users.contains(where: wereAtHome.contains)
      case .lastExit: was && !users.contains(where: areAtHome.contains)
      }
    return happened ? .presence(user, isEntry: isHome) : nil
  }

  private func cause(_ region: Region, _ onEntry: Bool, _ onExit: Bool) -> Evaluation.Cause? {
    guard user == home.owner else { return nil }
    func isInside(_ position: Coordinate?) -> Bool {
      position.map { $0.distance(to: region.centre) <= region.radius } ?? false
    }
    let (was, isNow) = (isInside(positionBefore), isInside(positionAfter))
    guard was != isNow, isNow ? onEntry : onExit else { return nil }
    return .location(user, isEntry: isNow)
  }
}
