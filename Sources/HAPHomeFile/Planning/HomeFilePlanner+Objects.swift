import HAPHome
import HAPModel
import HAPWire

extension HomeFilePlanner {
  // MARK: Removing

  /// Removes the objects of the sections that the document has, except those in it.
  mutating func removeOthers(_ target: HomeFileTarget) {
    func keys(_ names: [Placed<String>]?) -> Set<String>? { names.map { Set($0.map { HomeName($0.value).key }) } }
    if let kept = keys(file.triggers?.map(\.name)) {
      for object in home.triggers where !kept.contains(object.name.key) {
        remove(.removeTrigger(object.id), "trigger", object.name)
      }
    }
    if file.scenes != nil {
      let kept = Set(target.scenes.compactMap(\.id))
      for object in home.actionSets where object.kind == .userDefined && !kept.contains(object.id) {
        remove(.removeActionSet(object.id), "scene", object.name)
      }
    }
    if let kept = keys(file.groups?.map(\.name)) {
      for object in home.groups where !kept.contains(object.name.key) {
        remove(.removeGroup(object.id), "group", object.name)
      }
    }
    if let kept = keys(file.zones?.map(\.name)) {
      for object in home.zones where !kept.contains(object.name.key) {
        remove(.removeZone(object.id), "zone", object.name)
      }
    }
    if let kept = keys(file.rooms) {
      for object in home.rooms where !kept.contains(object.name.key) {
        remove(.removeRoom(object.id), "room", object.name)
      }
    }
  }

  private mutating func remove(_ command: HomeCommand, _ kind: String, _ name: HomeName) {
    let place = file.home.place
    perform(
      command, at: place,
      HomeDifference(
        change: .remove, kind: kind, name: name.text, text: "remove the \(kind) \"\(name)\"", place: place))
  }

  // MARK: Places

  private mutating func add(_ command: HomeCommand, _ kind: String, _ name: Placed<String>) {
    perform(
      command, at: name.place,
      HomeDifference(
        change: .add, kind: kind, name: name.value, text: "add the \(kind) \"\(name.value)\"", place: name.place))
  }

  private func room(_ name: String) -> Room? {
    let (key, home) = (HomeName(name).key, home)
    return home.roomForEntireHome.name.key == key ? home.roomForEntireHome : home.rooms.first { $0.name.key == key }
  }

  /// Adds rooms and zones, and changes the rooms of zones.
  mutating func addPlaces(_ target: HomeFileTarget) {
    for name in file.rooms ?? [] where room(name.value) == nil {
      add(.addRoom(home: home.id, name: name.value), "room", name)
    }
    for entry in file.zones ?? [] {
      let key = HomeName(entry.name.value).key
      if !home.zones.contains(where: { $0.name.key == key }) {
        add(.addZone(home: home.id, name: entry.name.value), "zone", entry.name)
      }
      guard let zone = home.zones.first(where: { $0.name.key == key }) else { continue }
      var wanted: Set<HomeObjectID> = []
      for name in entry.rooms {
        guard let room = room(name.value) else { continue }
        wanted.insert(room.id)
        if zone.rooms.contains(room.id) { continue }
        perform(
          .addRoomToZone(room: room.id, zone: zone.id), at: name.place,
          .update("zone", entry.name, "add the room \"\(room.name)\" to the zone \"\(zone.name)\""))
      }
      for id in zone.rooms where !wanted.contains(id) {
        let name = home.room(id)?.name.text ?? ""
        perform(
          .removeRoomFromZone(room: id, zone: zone.id), at: entry.name.place,
          .update("zone", entry.name, "remove the room \"\(name)\" from the zone \"\(zone.name)\""))
      }
    }
  }

  /// Moves accessories to their rooms, and sets the types of controlled devices.
  mutating func changeAccessories(_ target: HomeFileTarget) {
    let rooms = Dictionary(home.accessories.map { ($0.id, $0.room) }) { first, _ in first }
    for accessory in target.accessories {
      let name = accessory.entry.name
      if let wanted = accessory.entry.room, let room = room(wanted.value), rooms[accessory.id] != room.id {
        perform(
          .moveAccessory(accessory.id, room: room.id), at: wanted.place,
          .update(
            "accessory", name,
            "move the accessory \"\(name.value)\" from the room \"\(rooms[accessory.id].flatMap(home.room)?.name.text ?? "")\" to the room \"\(room.name)\""
          ))
      }
      for (entry, service) in accessory.services {
        guard let type = entry.associatedType, type.value != service.associatedType else { continue }
        let title = "the service \"\(service.name)\" of the accessory \"\(name.value)\""
        func device(_ type: TypeID?) -> String { type.map { Catalogue.service($0)?.name ?? $0.wireForm } ?? "none" }
        perform(
          .setAssociatedType(service: service.id, type.value), at: type.place,
          .update(
            "service", Placed(service.name.text, at: entry.service.place),
            "change the device that \(title) controls from \(device(service.associatedType)) to \(device(type.value))"))
      }
    }
  }

  // MARK: Groups and scenes

  mutating func changeGroups(_ target: HomeFileTarget) {
    for group in target.groups {
      let name = group.entry.name
      let key = HomeName(name.value).key
      if !home.groups.contains(where: { $0.name.key == key }) {
        add(.addGroup(home: home.id, name: name.value), "group", name)
      }
      guard let found = home.groups.first(where: { $0.name.key == key }) else { continue }
      for (service, path) in zip(group.services, group.entry.services) where !found.services.contains(service.value) {
        perform(
          .addServiceToGroup(service: service.value, group: found.id), at: service.place,
          .update("group", name, "add the service \"\(path.value)\" to the group \"\(found.name)\""))
      }
      let wanted = Set(group.services.map(\.value))
      for id in found.services where !wanted.contains(id) {
        let service = home.service(id).map { HomeDirectory(home).path(of: $0.service, in: $0.accessory).description }
        perform(
          .removeServiceFromGroup(service: id, group: found.id), at: name.place,
          .update("group", name, "remove the service \"\(service ?? "")\" from the group \"\(found.name)\""))
      }
    }
  }

  mutating func changeScenes(_ target: HomeFileTarget) {
    for scene in target.scenes {
      let name = scene.entry.name
      if scene.id == nil { add(.addActionSet(home: home.id, name: name.value), "scene", name) }
      let key = HomeName(name.value).key
      guard let set = home.listedActionSets.first(where: { $0.id == scene.id ?? $0.id && $0.name.key == key }),
        let actions = scene.actions
      else { continue }
      change(set, to: actions, "scene", name, owner: "the scene \"\(set.name)\"")
    }
  }

  private func shown(_ value: Value, _ action: HomeFileTarget.ActionTarget) -> String {
    home.characteristic(action.action.characteristic)?.characteristic.shortText(of: value) ?? value.shown
  }

  /// Makes the actions of a set as in the document: adds and changes some first, so that a set is not empty meanwhile.
  mutating func change(
    _ set: ActionSet, to actions: [HomeFileTarget.ActionTarget], _ kind: String, _ name: Placed<String>, owner: String
  ) {
    let values = Dictionary(set.actions.map { ($0.characteristic, $0.value) }) { first, _ in first }
    for action in actions {
      let old = values[action.action.characteristic]
      if old == action.action.value { continue }
      perform(
        old == nil ? .addAction(actionSet: set.id, action.action) : .updateAction(actionSet: set.id, action.action),
        at: action.place,
        .update(
          kind, name,
          old.map { "change \(action.path) in \(owner) from \(shown($0, action)) to \(action.text)" }
            ?? "set \(action.path) in \(owner) to \(action.text)"))
    }
    let wanted = Set(actions.map(\.action.characteristic))
    let others = set.actions.filter { !wanted.contains($0.characteristic) }
    if others.isEmpty { return }
    let directory = HomeDirectory(home)
    for action in others {
      let path = directory.path(ofCharacteristic: action.characteristic)?.description
      perform(
        .removeAction(actionSet: set.id, characteristic: action.characteristic), at: name.place,
        .update(kind, name, "remove \(path ?? "a characteristic") from \(owner)"))
    }
  }
}
