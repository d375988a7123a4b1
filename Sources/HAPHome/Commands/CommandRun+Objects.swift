import HAPAlmanac

/// The kinds of objects in a home.
package enum HomeObjectKind: String, CaseIterable, Sendable {
  case home, room, zone, group, accessory, service, characteristic, trigger, user
  case actionSet = "action set"
}

extension Home {
  /// Returns the kind of the object with this identifier; nil if the home does not have it.
  package func kind(of id: HomeObjectID) -> HomeObjectKind? {
    if id == self.id { return .home }
    if id == roomForEntireHome.id || rooms.find(id) != nil { return .room }
    if zones.find(id) != nil { return .zone }
    if groups.find(id) != nil { return .group }
    if actionSets.find(id) != nil { return .actionSet }
    if triggers.find(id) != nil { return .trigger }
    if users.find(id) != nil { return .user }
    for accessory in accessories {
      if accessory.id == id { return .accessory }
      for service in accessory.services {
        if service.id == id { return .service }
        if service.characteristics.find(id) != nil { return .characteristic }
      }
    }
    return nil
  }

  /// Whether a user may change the home (rule U1).
  func mayEdit(_ user: HomeObjectID) -> Bool { users.find(user).map { $0.role != .guest } ?? false }

  /// Returns the room, also the one for the entire home.
  public func room(_ id: HomeObjectID) -> Room? { id == roomForEntireHome.id ? roomForEntireHome : rooms.find(id) }

  /// Returns the accessory and the service with this identifier.
  public func service(_ id: HomeObjectID) -> (accessory: HomeAccessory, service: HomeService)? {
    for accessory in accessories {
      if let service = accessory.services.find(id) { return (accessory, service) }
    }
    return nil
  }

  /// Returns the characteristic with this identifier, its accessory and its service.
  public func characteristic(
    _ id: HomeObjectID
  ) -> (accessory: HomeAccessory, service: HomeService, characteristic: HomeCharacteristic)? {
    for accessory in accessories {
      for service in accessory.services {
        if let found = service.characteristics.find(id) { return (accessory, service, found) }
      }
    }
    return nil
  }
}

extension CommandRun {
  /// Returns a home in which the user may make changes.
  /// - Throws: rule O1 if there is no such home, U1 for a user who is not an administrator.
  func editableHome(_ id: HomeObjectID) throws(HomeError) -> Home {
    guard let home = model.home(id) else {
      throw HomeError.unknownHome(id)
    }
    if let user = context.user, !home.mayEdit(user) {
      let name = home.users.find(user).map { "\"\($0.name)\"" } ?? "with the identifier \(user)"
      throw HomeError(
        .insufficientPrivileges, .u1,
        "the user \(name) is not an administrator of the home \"\(home.name)\": ask the owner for this right")
    }
    if home.copy != nil, !context.editsCopies { throw HomeError.copy(home) }
    return home
  }

  /// Returns the home of an object, in which the user may make changes.
  /// - Throws: rule O1 if no home has the object, or if it is an object of another kind; rule U1.
  func home(of kind: HomeObjectKind, _ id: HomeObjectID) throws(HomeError) -> Home {
    for home in model.homes {
      guard let found = home.kind(of: id) else { continue }
      guard found == kind else {
        throw HomeError(
          .notFound, .o1, "\(id) is not the identifier of \(kind.withArticle), but of \(found.withArticle)")
      }
      return try editableHome(home.id)
    }
    throw HomeError.unknown(kind, id)
  }

  /// Checks that an object is in a home.
  /// - Throws: rule O1 if no home has it, or if it is an object of another kind; O2 if it is in another home.
  func check(_ kind: HomeObjectKind, _ id: HomeObjectID, in home: Home) throws(HomeError) {
    guard let found = home.kind(of: id) else {
      throw HomeError.missing(kind, id, in: home, found: model.homes.first { $0.kind(of: id) == kind })
    }
    guard found == kind else {
      throw HomeError(.notFound, .o1, "\(id) is not the identifier of \(kind.withArticle), but of \(found.withArticle)")
    }
  }

  /// Returns the rules of a time zone.
  /// - Throws: 3 if this machine does not have the zone.
  func rules(of zone: ZoneName) throws(HomeError) -> ZoneRules {
    guard let rules = context.zoneRules(zone) else {
      throw HomeError(
        .invalidParameter, nil, "this machine has no time zone \"\(zone)\": install tzdata or name another")
    }
    return rules
  }

  /// - Throws: rule L1 if there is no room for another object.
  func checkLimit(_ count: Int, _ limit: Int, of objects: String, in place: String) throws(HomeError) {
    guard count < limit else {
      throw HomeError(
        .maximumObjectLimitReached, .l1, "\(place) has \(count) \(objects), and the limit is \(limit): remove one first"
      )
    }
  }
}

extension HomeError {
  /// Rule O1 for a home.
  package static func unknownHome(_ id: HomeObjectID) -> HomeError {
    HomeError(.notFound, .o1, "there is no home with the identifier \(id)")
  }

  /// Rule U1 for a home that belongs to another hub.
  package static func copy(_ home: Home) -> HomeError {
    let owner = home.users[0].name
    if home.ownUser.role == .administrator {
      return HomeError(
        .operationNotSupported, .u1,
        "the home \"\(home.name)\" belongs to the hub of \(owner), which is the only one that can change it: change it there"
      )
    }
    return HomeError(
      .insufficientPrivileges, .u1,
      "\(home.ownUser.name) may control the home \"\(home.name)\", but not change it: ask its owner \(owner)")
  }

  /// Rule O1 for an object that no home has.
  package static func unknown(_ kind: HomeObjectKind, _ id: HomeObjectID) -> HomeError {
    HomeError(.objectNotAssociatedToAnyHome, .o1, "no home has \(kind.withArticle) with the identifier \(id)")
  }

  /// Rule O2 for an object that another home has, rule O1 if no home has it.
  package static func missing(_ kind: HomeObjectKind, _ id: HomeObjectID, in home: Home, found other: Home?)
    -> HomeError
  {
    guard let other else { return unknown(kind, id) }
    return HomeError(
      .objectAssociatedToAnotherHome, .o2,
      "the \(kind.rawValue) \(id) is in the home \"\(other.name)\": use an object of the home \"\(home.name)\"")
  }

  /// Rule S2 for a characteristic without "pw".
  package static func readOnly(_ characteristic: HomeCharacteristic, of accessory: HomeName) -> HomeError {
    HomeError(
      .readOnlyCharacteristic, .s2,
      "\(characteristic.displayName) of \"\(accessory)\" can't be written: choose another characteristic")
  }
}
