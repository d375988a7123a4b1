import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel

// The rules of triggers, written again without the engine, for the population of a swarm.

extension Trigger.Kind {
  var eventTrigger: EventTrigger? { if case .event(let trigger) = self { trigger } else { nil } }

  /// Functions that return the next planned time after a time.
  func plannedTimes(at place: Coordinate, in zone: HubZone) -> [(Instant) -> Instant?] {
    switch self {
    case .timer(let timer):
      let period = timer.recurrence.map { Int64($0.minutes) * 60_000_000_000 }
      return [
        { instant in
          guard instant >= timer.fireDate else { return timer.fireDate }
          guard let period else { return nil }
          // A day later is the same time of the clock.
          if period == 0 { return zone.next(secondOfDay: Int64(zone.secondOfDay(timer.fireDate)), after: instant) }
          let passed = (instant.nanoseconds - timer.fireDate.nanoseconds) / period + 1
          return Instant(nanoseconds: timer.fireDate.nanoseconds + passed * period)
        }
      ]
    case .event(let trigger): return trigger.events.compactMap { $0.plannedTimes(at: place, in: zone) }
    }
  }
}

extension HomeEvent {
  fileprivate func plannedTimes(at place: Coordinate, in zone: HubZone) -> ((Instant) -> Instant?)? {
    switch self {
    case .calendar(let parts):
      let minute = parts.minute ?? 0
      guard let hour = parts.hour else { return { zone.next(minute: minute, after: $0) } }
      return { zone.next(secondOfDay: Int64((hour * 60 + minute) * 60), after: $0) }
    case .sun(let moment):
      let offset = Duration.seconds(moment.offset)
      return { moment.event.next(after: $0.advanced(by: .zero - offset), at: place)?.advanced(by: offset) }
    case .characteristic, .threshold, .presence, .location, .duration: return nil
    }
  }

  /// Whether the change of a characteristic is this event.
  func happens(_ id: HomeObjectID, _ before: Value, _ after: Value, isButton: Bool) -> Bool {
    switch self {
    case .characteristic(id, let expected):
      if isButton { return expected == nil || expected == after }
      return before != after && (expected == nil || expected == after)
    case .threshold(id, let range):
      guard let before = before.doubleValue, let after = after.doubleValue else { return false }
      return !range.contains(before) && range.contains(after)
    default: return false
    }
  }

  /// Whether the move of a user is this event.
  /// - Parameter users: all users, the owner first.
  func happens(
    _ user: HomeObjectID, _ before: Set<HomeObjectID>, _ after: Set<HomeObjectID>, _ users: [HomeObjectID]
  ) -> Bool {
    guard case .presence(let event) = self else { return false }
    let counted: Set<HomeObjectID> = if case .currentUser = event.users { [users[0]] } else { Set(users) }
    guard counted.contains(user), before.contains(user) != after.contains(user) else { return false }
    switch event.kind {
    case .everyEntry: return after.contains(user)
    case .everyExit: return before.contains(user)
    case .firstEntry: return before.isDisjoint(with: counted) && !after.isDisjoint(with: counted)
    case .lastExit: return !before.isDisjoint(with: counted) && after.isDisjoint(with: counted)
    }
  }
}

extension Condition {
  /// Returns whether the condition holds; nil: a value that decides is unknown.
  /// - Parameters:
  ///   - values: returns nil for a value that is unknown.
  ///   - zone: the zone of the home.
  func holds(
    _ values: (HomeObjectID) -> Value?, atHome: Set<HomeObjectID>, at moment: Instant, in zone: HubZone
  ) -> Bool? {
    switch self {
    case .all(let parts):
      let results = parts.map { $0.holds(values, atHome: atHome, at: moment, in: zone) }
      return results.contains(false) ? false : results.contains(nil) ? nil : true
    case .any(let parts):
      let results = parts.map { $0.holds(values, atHome: atHome, at: moment, in: zone) }
      return results.contains(true) ? true : results.contains(nil) ? nil : false
    case .not(let part): return part.holds(values, atHome: atHome, at: moment, in: zone).map { !$0 }
    case .characteristic(let id, let comparison, let expected):
      guard let value = values(id) else { return nil }
      if comparison == .equal { return value == expected }
      guard let number = value.doubleValue, let limit = expected.doubleValue else { return nil }
      return comparison == .less ? number < limit : number >= limit
    case .time(.before(let parts)): return zone.secondOfDay(moment) < (parts.hour ?? 0) * 3600
    case .time(.after(let parts)): return zone.secondOfDay(moment) >= (parts.hour ?? 0) * 3600
    case .presence(let event): return event.kind == .lastExit ? atHome.isEmpty : !atHome.isEmpty
    case .time, .sun, .unknown: preconditionFailure("the population has no such conditions")
    }
  }

  var hasPresence: Bool {
    var found = false
    forEachLeaf { if case .presence = $0 { found = true } }
    return found
  }
}
