import HAPAlmanac
import HAPModel
import HAPTestSupport

@testable import HAPHome
@testable import HAPHomeEngine

/// A model under test, with the time and the identifiers of its commands.
struct HomeBench {
  var model = HomeModel()
  var generator = SeededGenerator(seed: 1)
  var now = Instant(seconds: 1_780_000_000)
  var policy = HomePolicy()

  static let cupertino = Coordinate(latitude: 37.33, longitude: -122.03)!

  @discardableResult
  mutating func perform(_ command: HomeCommand, as user: HomeObjectID? = nil) throws(HomeError) -> [HomeChange] {
    let context = HomeContext(now: now, user: user, policy: policy) { $0.text == "Nowhere/City" ? nil : .utc }
    return try model.perform(command, in: context, using: &generator)
  }

  /// Returns the error of a command that must be refused, and checks that it changes nothing.
  mutating func refusal(_ command: HomeCommand, as user: HomeObjectID? = nil) -> Refusal? {
    let before = model
    do throws(HomeError) {
      try perform(command, as: user)
      return nil
    } catch {
      return Refusal(code: error.code.rawValue, rule: error.rule, changesNothing: model == before)
    }
  }

  /// Adds a home and returns its identifier.
  mutating func addHome(_ name: String = "My Home", location: Coordinate? = cupertino) throws -> HomeObjectID {
    try perform(.addHome(name: name, zone: .utc, location: location, owner: "Anna"))
    return model.homes.last!.id
  }

  mutating func addRoom(_ name: String, to home: HomeObjectID) throws -> HomeObjectID {
    try perform(.addRoom(home: home, name: name))
    return model.home(home)!.rooms.last!.id
  }

  mutating func addZone(_ name: String, to home: HomeObjectID) throws -> HomeObjectID {
    try perform(.addZone(home: home, name: name))
    return model.home(home)!.zones.last!.id
  }

  mutating func addGroup(_ name: String, to home: HomeObjectID) throws -> HomeObjectID {
    try perform(.addGroup(home: home, name: name))
    return model.home(home)!.groups.last!.id
  }

  mutating func addSet(_ name: String, to home: HomeObjectID) throws -> HomeObjectID {
    try perform(.addActionSet(home: home, name: name))
    return model.home(home)!.actionSets.last!.id
  }

  mutating func addTrigger(_ name: String, _ kind: Trigger.Kind, to home: HomeObjectID) throws -> HomeObjectID {
    try perform(.addTrigger(home: home, name: name, kind))
    return model.home(home)!.triggers.last!.id
  }

  /// Adds a device and returns its first accessory.
  mutating func add(_ device: DeviceDescription, to home: HomeObjectID) throws -> HomeAccessory {
    try perform(.addDevice(home: home, device))
    return model.home(home)!.accessories.first { $0.deviceID == device.device }!
  }

  /// A time, `minutes` after now, at a full minute.
  func minute(after minutes: Int64) -> Instant {
    Instant(seconds: (now.seconds / 60 + minutes) * 60)
  }
}

/// The relevant parts of an error.
struct Refusal: Equatable {
  var code: Int
  var rule: HomeRule?
  var changesNothing = true

  init(_ code: Int, _ rule: HomeRule?) { (self.code, self.rule) = (code, rule) }

  init(code: Int, rule: HomeRule?, changesNothing: Bool) {
    (self.code, self.rule, self.changesNothing) = (code, rule, changesNothing)
  }
}

// MARK: Devices

extension DeviceDescription {
  static func device(_ number: UInt8, _ accessories: [Accessory], category: UInt8 = 5, c: UInt32 = 1) -> Self {
    DeviceDescription(
      device: DeviceID(bytes: [0xAA, 0xBB, 0xCC, 0, 0, number])!, configurationNumber: c, category: category,
      accessories: accessories)
  }

  /// A colour light: On, Brightness, Hue.
  static func light(_ number: UInt8, _ name: String? = "Lamp") -> Self {
    device(number, [.light(aid: 1, name)])
  }

  /// A bridge with a light for each name.
  static func bridge(_ number: UInt8, _ name: String = "Bridge", lights: [String]) -> Self {
    let bridged = lights.enumerated().map { Accessory.light(aid: UInt64($0 + 2), $1) }
    return device(number, [.with(aid: 1, name, [])] + bridged, category: 2)
  }
}

extension Accessory {
  static func with(
    aid: UInt64, _ name: String?, _ services: [Service], firmware: String = "1.0", maker: String = "Acme"
  ) -> Accessory {
    var texts: [Characteristic] = [
      .text(3, 0x20, maker), .text(4, 0x21, "M1"), .text(5, 0x30, "S\(aid)"), .text(6, 0x52, firmware),
    ]
    if let name { texts.append(.text(2, 0x23, name)) }
    return Accessory(aid: aid, services: [Service(iid: 1, type: 0x3E, characteristics: texts)] + services)
  }

  static func light(aid: UInt64, _ name: String?, maximum: Int = 100) -> Accessory {
    .with(aid: aid, name, [.light(iid: 10, name, maximum: maximum)])
  }
}

extension Service {
  static func light(iid: UInt64, _ name: String?, maximum: Int = 100) -> Service {
    var service = Service(
      iid: iid, type: 0x43, isPrimary: true,
      characteristics: [
        Characteristic(iid: iid + 1, type: 0x25, format: .bool, perms: .control, value: false),
        Characteristic(
          iid: iid + 2, type: 0x8, format: .int, perms: .control, value: 0,
          constraints: Constraints(minValue: 0, maxValue: .integer(Int128(maximum)), minStep: 1)),
        Characteristic(
          iid: iid + 3, type: 0x13, format: .float, perms: .control, value: 0.0, unit: .arcdegrees,
          constraints: Constraints(minValue: 0.0, maxValue: 360.0, minStep: 1.0)),
      ])
    if let name { service.characteristics.append(.text(iid + 9, 0x23, name)) }
    return service
  }

  /// A service with one characteristic, and Name if it is given.
  static func single(iid: UInt64, _ type: TypeID, _ characteristic: Characteristic, name: String? = nil) -> Service {
    var service = Service(iid: iid, type: type, characteristics: [characteristic])
    if let name { service.characteristics.append(.text(iid + 9, 0x23, name)) }
    return service
  }
}

extension Characteristic {
  static func text(_ iid: UInt64, _ type: TypeID, _ text: String) -> Characteristic {
    Characteristic(iid: iid, type: type, format: .string, perms: .pairedRead, value: .string(text))
  }
}

extension Permissions {
  static let control: Permissions = [.pairedRead, .pairedWrite, .events]
}

extension HomeAccessory {
  /// The identifier of a characteristic by its type, in any service.
  func id(_ type: TypeID) -> HomeObjectID {
    services.flatMap(\.characteristics).first { $0.type == type }!.id
  }
}

extension Trigger.Kind {
  static func on(_ event: HomeEvent, if condition: Condition? = nil) -> Trigger.Kind {
    .event(EventTrigger(events: [event], condition: condition))
  }
}

extension DateParts {
  /// A time of the day: the hour, at minute 0.
  static func hour(_ hour: Int) -> DateParts { try! DateParts(hour: hour, minute: 0) }
}
