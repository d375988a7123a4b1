import HAPAlmanac
import HAPHome
import HAPModel
import HAPTestSupport
import HAPWire

@testable import HAPHomeFile

/// A model, and the time and identifiers of its commands.
struct HomeFileBench {
  var model = HomeModel()
  var random: SeededGenerator
  static let now = Instant(seconds: 1_780_000_000)
  static let city = ZoneName("Test/City")!

  init(seed: UInt64 = 1) { random = SeededGenerator(seed: seed) }

  static func zoneRules(_ zone: ZoneName) -> ZoneRules? {
    switch zone {
    case .utc: .utc
    case city: try? ZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3")
    default: nil
    }
  }

  static let context = HomeContext(now: now, zoneRules: zoneRules)

  var home: Home { model.homes[0] }

  @discardableResult
  mutating func perform(_ command: HomeCommand) throws(HomeError) -> [HomeChange] {
    try model.perform(command, in: Self.context, using: &random)
  }

  /// Creates a home with all devices and users.
  static func filled(seed: UInt64 = 1, name: String = "My Home", zone: ZoneName = .utc) throws -> HomeFileBench {
    var bench = HomeFileBench(seed: seed)
    let place = Coordinate(latitude: 37.33, longitude: -122.03)
    try bench.perform(.addHome(name: name, zone: zone, location: place, owner: "Anna"))
    for device in DeviceDescription.all { try bench.perform(.addDevice(home: bench.home.id, device)) }
    for user in ["Ben", "Cleo"] { try bench.perform(.addUser(home: bench.home.id, name: user, role: .guest)) }
    return bench
  }

  // MARK: Documents

  /// Returns the plan of a document.
  func plan(_ text: String, prune: Bool = false, home: HomeObjectID? = nil) throws(HomeFileProblems) -> HomeFilePlan {
    try plan(try HomeFile.read(Array(text.utf8)), prune: prune, home: home)
  }

  func plan(_ file: HomeFile, prune: Bool = false, home: HomeObjectID? = nil) throws(HomeFileProblems) -> HomeFilePlan {
    var options = HomeFile.PlanOptions()
    (options.removesOthers, options.home, options.owner) = (prune, home, "Anna")
    var random = random
    return try file.plan(for: model, options, in: Self.context, using: &random)
  }

  /// Applies a document, and checks that the changes have the same effect and that a second time changes nothing.
  @discardableResult
  mutating func apply(_ text: String, prune: Bool = false) throws -> [String] {
    let plan = try plan(text, prune: prune)
    var copy = model
    copy.apply(plan.changes)
    guard copy == plan.model else { throw Wrong("the changes make another model than the commands") }
    model = plan.model
    random = SeededGenerator(seed: random.next())
    guard try self.plan(text, prune: prune).steps.isEmpty else { throw Wrong("a second time changes something") }
    return plan.differences.map(\.text)
  }

  /// Returns the problems of a document as texts.
  func problems(_ text: String, prune: Bool = false) -> [String] {
    do throws(HomeFileProblems) {
      _ = try plan(text, prune: prune)
      return []
    } catch { return error.problems.map(\.description) }
  }

  var file: HomeFile { HomeFile(of: home, zoneRules: Self.zoneRules) }
}

struct Wrong: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

// MARK: Devices

extension DeviceDescription {
  /// A lock, a bridge with two lights, a motion sensor, a thermostat, a strip with two outlets, and a vendor's device.
  static var all: [DeviceDescription] {
    [
      device(1, [.with(1, "Front Door Lock", [.lock])], category: 6),
      device(
        3, [.with(1, "Bridge", []), .with(2, "Stereo Light", [.light]), .with(3, "Kitchen Light", [.light])],
        category: 2),
      device(4, [.with(1, "Motion Sensor", [.motion])]),
      device(5, [.with(1, "Thermostat", [.thermostat])]),
      device(6, [.with(1, "Strip", [.outlet(20, "Left"), .outlet(40, "Right")])]),
      device(7, [.with(1, "A/B@1\\", [.vendor])]),
    ]
  }

  static func device(_ number: UInt8, _ accessories: [Accessory], category: UInt8 = 5) -> DeviceDescription {
    DeviceDescription(
      device: DeviceID(bytes: [0xAA, 0xBB, 0xCC, 0, 0, number])!, configurationNumber: 1, category: category,
      accessories: accessories)
  }
}

extension Accessory {
  static func with(_ aid: UInt64, _ name: String, _ services: [Service]) -> Accessory {
    let information = Service(
      iid: 1, type: 0x3E, characteristics: [.with(2, 0x23, .string, [.pairedRead], value: .string(name))])
    return Accessory(aid: aid, services: [information] + services)
  }
}

extension Service {
  static var light: Service {
    Service(
      iid: 10, type: 0x43, isPrimary: true,
      characteristics: [
        .with(11, 0x25, .bool), .with(12, 0x8, .int, limits: Constraints(minValue: 0, maxValue: 100, minStep: 1)),
        .with(13, 0x13, .float, limits: Constraints(minValue: 0.0, maxValue: 360.0, minStep: 0.5)),
      ])
  }
  static var lock: Service {
    Service(
      iid: 10, type: 0x45,
      characteristics: [
        .with(11, 0x1D, .uint8, [.pairedRead, .events], limits: Constraints(minValue: 0, maxValue: 3)),
        .with(12, 0x1E, .uint8, limits: Constraints(minValue: 0, maxValue: 1)),
      ])
  }
  static var motion: Service {
    Service(iid: 10, type: 0x85, characteristics: [.with(11, 0x22, .bool, [.pairedRead, .events])])
  }
  static var thermostat: Service {
    Service(
      iid: 10, type: 0x4A,
      characteristics: [
        .with(11, 0x11, .float, [.pairedRead, .events]),
        .with(12, 0x35, .float, limits: Constraints(minValue: 10.0, maxValue: 38.0, minStep: 0.1)),
      ])
  }
  static func outlet(_ iid: UInt64, _ name: String) -> Service {
    Service(
      iid: iid, type: 0x47,
      characteristics: [
        .with(iid + 1, 0x25, .bool), .with(iid + 2, 0x26, .bool, [.pairedRead, .events]),
        .with(iid + 3, 0x23, .string, [.pairedRead], value: .string(name)),
      ])
  }
  static var vendor: Service {
    let type = { (number: Int) in TypeID("1D9E000\(number)-63A1-4C9B-9B5A-0C34A1E0B001")! }
    return Service(
      iid: 10, type: type(0),
      characteristics: [
        .with(11, type(1), .string, limits: Constraints(maxLen: 200)), .with(12, type(2), .data),
        .with(13, type(3), .uint64),
        .with(14, type(4), .int), .with(15, type(4), .tlv8), .with(16, 0x23, .string, [.pairedRead], value: "@10"),
      ])
  }
}

extension Characteristic {
  static func with(
    _ iid: UInt64, _ type: TypeID, _ format: Format, _ perms: Permissions = [.pairedRead, .pairedWrite, .events],
    value: Value = .null, limits: Constraints = Constraints()
  ) -> Characteristic {
    Characteristic(iid: iid, type: type, format: format, perms: perms, value: value, constraints: limits)
  }
}

extension HomeAccessory {
  func characteristic(_ iid: UInt64) -> HomeObjectID { id.part(iid: iid) }
}
