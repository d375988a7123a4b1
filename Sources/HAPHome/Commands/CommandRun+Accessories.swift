import HAPModel

extension CommandRun {
  mutating func performAccessory(_ command: HomeCommand) throws(HomeError) {
    switch command {
    case .addDevice(let home, let device): try addDevice(device, to: home)
    case .updateDevice(let home, let device): try updateDevice(device, in: home)
    case .removeAccessory(let id): try removeAccessory(id)
    case .moveAccessory(let id, let room):
      let (home, accessory) = try accessory(id)
      try check(.room, room, in: home)
      if accessory.room != room { emit(home.id, .accessoryMoved(id, room: room)) }
    case .blockAccessory(let id):
      let (home, accessory) = try accessory(id)
      guard accessory.bridge == nil else {
        throw HomeError(
          .operationNotSupported, .a3, "the accessory \"\(accessory.name)\" is bridged: block its bridge")
      }
      if !accessory.isBlocked { emit(home.id, .accessoryBlocked(id)) }
    case .unblockAccessory(let id):
      let (home, accessory) = try accessory(id)
      guard accessory.bridge == nil else {
        throw HomeError(
          .cannotUnblockNonBridgeAccessory, .a3, "the accessory \"\(accessory.name)\" is bridged: unblock its bridge")
      }
      if accessory.isBlocked { emit(home.id, .accessoryUnblocked(id)) }
    case .setAssociatedType(let service, let type): try setAssociatedType(type, of: service)
    default: preconditionFailure("\(command) is not a command of accessories")
    }
  }

  private func accessory(_ id: HomeObjectID) throws(HomeError) -> (Home, HomeAccessory) {
    let home = try home(of: .accessory, id)
    return (home, home.accessories.find(id)!)
  }

  private mutating func removeAccessory(_ id: HomeObjectID) throws(HomeError) {
    let (home, accessory) = try accessory(id)
    guard accessory.bridge == nil else {
      throw HomeError(
        .cannotRemoveNonBridgeAccessory, .a2, "the accessory \"\(accessory.name)\" is bridged: remove its bridge")
    }
    for bridged in home.accessories where bridged.bridge == id { remove(bridged, from: home.id) }
    remove(accessory, from: home.id)
  }

  private mutating func setAssociatedType(_ type: TypeID?, of id: HomeObjectID) throws(HomeError) {
    let home = try home(of: .service, id)
    let (accessory, service) = home.service(id)!
    if let type {
      guard Catalogue.service(type) != nil, HomeService.hasFunction(type) else {
        throw HomeError(
          .invalidAssociatedServiceType, nil,
          "\(type) is not the type of a service that people use: give the type of the device that the service controls")
      }
    }
    if service.associatedType != type {
      emit(home.id, .associatedTypeChanged(accessory: accessory.id, service: id, type))
    }
  }

  mutating func performUser(_ command: HomeCommand) throws(HomeError) {
    switch command {
    case .addUser(let id, let text, let role):
      let home = try editableHome(id)
      try checkLimit(home.users.count, context.policy.users, of: "users", in: "the home")
      guard role != .owner else {
        throw HomeError(.operationNotSupported, .u1, "the home \"\(home.name)\" has an owner: add an administrator")
      }
      let name = try HomeName.checked(text, context.policy)
      if let other = home.users.first(where: { HomeName($0.name).key == name.key }) {
        throw HomeError(.alreadyExists, .u1, "the home has a user \"\(other.name)\": choose another name")
      }
      emit(id, .userAdded(HomeUser(id: newID(), name: text, role: role)))
    case .setRole(let id, let role):
      let (home, user) = try guest(id)
      guard role != .owner else {
        throw HomeError(.operationNotSupported, .u1, "a home has one owner: make \"\(user.name)\" an administrator")
      }
      if user.role != role { emit(home.id, .userRoleChanged(id, role)) }
    case .removeUser(let id):
      let (home, _) = try guest(id)
      removeReferences(toUser: id, in: home.id)
      emit(home.id, .userRemoved(id))
    default: preconditionFailure("\(command) is not a command of users")
    }
  }

  /// Returns a user who is not the owner.
  private func guest(_ id: HomeObjectID) throws(HomeError) -> (Home, HomeUser) {
    let home = try home(of: .user, id)
    let user = home.users.find(id)!
    guard user.role != .owner else {
      throw HomeError(
        .operationNotSupported, .u1, "\"\(user.name)\" is the owner of the home, who stays its owner: remove the home")
    }
    return (home, user)
  }
}
