import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel

// The rules of triggers, written again without the engine, for the population of a swarm.

extension Trigger.Kind {
  var eventTrigger: EventTrigger? { if case .event(let trigger) = self { trigger } else { nil } }

  /// Functions that return the next planned time after a time.
  func plannedTimes(at place: Coordinate) -> [(Instant) -> Instant?] {
    switch self {
    case .timer(let timer):
      let period = timer.recurrence.map { Int64($0.days * 1440 + $0.minutes) * 60_000_000_000 }
      return [
        { instant in
          guard instant >= timer.fireDate else { return timer.fireDate }
          guard let period else { return nil }
          let passed = (instant.nanoseconds - timer.fireDate.nanoseconds) / period + 1
          return Instant(nanoseconds: timer.fireDate.nanoseconds + passed * period)
        }
      ]
    case .event(let trigger): return trigger.events.compactMap { $0.plannedTimes(at: place) }
    }
  }
}

extension HomeEvent {
  fileprivate func plannedTimes(at place: Coordinate) -> ((Instant) -> Instant?)? {
    switch self {
    case .calendar(let parts):
      let period: Int64 = parts.hour == nil ? 3600 : 86_400
      let first = Int64(((parts.hour ?? 0) * 60 + (parts.minute ?? 0)) * 60)
      return { instant in
        var next = instant.seconds / period * period + first
        if next <= instant.seconds { next += period }
        return Instant(seconds: next)
      }
    case .sun(let moment):
      let offset = Duration.seconds(moment.offset)
      return { moment.event.next(after: $0.advanced(by: .zero - offset), at: place)?.advanced(by: offset) }
    case .characteristic, .threshold, .presence, .location, .duration: return nil
    }
  }

  /// Whether the change of a sensor is this event.
  func happens(_ sensor: HubPopulation.Sensor, _ before: Value, _ after: Value) -> Bool {
    switch self {
    case .characteristic(sensor.id, let expected):
      if sensor.kind == .button { return expected == nil || expected == after }
      return before != after && (expected == nil || expected == after)
    case .threshold(sensor.id, let range):
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
    guard counted.contains(user) else { return false }
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
  ///   - moment: in a home whose zone is UTC.
  func holds(_ values: (HomeObjectID) -> Value?, atHome: Set<HomeObjectID>, at moment: Instant) -> Bool? {
    switch self {
    case .all(let parts):
      let results = parts.map { $0.holds(values, atHome: atHome, at: moment) }
      return results.contains(false) ? false : results.contains(nil) ? nil : true
    case .any(let parts):
      let results = parts.map { $0.holds(values, atHome: atHome, at: moment) }
      return results.contains(true) ? true : results.contains(nil) ? nil : false
    case .not(let part): return part.holds(values, atHome: atHome, at: moment).map { !$0 }
    case .characteristic(let id, let comparison, let expected):
      guard let value = values(id) else { return nil }
      if comparison == .equal { return value == expected }
      guard let number = value.doubleValue, let limit = expected.doubleValue else { return nil }
      return comparison == .less ? number < limit : number >= limit
    case .time(.before(let parts)): return moment.secondOfDay < (parts.hour ?? 0) * 3600
    case .time(.after(let parts)): return moment.secondOfDay >= (parts.hour ?? 0) * 3600
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

extension Instant {
  fileprivate var secondOfDay: Int { Int(seconds % 86_400) }

  /// The day of the week: 1970-01-01 was a Thursday.
  var weekday: Weekday { Weekday(rawValue: Int((seconds / 86_400 + 4) % 7) + 1)! }
}
