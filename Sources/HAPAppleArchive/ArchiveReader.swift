import HAPModel

/// Reads an archive, starting at the accessory. Each accessory, service and characteristic is read once, even if it is referenced more often.
struct ArchiveReader {
  /// The limit for list entries that are read. Any number of objects can refer to the same list.
  static let mostEntries = 100_000

  let archive: KeyedArchive
  var log = RemarkLog()
  var entries = 0
  /// The objects that were read, by their places.
  var seen: Set<Int> = []

  init(_ archive: KeyedArchive) { self.archive = archive }

  mutating func read(into result: inout AppleArchive) throws(AppleArchiveError) {
    let (root, place) = try rootAccessory()
    guard let members = object(root, place) else { throw .noAccessory }
    result.category = category(members, place)
    result.setupCode = setupCode(members, place)
    result.setupID = setupID(members, place)
    result.deviceID = deviceID(members, place)
    result.accessories = [accessory(members, aid: 1, place)]
    if let number = number(members, "HAK.instanceid", place), number != 1 {
      log.add(place + ".HAK.instanceid", "\(number) is invalid; the accessory of a server has aid 1")
    }
    readBridged(members, place, into: &result)
    for accessory in result.accessories { result.names[accessory.aid] = Self.name(of: accessory) }
  }

  /// Returns the member `accessory` of the archived dictionary, or another object that has services.
  private mutating func rootAccessory() throws(AppleArchiveError) -> (PropertyList, String) {
    for (name, root) in archive.top.sorted(by: { $0.key < $1.key }).prefix(8) {
      guard case .object(let object) = archive.value(root) else { continue }
      let members = archive.entries(of: object)
      if let accessory = members["accessory"] {
        readEnvelope(members)
        return (accessory, "accessory")
      }
      if members["HAK.services"] != nil {
        log.add(name, "the accessory is archived without the dictionary around it")
        return (root, name)
      }
    }
    if let accessory = archive.top["accessory"] {
      readEnvelope(archive.top)
      return (accessory, "accessory")
    }
    throw .noAccessory
  }

  private mutating func readEnvelope(_ members: [String: PropertyList]) {
    if let kind = text(members, "kind", ""), kind != "accessory" {
      log.add("kind", "\(ArchivedValue.quoted(kind)) is not known here; it is read as an accessory")
    }
    if let version = number(members, "version", ""), version != 1 {
      log.add("version", "\(version) is not known here; it is read as 1")
    }
    remarkUnknown(members, besides: ["kind", "version", "accessory"], "")
  }

  // MARK: Accessories

  private mutating func readBridged(_ bridge: [String: PropertyList], _ place: String, into result: inout AppleArchive)
  {
    var bridged: [(aid: UInt64, members: [String: PropertyList], place: String)] = []
    var aids: Set<UInt64> = [1]
    for (entry, place) in list(bridge, "HAK.bridgedAccessories", place) {
      guard let members = object(entry, place) else { continue }
      var aid: UInt64 = 0
      if let written = id(members, place) {
        if aids.insert(written).inserted {
          aid = written
        } else {
          log.add(place + ".HAK.instanceid", "\(written) is already in use; this accessory gets a new aid")
        }
      }
      bridged.append((aid, members, place))
    }
    var next: UInt64 = 2
    for (written, members, place) in bridged {
      var aid = written
      if aid == 0 {
        while aids.contains(next) { next += 1 }
        aid = next
        next += 1
      }
      result.accessories.append(accessory(members, aid: aid, place))
      if !list(members, "HAK.bridgedAccessories", place).isEmpty {
        log.add(place + ".HAK.bridgedAccessories", "a bridge can't be bridged; its accessories are left out")
      }
    }
  }

  private mutating func accessory(_ members: [String: PropertyList], aid: UInt64, _ place: String) -> Accessory {
    var iids = InstanceIDs()
    var services: [Service] = []
    var primary = primaryService(members, place)
    for (entry, place) in list(members, "HAK.services", place) {
      let object = archive.target(of: entry)?.place
      guard var service = service(entry, &iids, place) else { continue }
      if object != nil, object == primary {
        service.isPrimary = true
        primary = nil
      }
      if service.isPrimary, services.contains(where: \.isPrimary) {
        log.add(place, "another service is already primary; this one is not")
        service.isPrimary = false
      }
      services.append(service)
    }
    if primary != nil { log.add(place + ".HAK.primary", "is not one of the services; it is left out") }
    remarkUnknown(
      members,
      besides: [
        "HAK.category", "HAK.identifier", "HAK.password", "HAK.setupID", "HAK.instanceid", "HAK.services",
        "HAK.bridgedAccessories", "HAK.primary",
        // Counters, versions and back references, which don't describe the accessory.
        "HAK.idPool", "HAK.accessoryVersion", "HAK.transports", "HAK.bridge",
      ], place)
    let accessory = Accessory(aid: aid, services: services)
    return iids.settled(accessory, place, &log)
  }

  /// Returns the place of an accessory's primary object. It is assumed to be a service.
  private mutating func primaryService(_ members: [String: PropertyList], _ place: String) -> Int? {
    guard let reference = members["HAK.primary"], !value(members, "HAK.primary").isNull else { return nil }
    guard case .object = archive.value(reference), let object = archive.target(of: reference)?.place else {
      log.add(place + ".HAK.primary", "\(archive.value(reference).summary) is not a service; it is left out")
      return nil
    }
    return object
  }

  private static func name(of accessory: Accessory) -> String? {
    accessory.services.first { $0.type == 0x3E }?.characteristics.first { $0.type == 0x23 }?.value.stringValue
  }

  // MARK: Services

  private mutating func service(_ node: PropertyList, _ iids: inout InstanceIDs, _ place: String) -> Service? {
    guard let members = object(node, place), let type = type(members, place) else { return nil }
    if TransportType.services.contains(type) || archive.className(of: members) == "HAKPairingService" {
      log.add(place, "pairing belongs to the transport on IP; this service is left out")
      return nil
    }
    var service = Service(iid: iids.claim(id(members, place), place, &log), type: type)
    service.isHidden = flag(members, "HAK.hidden", place)
    service.isPrimary = flag(members, "HAK.primary", place)
    var types: Set<TypeID> = []
    for (entry, place) in list(members, "HAK.characteristics", place) {
      guard var characteristic = characteristic(entry, of: type, place) else { continue }
      guard types.insert(characteristic.type).inserted else {
        log.add(place, "the service already has a characteristic of type \(characteristic.type); this one is left out")
        continue
      }
      characteristic.iid = iids.claim(characteristic.iid == 0 ? nil : characteristic.iid, place, &log)
      service.characteristics.append(characteristic)
    }
    remarkUnknown(
      members, besides: ["HAK.uuid", "HAK.instanceid", "HAK.hidden", "HAK.primary", "HAK.characteristics"], place)
    return service
  }
}
