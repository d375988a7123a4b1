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
    timeZone = Placed(home.zone)
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
      home.characteristic(action.characteristic).map { found in
        let path = directory.path(of: found.characteristic, of: found.service, in: found.accessory)
        let value = found.characteristic.writtenAction(action.value)
        return HomeFile.ActionEntry(characteristic: Placed(path), value: Placed(value))
      }
    }
  }

  func trigger(_ trigger: Trigger, _ zoneRules: (ZoneName) -> ZoneRules?) -> HomeFile.TriggerEntry {
    let zone = if case .timer(let timer) = trigger.kind { timer.zone ?? home.zone } else { home.zone }
    let notation = NameNotation(home, directory, zone: zone, zoneRules)
    let run: [HomeFile.RunEntry] = trigger.actionSets.compactMap { id in
      home.actionSets.first { $0.id == id }.map { set in
        set.kind == .triggerOwned ? .actions(actions(set.actions)) : .scene(Placed(set.name.text))
      }
    }
    return HomeFile.TriggerEntry(
      name: Placed(trigger.name.text), kind: HomeFile.TriggerKind(.object(notation.members(trigger.kind))), run: run,
      isEnabled: Placed(trigger.isEnabled))
  }
}
