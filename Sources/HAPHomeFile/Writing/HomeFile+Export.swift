import HAPAlmanac
import HAPHome
import HAPModel

extension HomeFile {
  /// Creates the document of a home. It contains everything that `plan` can change: applied to this home, it changes nothing.
  ///
  /// Identifiers, keys, users, and the names of services that are not shown to people are not in it.
  /// - Parameter zoneRules: returns the rules of a zone; nil if the machine does not have the zone. Then times are in UTC.
  package init(of home: Home, zoneRules: (ZoneName) -> ZoneRules?) {
    let directory = HomeDirectory(home)
    self.init(home: Placed(home.name.text))
    zone = Placed(home.zone)
    location = Placed(home.location)
    rooms = home.rooms.map { Placed($0.name.text) }
    zones = home.zones.map { zone in
      ZoneEntry(
        name: Placed(zone.name.text), rooms: zone.rooms.compactMap { home.room($0).map { Placed($0.name.text) } })
    }
    accessories = home.accessories.map { AccessoryEntry(of: $0, in: home) }
    groups = home.groups.map { group in
      GroupEntry(
        name: Placed(group.name.text),
        services: group.services.compactMap { id in
          home.service(id).map { Placed(directory.path(of: $0.service, in: $0.accessory)) }
        })
    }
    let exporter = HomeExporter(home: home, directory: directory)
    scenes = home.listedActionSets.map { set in
      SceneEntry(
        name: Placed(set.name.text), builtIn: set.kind.isBuiltIn ? set.kind : nil,
        actions: exporter.actions(set.actions))
    }
    triggers = home.triggers.map { exporter.trigger($0, zoneRules) }
  }
}

extension HomeFile.AccessoryEntry {
  fileprivate init(of accessory: HomeAccessory, in home: Home) {
    self.init(
      name: Placed(accessory.name.text), device: accessory.deviceID, aid: accessory.aid,
      room: home.room(accessory.room).map { Placed($0.name.text) },
      services: accessory.services.filter(\.isUserInteractive).map { service in
        let isOnly = accessory.services.filter { $0.hasType(named: service.typeText) }.map(\.id) == [service.id]
        return HomeFile.ServiceEntry(
          service: Placed(isOnly ? .name(service.typeText) : .iid(service.iid)), name: Placed(service.name.text),
          associatedType: service.associatedType.map { Placed($0) })
      })
  }
}

/// Replaces identifiers by names.
private struct HomeExporter {
  let home: Home
  let directory: HomeDirectory

  func actions(_ actions: [HomeAction]) -> [HomeFile.ActionEntry] {
    actions.compactMap { action in
      reference(action.characteristic).map { path, characteristic in
        HomeFile.ActionEntry(characteristic: path, value: Placed(characteristic.writtenAction(action.value)))
      }
    }
  }

  /// Nil for a characteristic that the home does not have; a home has no reference to such a characteristic.
  private func reference(_ id: HomeObjectID) -> (Placed<HomeFilePath>, HomeCharacteristic)? {
    home.characteristic(id).map { found in
      let path = directory.path(of: found.characteristic, of: found.service, in: found.accessory)
      return (Placed(path), found.characteristic)
    }
  }

  // MARK: Triggers

  func trigger(_ trigger: Trigger, _ zoneRules: (ZoneName) -> ZoneRules?) -> HomeFile.TriggerEntry {
    let kind: HomeFile.TriggerKind =
      switch trigger.kind {
      case .timer(let timer): .timer(self.timer(timer, zoneRules))
      case .event(let events):
        .event(
          HomeFile.EventsEntry(
            events: Placed(events.events.compactMap(event)), endEvents: events.endEvents.compactMap(event),
            weekdays: events.weekdays, condition: events.condition.map(condition), executesOnce: events.executesOnce))
      }
    let run: [HomeFile.RunEntry] = trigger.actionSets.compactMap { id in
      home.actionSets.first { $0.id == id }.map { set in
        set.kind == .triggerOwned ? .actions(actions(set.actions)) : .scene(Placed(set.name.text))
      }
    }
    return HomeFile.TriggerEntry(
      name: Placed(trigger.name.text), kind: kind, run: run, isEnabled: Placed(trigger.isEnabled))
  }

  private func timer(_ timer: TimerTrigger, _ zoneRules: (ZoneName) -> ZoneRules?) -> HomeFile.TimerEntry {
    var start = HomeFile.TimerEntry.Start.instant(timer.fireDate)
    if let rules = zoneRules(timer.zone ?? home.zone) {
      let time = rules.civilTime(at: timer.fireDate)
      // A time that the clock shows twice means the first one.
      if rules.instant(of: time) == timer.fireDate { start = .civil(time) }
    }
    return HomeFile.TimerEntry(
      start: Placed(start), period: timer.recurrence, zone: timer.zone.map { Placed($0) })
  }

  private func event(_ event: HomeEvent) -> HomeFile.EventEntry? {
    switch event {
    case .characteristic(let id, equals: let value):
      return reference(id).map { path, characteristic in
        .characteristic(path, equals: value.map { Placed(characteristic.written($0)) })
      }
    case .threshold(let id, let range): return reference(id).map { .threshold($0.0, range) }
    case .presence(let presence): return .presence(entry(presence))
    case .calendar, .sun, .location, .duration: return .other(event)
    }
  }

  private func condition(_ condition: Condition) -> HomeFile.ConditionEntry {
    switch condition {
    case .all(let parts): return .all(parts.map(self.condition))
    case .any(let parts): return .any(parts.map(self.condition))
    case .not(let part): return .not(self.condition(part))
    case .characteristic(let id, let comparison, let value):
      guard let (path, characteristic) = reference(id) else { return .other(.unknown) }
      return .characteristic(path, comparison, Placed(characteristic.written(value)))
    case .presence(let presence): return .presence(entry(presence))
    case .time, .sun, .unknown: return .other(condition)
    }
  }

  private func entry(_ presence: PresenceEvent) -> HomeFile.PresenceEntry {
    let users: HomeFile.PresenceEntry.Users =
      switch presence.users {
      case .homeUsers: .all
      case .currentUser: .current
      case .users(let ids): .named(home.users.filter { ids.contains($0.id) }.map { Placed($0.name) })
      }
    return HomeFile.PresenceEntry(kind: presence.kind, users: users)
  }
}
