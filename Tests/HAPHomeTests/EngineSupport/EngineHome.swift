import HAPAlmanac
import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

/// The objects of the home in tests of the engine.
extension HomeObjectID {
  static func test(_ number: Int) -> HomeObjectID {
    let digits = String(number, radix: 16)
    return HomeObjectID("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)!
  }

  static let home = test(1)
  static let anna = test(2), ben = test(3), carl = test(4)
  /// Current state of a lock: 0 is unsecured, 1 secured.
  static let lock = test(10)
  /// A Boolean that notifies.
  static let motion = test(11)
  /// A Boolean that does not notify: it has to be read.
  static let window = test(12)
  /// °C in steps of 0.1.
  static let temperature = test(13)
  /// Percent, without a step.
  static let battery = test(14)
  static let button = test(15)
  static let text = test(16)
  static let lampOn = test(20), lampBrightness = test(21), lampHue = test(22)
  /// Not readable.
  static let identify = test(23)
  /// "hi house" sets On and Hue; "bye house" clears On and Brightness; "empty" does nothing.
  static let hiHouse = test(30), byeHouse = test(31), empty = test(32)
}

extension Home {
  static let berlin = Coordinate(latitude: 52.52, longitude: 13.405)!

  static func test(zone: String = "Europe/Berlin", location: Coordinate? = berlin) -> Home {
    var home = Home(
      id: .home, name: HomeName("My Home"), zone: ZoneName(zone)!, location: location,
      roomForEntireHome: Room(id: .test(5), name: HomeName("Everywhere")),
      users: [
        HomeUser(id: .anna, name: "Anna", role: .owner), HomeUser(id: .ben, name: "Ben", role: .administrator),
        HomeUser(id: .carl, name: "Carl", role: .guest),
      ])
    let sensor: Permissions = [.pairedRead, .events]
    home.accessories = [
      .test(50, "Front Door Lock", [(.lock, 0x1D, .uint8, sensor, Constraints(), nil)]),
      .test(51, "Motion Sensor", [(.motion, 0x22, .bool, sensor, Constraints(), nil)]),
      .test(52, "Window", [(.window, 0x6A, .bool, .pairedRead, Constraints(), nil)]),
      .test(
        53, "Thermometer",
        [
          (.temperature, 0x11, .float, sensor, Constraints(minStep: 0.1), .celsius),
          (.battery, 0x68, .float, sensor, Constraints(), .percentage),
          (.text, 0x20, .string, sensor, Constraints(), nil),
        ]),
      .test(54, "Button", [(.button, 0x73, .uint8, sensor, Constraints(), nil)]),
      .test(
        55, "Stereo Light",
        [
          (.lampOn, 0x25, .bool, .control, Constraints(), nil),
          (.lampBrightness, 0x8, .int, .control, Constraints(minStep: 1), .percentage),
          (.lampHue, 0x13, .float, .control, Constraints(minStep: 1.0), .arcdegrees),
          (.identify, 0x14, .bool, .pairedWrite, Constraints(), nil),
        ]),
    ]
    home.actionSets = [
      ActionSet(
        id: .hiHouse, name: HomeName("hi house"), kind: .homeArrival,
        actions: [HomeAction(.lampOn, true), HomeAction(.lampHue, 120.0)]),
      ActionSet(
        id: .byeHouse, name: HomeName("bye house"), kind: .homeDeparture,
        actions: [HomeAction(.lampOn, false), HomeAction(.lampBrightness, 0)]),
      ActionSet(id: .empty, name: HomeName("empty"), kind: .userDefined),
    ]
    return home
  }
}

extension HomeAccessory {
  typealias TestCharacteristic = (HomeObjectID, TypeID, Format, Permissions, Constraints, Unit?)

  static func test(_ number: Int, _ name: String, _ characteristics: [TestCharacteristic]) -> HomeAccessory {
    let device = DeviceID(bytes: [0xAA, 0xBB, 0xCC, 0, 0, UInt8(number)])!
    let service = HomeService(
      id: .test(number + 100), iid: 1, type: 0x43, name: HomeName(name), associatedType: nil, isPrimary: true,
      isUserInteractive: true, linked: [],
      characteristics: characteristics.enumerated().map { index, part in
        HomeCharacteristic(
          id: part.0, iid: UInt64(index + 2), type: part.1, permissions: part.3,
          rules: ValueRules(format: part.2, constraints: part.4), unit: part.5, description: nil)
      })
    return HomeAccessory(
      id: .test(number), name: HomeName(name), room: .test(5), category: 1, transport: .hap(device, aid: 1),
      bridge: nil,
      services: [service], information: AccessoryInformation(), configurationNumber: 1)
  }
}

extension Trigger {
  static func test(
    _ number: Int, _ kind: Kind, sets: [HomeObjectID] = [.hiHouse], isEnabled: Bool = true
  ) -> Trigger {
    Trigger(
      id: .test(1000 + number), name: HomeName("trigger \(number)"), kind: kind, actionSets: sets, isEnabled: isEnabled)
  }
}
