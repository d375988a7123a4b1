import HAPModel

extension CommandRun {
  /// Adds a device: the accessory with aid 1, then the accessories behind it (rules A1, A2, N7).
  mutating func addDevice(_ device: DeviceDescription, to homeID: HomeObjectID) throws(HomeError) {
    let home = try editableHome(homeID)
    if let other = model.homes.first(where: { $0.accessories.contains { $0.deviceID == device.device } }) {
      let code: HomeError.Code = other.id == homeID ? .objectAlreadyAssociatedToHome : .objectAssociatedToAnotherHome
      throw HomeError(
        code, .o2,
        "the device \(device.device) is already in the home \"\(other.name)\": remove it there before it is added")
    }
    let accessories = try checked(device)
    try checkRoom(for: accessories.count, in: home)
    var names = TakenNames(in: home)
    let place = (home: homeID, room: home.roomForEntireHome.id)
    var bridge: HomeObjectID?
    for accessory in accessories {
      let id = addAccessory(accessory, of: device, bridge: bridge, to: place, &names)
      if accessory.aid == 1 { bridge = id }
    }
  }

  private func checkRoom(for count: Int, in home: Home) throws(HomeError) {
    guard home.accessories.count + count <= context.policy.accessories else {
      throw HomeError(
        .maximumObjectLimitReached, .l1,
        "the home has \(home.accessories.count) accessories, and the limit is \(context.policy.accessories): remove one first"
      )
    }
  }

  /// Returns the accessories of a device, aid 1 first.
  /// - Throws: 50 if aid 1 is missing, or if an identifier is 0 or occurs twice.
  private func checked(_ device: DeviceDescription) throws(HomeError) -> [Accessory] {
    do {
      _ = try AttributeDatabase(device.accessories)
    } catch {
      throw HomeError(
        .accessorySentInvalidResponse, nil,
        "the database of the device \(device.device) is invalid: \(error): correct the firmware")
    }
    guard let first = device.accessories.first(where: { $0.aid == 1 }) else {
      throw HomeError(
        .accessorySentInvalidResponse, nil,
        "the database of the device \(device.device) has no accessory with aid 1: correct the firmware")
    }
    return [first] + device.accessories.filter { $0.aid != 1 }
  }

  private mutating func addAccessory(
    _ accessory: Accessory, of device: DeviceDescription, bridge: HomeObjectID?,
    to place: (home: HomeObjectID, room: HomeObjectID), _ names: inout TakenNames
  ) -> HomeObjectID {
    let id = newID()
    let information = accessory.information
    let name = names.unique(HomeName.supplied(accessory.suppliedName ?? information.model, or: "Accessory"))
    names.insert(name, of: id)
    let added = HomeAccessory(
      id: id, name: name, room: place.room, category: bridge == nil ? device.category : 0,
      transport: .hap(device.device, aid: accessory.aid), bridge: bridge,
      services: services(of: accessory, id, name, before: [], &names), information: information,
      configurationNumber: device.configurationNumber)
    emit(place.home, .accessoryAdded(added))
    return id
  }

  /// Returns the services of an accessory. A service of `before` with the same iid and type keeps its name and its
  /// associated type.
  private func services(
    of accessory: Accessory, _ id: HomeObjectID, _ name: HomeName, before: [HomeService], _ names: inout TakenNames
  ) -> [HomeService] {
    var keys: Set<String> = []
    let old = Dictionary(uniqueKeysWithValues: before.map { ($0.iid, $0) })
    let kept = accessory.services.map { service in old[service.iid].flatMap { $0.type == service.type ? $0 : nil } }
    for service in kept { if let service, service.isUserInteractive { keys.insert(service.name.key) } }
    return zip(accessory.services, kept).map { service, kept in
      let isInteractive = HomeService.isUserInteractive(service)
      let supplied = HomeName.supplied(service.text(of: .name), or: name.text)
      let serviceName: HomeName
      if let kept, kept.isUserInteractive || !isInteractive {
        serviceName = kept.name
      } else if isInteractive {
        serviceName = names.unique(supplied, of: id, besides: keys)
        names.insert(serviceName, of: id)
        keys.insert(serviceName.key)
      } else {
        serviceName = supplied
      }
      return HomeService(
        id: id.part(iid: service.iid), iid: service.iid, type: service.type, name: serviceName,
        associatedType: kept?.associatedType, isPrimary: service.isPrimary, isUserInteractive: isInteractive,
        linked: service.linked, characteristics: service.characteristics.map { HomeCharacteristic($0, of: id) })
    }
  }

  /// Replaces the databases of a device after its `c#` rose: accessories that are gone are removed, new ones added, and
  /// the others keep their identifiers, names and rooms.
  mutating func updateDevice(_ device: DeviceDescription, in homeID: HomeObjectID) throws(HomeError) {
    let home = try editableHome(homeID)
    let old = home.accessories.filter { $0.deviceID == device.device }
    guard let first = old.first(where: { $0.bridge == nil }) else {
      throw HomeError(
        .objectNotAssociatedToAnyHome, .o1, "the home \"\(home.name)\" has no device \(device.device): add it first")
    }
    let accessories = try checked(device)
    let aids = Set(accessories.map(\.aid))
    let gone = old.filter { !aids.contains($0.aid) }
    try checkRoom(for: accessories.count - old.count, in: home)
    for accessory in gone { remove(accessory, from: homeID) }
    guard let rest = model.home(homeID) else { preconditionFailure("the home was found before") }
    var names = TakenNames(in: rest)
    let place = (home: homeID, room: home.roomForEntireHome.id)
    let known = Dictionary(uniqueKeysWithValues: old.map { ($0.aid, $0) })
    for accessory in accessories {
      if let known = known[accessory.aid] {
        update(known, with: accessory, of: device, in: homeID, &names)
      } else {
        _ = addAccessory(accessory, of: device, bridge: first.id, to: place, &names)
      }
    }
  }

  private mutating func update(
    _ known: HomeAccessory, with accessory: Accessory, of device: DeviceDescription, in homeID: HomeObjectID,
    _ names: inout TakenNames
  ) {
    let services = services(of: accessory, known.id, known.name, before: known.services, &names)
    if services != known.services {
      names.replace(known.services, with: services, of: known.id, named: known.name)
      removeReferences(from: known, to: services, in: homeID)
      emit(homeID, .servicesUpdated(known.id, services))
    }
    var information = accessory.information
    if information.firmware != known.information.firmware {
      emit(homeID, .firmwareUpdated(known.id, information.firmware))
    }
    information.firmware = known.information.firmware
    let category = known.bridge == nil ? device.category : 0
    let number = device.configurationNumber
    if information != known.information || category != known.category || number != known.configurationNumber {
      emit(
        homeID,
        .accessoryDetailsUpdated(known.id, information, category: category, configurationNumber: number))
    }
  }
}
