import HAPHome
import HAPModel

extension DeviceDescription {
  /// A lock, a motion sensor, a bridge with two colour lights, a strip of two outlets, and a thermostat.
  static var all: [DeviceDescription] {
    [
      device(1, [.with(1, "Front Door Lock", [.lock])], category: 6),
      device(2, [.with(1, "Motion Sensor", [.motion])], category: 10),
      device(
        3, [.with(1, "Bridge", []), .with(2, "Stereo Light", [.light]), .with(3, "Kitchen Light", [.light])],
        category: 2), device(4, [.with(1, "Strip", [.outlet(20, "Left"), .outlet(40, "Right")])], category: 7),
      device(5, [.with(1, "Thermostat", [.thermostat])], category: 9),
    ]
  }

  static func device(_ number: UInt8, _ accessories: [Accessory], category: UInt8) -> DeviceDescription {
    DeviceDescription(
      device: DeviceID.test(number), configurationNumber: 1, category: category, accessories: accessories)
  }
}

extension DeviceID {
  static func test(_ number: UInt8) -> DeviceID {
    guard let id = DeviceID(bytes: [0xAA, 0xBB, 0xCC, 0, 0, number]) else { preconditionFailure("six bytes") }
    return id
  }
}

extension Accessory {
  static func with(_ aid: UInt64, _ name: String, _ services: [Service]) -> Accessory {
    let information = Service(
      iid: 1, type: 0x3E,
      characteristics: [
        .with(2, 0x23, .string, [.pairedRead], value: .string(name)),
        .with(3, 0x20, .string, [.pairedRead], value: "hapsim"),
      ])
    return Accessory(aid: aid, services: [information] + services)
  }
}

extension Service {
  static var light: Service {
    Service(
      iid: 10, type: 0x43, isPrimary: true,
      characteristics: [
        .with(11, 0x25, .bool), .with(12, 0x8, .int, limits: Constraints(minValue: 0, maxValue: 100, minStep: 1)),
        .with(13, 0x13, .float, limits: Constraints(minValue: 0.0, maxValue: 360.0, minStep: 1.0)),
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
        .with(11, 0x11, .float, [.pairedRead, .events], unit: .celsius),
        .with(12, 0x35, .float, limits: Constraints(minValue: 10.0, maxValue: 38.0, minStep: 0.5), unit: .celsius),
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
}

extension Characteristic {
  static func with(
    _ iid: UInt64, _ type: TypeID, _ format: Format, _ perms: Permissions = [.pairedRead, .pairedWrite, .events],
    value: Value = .null, limits: Constraints = Constraints(), unit: Unit? = nil
  ) -> Characteristic {
    Characteristic(
      iid: iid, type: type, format: format, perms: perms, value: value, unit: unit, constraints: limits)
  }
}
