extension Home {
  /// Calls the function for each name in the namespace of the home (rule N2), with its object, until it returns true.
  /// The names of services that apps don't show are not part of it, nor are those of sets that a trigger owns.
  ///
  /// The accessory of a service is the third argument.
  func firstName(
    where body: (HomeName, HomeObjectID, HomeObjectID?) -> Bool
  ) -> HomeName? {
    if body(name, id, nil) { return name }
    if body(roomForEntireHome.name, roomForEntireHome.id, nil) { return roomForEntireHome.name }
    for room in rooms where body(room.name, room.id, nil) { return room.name }
    for zone in zones where body(zone.name, zone.id, nil) { return zone.name }
    for group in groups where body(group.name, group.id, nil) { return group.name }
    for set in actionSets where set.kind != .triggerOwned && body(set.name, set.id, nil) { return set.name }
    for trigger in triggers where body(trigger.name, trigger.id, nil) { return trigger.name }
    for accessory in accessories {
      if body(accessory.name, accessory.id, accessory.id) { return accessory.name }
      for service in accessory.services where service.isUserInteractive {
        if body(service.name, service.id, accessory.id) { return service.name }
      }
    }
    return nil
  }

  /// Returns the name in this home that counts as the same as a new name of an object.
  /// - Parameters:
  ///   - object: the object that gets the name; nil for a new one.
  ///   - accessory: the accessory, if the object is an accessory or a service. An accessory and its services may have
  ///     the same name.
  func conflict(_ name: HomeName, of object: HomeObjectID?, accessory: HomeObjectID? = nil) -> HomeName? {
    firstName { other, id, owner in
      guard other.key == name.key, id != object else { return false }
      guard let accessory, let object, owner == accessory else { return true }
      return id != accessory && object != accessory
    }
  }
}

extension CommandRun {
  /// Checks the name of a new object in a home.
  /// - Throws: rules N2, N4 and N5.
  func newName(_ text: String, in home: Home) throws(HomeError) -> HomeName {
    let name = try HomeName.checked(text, context.policy)
    if let taken = home.conflict(name, of: nil) { throw Self.conflict(name, taken, in: home) }
    return name
  }

  /// Checks the name of a new or renamed home.
  /// - Throws: rules N1, N4 and N5.
  func homeName(_ text: String, of home: HomeObjectID?) throws(HomeError) -> HomeName {
    let name = try HomeName.checked(text, context.policy)
    if let other = model.homes.first(where: { $0.id != home && $0.name.key == name.key }) {
      throw HomeError(
        .homeWithSimilarNameExists, .n1,
        "the name \"\(name)\" counts as the same as that of the home \"\(other.name)\": choose another name")
    }
    return name
  }

  private static func conflict(_ name: HomeName, _ taken: HomeName, in home: Home) -> HomeError {
    HomeError(
      .objectWithSimilarNameExistsInHome, .n2,
      "the name \"\(name)\" counts as the same as \"\(taken)\" in the home \"\(home.name)\": choose another name")
  }

  /// - Throws: rules N1 to N6, R1, S4.
  mutating func rename(_ id: HomeObjectID, _ text: String) throws(HomeError) {
    guard let found = model.homes.lazy.compactMap({ home in home.kind(of: id).map { (home.id, $0) } }).first else {
      throw HomeError(.objectNotAssociatedToAnyHome, .o1, "no home has an object with the identifier \(id)")
    }
    let (home, kind) = (try editableHome(found.0), found.1)
    let (current, detail) = try renaming(id, kind, in: home)
    guard text != current.text else {
      throw HomeError(.renameWithSimilarName, .n6, "the \(kind.rawValue) already has the name \"\(text)\"")
    }
    let name = kind == .home ? try homeName(text, of: id) : try HomeName.checked(text, context.policy)
    let accessory = kind == .accessory ? id : kind == .service ? home.service(id)?.accessory.id : nil
    let isInNamespace = kind != .service || home.service(id)?.service.isUserInteractive == true
    if isInNamespace, let taken = home.conflict(name, of: id, accessory: accessory) {
      throw Self.conflict(name, taken, in: home)
    }
    emit(home.id, detail(name))
  }

  /// Returns the current name of an object, and the change that gives it another one.
  private func renaming(
    _ id: HomeObjectID, _ kind: HomeObjectKind, in home: Home
  ) throws(HomeError) -> (HomeName, (HomeName) -> HomeChange.Detail) {
    switch kind {
    case .home: return (home.name, { .homeRenamed($0) })
    case .room:
      guard let room = home.rooms.find(id) else {
        throw HomeError(
          .roomForHomeCannotBeUpdated, .r1, "the room for the entire home \"\(home.name)\" can't be renamed")
      }
      return (room.name, { .roomRenamed(id, $0) })
    case .zone: return (home.zones.find(id)!.name, { .zoneRenamed(id, $0) })
    case .group: return (home.groups.find(id)!.name, { .groupRenamed(id, $0) })
    case .accessory: return (home.accessories.find(id)!.name, { .accessoryRenamed(id, $0) })
    case .service:
      let (accessory, service) = home.service(id)!
      return (service.name, { .serviceRenamed(accessory: accessory.id, service: id, $0) })
    case .actionSet:
      let set = home.actionSets.find(id)!
      try refuseOwned(set)
      return (set.name, { .actionSetRenamed(id, $0) })
    case .trigger: return (home.triggers.find(id)!.name, { .triggerRenamed(id, $0) })
    case .characteristic, .user:
      throw HomeError(.operationNotSupported, .o1, "a \(kind.rawValue) has no name that can be changed")
    }
  }
}
