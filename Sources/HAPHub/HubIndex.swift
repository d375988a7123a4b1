import HAPHome
import HAPModel
import HAPWire

/// Where the accessories and characteristics of all homes are. It is made again when accessories change.
struct HubIndex {
  struct Entry {
    let home: HomeObjectID
    let id: HomeObjectID
    let aid: UInt64
    let isBridged: Bool
  }

  struct Target {
    let home: HomeObjectID
    let accessory: HomeObjectID
    let device: DeviceID
    /// The characteristic in requests to the device.
    let id: AttributeID
    let isBridged: Bool
    let permissions: Permissions
    let format: Format
    /// Whether it is in Accessory Information: a bridge answers for the accessory.
    let isInformation: Bool
  }

  /// The accessories of each device by their aid.
  private(set) var accessories: [DeviceID: [UInt64: Entry]] = [:]
  /// The devices of the accessories, and their aids.
  private(set) var places: [HomeObjectID: (device: DeviceID, aid: UInt64)] = [:]
  private(set) var targets: [HomeObjectID: Target] = [:]
  /// The characteristics of each device.
  private(set) var characteristics: [DeviceID: [HomeObjectID]] = [:]
  /// The devices to which requests are refused.
  private(set) var blocked: Set<DeviceID> = []

  private static let information: TypeID = 0x3E

  init() {}

  init(_ model: HomeModel) {
    for home in model.homes {
      for accessory in home.accessories {
        let (device, aid) = (accessory.deviceID, accessory.aid)
        if accessory.isBlocked { blocked.insert(device) }
        places[accessory.id] = (device, aid)
        accessories[device, default: [:]][aid] = Entry(
          home: home.id, id: accessory.id, aid: aid, isBridged: accessory.bridge != nil)
        for service in accessory.services {
          for characteristic in service.characteristics {
            characteristics[device, default: []].append(characteristic.id)
            targets[characteristic.id] = Target(
              home: home.id, accessory: accessory.id, device: device,
              id: AttributeID(aid: aid, iid: characteristic.iid), isBridged: accessory.bridge != nil,
              permissions: characteristic.permissions, format: characteristic.rules.format,
              isInformation: service.type == Self.information)
          }
        }
      }
    }
  }

  /// Returns the characteristic of a device; nil if no home has it.
  func characteristic(_ id: AttributeID, of device: DeviceID) -> HomeObjectID? {
    guard let accessory = accessories[device]?[id.aid] else { return nil }
    let characteristic = accessory.id.part(iid: id.iid)
    return targets[characteristic] == nil ? nil : characteristic
  }

  /// The accessories of a device, the device itself first.
  func accessories(of device: DeviceID) -> [Entry] {
    (accessories[device]?.values).map { $0.sorted { ($0.isBridged ? 1 : 0, $0.aid) < ($1.isBridged ? 1 : 0, $1.aid) } }
      ?? []
  }

  /// Groups characteristics by their device, in the order of the request; unknown ones are left out.
  func byDevice(_ ids: some Sequence<HomeObjectID>) -> [(device: DeviceID, ids: [HomeObjectID])] {
    var groups: [DeviceID: [HomeObjectID]] = [:]
    for id in ids { if let target = targets[id] { groups[target.device, default: []].append(id) } }
    return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension HomeModel {
  /// Returns an accessory and its home.
  func accessory(_ id: HomeObjectID) -> (home: Home, accessory: HomeAccessory)? {
    for home in homes { if let accessory = home.accessories.find(id) { return (home, accessory) } }
    return nil
  }

  /// Returns a trigger's home.
  func home(ofTrigger id: HomeObjectID) -> Home? { homes.first { $0.triggers.find(id) != nil } }
}

extension Value {
  /// The value in the kind of a format. Before the database is read, the port passes the kinds of JSON, in which true
  /// can be 1 and bytes are Base64. Others stay as they are.
  func inKind(of format: Format) -> Value {
    switch (format, self) {
    case (.bool, .integer(let number)) where number == 0 || number == 1: .bool(number == 1)
    case (.float, .integer(let number)): .float(Double(number))
    case (_, .bool(let isTrue)) where format.integerRange != nil: .integer(isTrue ? 1 : 0)
    case (_, .float(let number)) where format.integerRange != nil: Int128(exactly: number).map { .integer($0) } ?? self
    case (.data, .string(let text)), (.tlv8, .string(let text)): Base64.decode(text).map { .data($0) } ?? self
    default: self
    }
  }
}
