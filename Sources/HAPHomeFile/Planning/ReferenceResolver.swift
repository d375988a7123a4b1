import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

/// Replaces the names in a document by identifiers.
struct ReferenceResolver {
  let home: Home
  let directory: HomeDirectory

  private func at<R>(
    _ place: JSONPlace, _ body: () throws(HomeDirectory.NotFound) -> R
  ) throws(HomeFileProblem) -> R {
    do throws(HomeDirectory.NotFound) { return try body() } catch { throw HomeFileProblem(place, error.message) }
  }

  func service(_ path: Placed<HomeFilePath>) throws(HomeFileProblem) -> HomeObjectID {
    try at(path.place) { () throws(HomeDirectory.NotFound) in try directory.service(path.value).id }
  }

  private func characteristic(_ path: Placed<HomeFilePath>) throws(HomeFileProblem) -> HomeCharacteristic {
    try at(path.place) { () throws(HomeDirectory.NotFound) in try directory.characteristic(path.value) }
  }

  private func value(_ value: Placed<Value>, of characteristic: HomeCharacteristic) throws(HomeFileProblem) -> Value {
    try at(value.place) { () throws(HomeDirectory.NotFound) in try characteristic.meaning(of: value.value) }
  }

  func action(_ entry: HomeFile.ActionEntry) throws(HomeFileProblem) -> HomeTarget.ActionTarget {
    let characteristic = try characteristic(entry.characteristic)
    let value = try value(entry.value, of: characteristic)
    return HomeTarget.ActionTarget(
      path: entry.characteristic.value.description, place: entry.characteristic.place,
      action: HomeAction(characteristic.id, value), text: characteristic.writtenAction(value).shortText)
  }

  // MARK: Triggers

  /// - Parameter zoneRules: the rules of the zone of a timer.
  func timer(
    _ entry: HomeFile.TimerEntry, _ zoneRules: ZoneRules
  ) -> Trigger.Kind {
    let start =
      switch entry.start.value {
      case .instant(let instant): instant
      case .civil(let time): zoneRules.instant(of: time)
      }
    return .timer(TimerTrigger(fireDate: start, recurrence: entry.period, zone: entry.zone?.value))
  }

  func events(_ entry: HomeFile.EventsEntry, _ complain: (HomeFileProblem) -> Void) -> Trigger.Kind {
    func events(_ entries: [HomeFile.EventEntry]) -> [HomeEvent] {
      entries.compactMap { entry in
        do throws(HomeFileProblem) { return try event(entry) } catch {
          complain(error)
          return nil
        }
      }
    }
    return .event(
      EventTrigger(
        events: events(entry.events.value), endEvents: events(entry.endEvents), weekdays: entry.weekdays,
        condition: entry.condition.map { condition($0, complain) }, executesOnce: entry.executesOnce))
  }

  private func event(_ entry: HomeFile.EventEntry) throws(HomeFileProblem) -> HomeEvent {
    switch entry {
    case .characteristic(let path, equals: let value):
      let characteristic = try characteristic(path)
      return .characteristic(
        characteristic.id,
        equals: try value.map { value throws(HomeFileProblem) in try self.value(value, of: characteristic) })
    case .threshold(let path, let range): return .threshold(try characteristic(path).id, range)
    case .presence(let presence): return .presence(try self.presence(presence))
    case .other(let event): return event
    }
  }

  private func condition(_ entry: HomeFile.ConditionEntry, _ complain: (HomeFileProblem) -> Void) -> Condition {
    switch entry {
    case .all(let parts): return .all(parts.map { condition($0, complain) })
    case .any(let parts): return .any(parts.map { condition($0, complain) })
    case .not(let part): return .not(condition(part, complain))
    case .other(let condition): return condition
    case .characteristic, .presence:
      do throws(HomeFileProblem) { return try leaf(entry) } catch {
        complain(error)
        return .unknown
      }
    }
  }

  private func leaf(_ entry: HomeFile.ConditionEntry) throws(HomeFileProblem) -> Condition {
    switch entry {
    case .characteristic(let path, let comparison, let value):
      let characteristic = try characteristic(path)
      return .characteristic(characteristic.id, comparison, try self.value(value, of: characteristic))
    case .presence(let presence): return .presence(try self.presence(presence))
    case .all, .any, .not, .other: preconditionFailure("these have parts or no names")
    }
  }

  private func presence(_ entry: HomeFile.PresenceEntry) throws(HomeFileProblem) -> PresenceEvent {
    switch entry.users {
    case .all: return PresenceEvent(entry.kind, of: .homeUsers)
    case .current: return PresenceEvent(entry.kind, of: .currentUser)
    case .named(let names):
      var users: Set<HomeObjectID> = []
      for name in names {
        guard let user = home.users.first(where: { HomeName($0.name).key == HomeName(name.value).key }) else {
          let hint = nearestName(to: name.value, in: home.users.map(\.name)).map { ": did you mean \"\($0)\"?" } ?? ""
          throw HomeFileProblem(name.place, "the home \"\(home.name)\" has no user \"\(name.value)\"\(hint)")
        }
        users.insert(user.id)
      }
      return PresenceEvent(entry.kind, of: .users(users))
    }
  }

  // MARK: Comparison

  /// Returns a trigger with all values in the form in which they are compared.
  func normal(_ kind: Trigger.Kind) -> Trigger.Kind {
    guard case .event(var trigger) = kind else { return kind }
    func normal(_ event: HomeEvent) -> HomeEvent {
      guard case .characteristic(let id, equals: let value?) = event, let found = home.characteristic(id) else {
        return event
      }
      return .characteristic(id, equals: found.characteristic.normal(value))
    }
    func normal(_ condition: Condition) -> Condition {
      switch condition {
      case .all(let parts): return .all(parts.map(normal))
      case .any(let parts): return .any(parts.map(normal))
      case .not(let part): return .not(normal(part))
      case .characteristic(let id, let comparison, let value):
        guard let found = home.characteristic(id) else { return condition }
        return .characteristic(id, comparison, found.characteristic.normal(value))
      case .time, .sun, .presence, .unknown: return condition
      }
    }
    trigger.events = trigger.events.map(normal)
    trigger.endEvents = trigger.endEvents.map(normal)
    trigger.condition = trigger.condition.map(normal)
    return .event(trigger)
  }
}

extension Value {
  /// The value in a sentence; a long text is shortened.
  var shortText: String {
    switch self {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    case .string(let text): text.count <= 40 ? text : "\(text.prefix(40))…"
    case .data(let bytes): "\(bytes.count) bytes"
    }
  }
}
