import HAPAlmanac

extension CommandRun {
  mutating func performHome(_ command: HomeCommand) throws(HomeError) {
    switch command {
    case .addHome(let name, let zone, let location, let owner): try addHome(name, zone, location, owner)
    case .removeHome(let id):
      let home = try editableHome(id)
      let wasPrimary = model.primaryHome == id
      emit(home.id, .homeRemoved)
      if wasPrimary, let next = model.homes.first { emit(next.id, .homeMadePrimary) }
    case .setPrimaryHome(let id):
      let home = try editableHome(id)
      if model.primaryHome != id { emit(home.id, .homeMadePrimary) }
    case .setTimeZone(let id, let zone):
      let home = try editableHome(id)
      _ = try rules(of: zone)
      if home.zone != zone { emit(id, .timeZoneChanged(zone)) }
    case .setLocation(let id, let location):
      let home = try editableHome(id)
      if home.location != location { emit(id, .locationChanged(location)) }
    default: preconditionFailure("\(command) is not a command of homes")
    }
  }

  /// The built-in action sets of a home, with their names (rule S1).
  static var builtInSets: [(ActionSet.Kind, String)] {
    [
      (.wakeUp, "Good Morning"), (.sleep, "Good Night"), (.homeDeparture, "Leave Home"), (.homeArrival, "Arrive Home"),
    ]
  }

  private mutating func addHome(
    _ text: String, _ zone: ZoneName, _ location: Coordinate?, _ owner: String
  ) throws(HomeError) {
    if let user = context.user, !model.homes.contains(where: { $0.mayEdit(user) }) {
      throw HomeError(
        .insufficientPrivileges, .u1,
        "the user with the identifier \(user) is not an administrator of any home, and can't add one: ask the owner")
    }
    try checkLimit(model.homes.count, context.policy.homes, of: "homes", in: "this controller")
    let name = try homeName(text, of: nil)
    _ = try rules(of: zone)
    let user = HomeUser(id: newID(), name: try HomeName.checked(owner, context.policy).text, role: .owner)
    var home = Home(
      id: newID(), name: name, zone: zone, location: location,
      roomForEntireHome: Room(id: newID(), name: HomeName("Default Room")), users: [user])
    for (kind, name) in Self.builtInSets {
      home.actionSets.append(ActionSet(id: newID(), name: HomeName(name), kind: kind))
    }
    if let taken = home.conflict(name, of: home.id) {
      throw HomeError(
        .objectWithSimilarNameExistsInHome, .n2,
        "each home has a room or an action set with the name \"\(taken)\": choose another name for the home")
    }
    emit(home.id, .homeAdded(home))
    if model.primaryHome == nil { emit(home.id, .homeMadePrimary) }
  }

  mutating func performPlace(_ command: HomeCommand) throws(HomeError) {
    switch command {
    case .addRoom(let id, let text):
      let home = try editableHome(id)
      try checkLimit(home.rooms.count, context.policy.objects, of: "rooms", in: "the home")
      emit(id, .roomAdded(Room(id: newID(), name: try newName(text, in: home))))
    case .removeRoom(let id): try removeRoom(id)
    case .addZone(let id, let text):
      let home = try editableHome(id)
      try checkLimit(home.zones.count, context.policy.objects, of: "zones", in: "the home")
      emit(id, .zoneAdded(RoomZone(id: newID(), name: try newName(text, in: home))))
    case .removeZone(let id): emit(try home(of: .zone, id).id, .zoneRemoved(id))
    case .addRoomToZone(let room, let zone): try addRoom(room, toZone: zone)
    case .removeRoomFromZone(let room, let zone):
      let home = try home(of: .zone, zone)
      try check(.room, room, in: home)
      guard home.zones.find(zone)!.rooms.contains(room) else {
        throw HomeError(.notFound, .z1, "the room is not in this zone: list the rooms of the zone")
      }
      emit(home.id, .roomRemovedFromZone(room: room, zone: zone))
    case .addGroup(let id, let text):
      let home = try editableHome(id)
      try checkLimit(home.groups.count, context.policy.objects, of: "groups", in: "the home")
      emit(id, .groupAdded(ServiceGroup(id: newID(), name: try newName(text, in: home))))
    case .removeGroup(let id): emit(try home(of: .group, id).id, .groupRemoved(id))
    case .addServiceToGroup(let service, let group): try addService(service, toGroup: group)
    case .removeServiceFromGroup(let service, let group):
      let home = try home(of: .group, group)
      try check(.service, service, in: home)
      guard home.groups.find(group)!.services.contains(service) else {
        throw HomeError(.notFound, .z1, "the service is not in this group: list the services of the group")
      }
      emit(home.id, .serviceRemovedFromGroup(service: service, group: group))
    default: preconditionFailure("\(command) is not a command of rooms, zones or groups")
    }
  }

  private mutating func removeRoom(_ id: HomeObjectID) throws(HomeError) {
    let home = try home(of: .room, id)
    guard id != home.roomForEntireHome.id else {
      throw HomeError(
        .roomForHomeCannotBeUpdated, .r1, "the room for the entire home \"\(home.name)\" can't be removed")
    }
    for accessory in home.accessories where accessory.room == id {
      emit(home.id, .accessoryMoved(accessory.id, room: home.roomForEntireHome.id))
    }
    for zone in home.zones where zone.rooms.contains(id) {
      emit(home.id, .roomRemovedFromZone(room: id, zone: zone.id))
    }
    emit(home.id, .roomRemoved(id))
  }

  private mutating func addRoom(_ room: HomeObjectID, toZone zone: HomeObjectID) throws(HomeError) {
    let home = try home(of: .zone, zone)
    try check(.room, room, in: home)
    guard room != home.roomForEntireHome.id else {
      throw HomeError(
        .roomForHomeCannotBeInZone, .r1, "the room for the entire home \"\(home.name)\" can't be in a zone")
    }
    guard !home.zones.find(zone)!.rooms.contains(room) else {
      throw HomeError(.alreadyExists, .z1, "the room is already in this zone")
    }
    emit(home.id, .roomAddedToZone(room: room, zone: zone))
  }

  private mutating func addService(_ service: HomeObjectID, toGroup group: HomeObjectID) throws(HomeError) {
    let home = try home(of: .group, group)
    try check(.service, service, in: home)
    guard !home.groups.find(group)!.services.contains(service) else {
      throw HomeError(.alreadyExists, .z1, "the service is already in this group")
    }
    emit(home.id, .serviceAddedToGroup(service: service, group: group))
  }
}
