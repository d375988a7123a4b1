import HAPModel
import HAPWire
import Testing

@testable import HAPProfile

@Suite("Copies of devices as profiles") struct DeviceCopyTests {
  private static let lampInformation = Service(
    iid: 1, type: 0x3E,
    characteristics: [
      Characteristic(iid: 2, type: 0x14, format: .bool, perms: .pairedWrite),
      Characteristic(iid: 3, type: 0x23, format: .string, perms: .pairedRead, value: "Ann's Lamp"),
      Characteristic(iid: 4, type: 0x30, format: .string, perms: .pairedRead, value: "C02XYZ"),
      Characteristic(iid: 5, type: 0x21, format: .string, perms: .pairedRead, value: "L-1"),
    ])

  private func lamp(_ services: Service..., aid: UInt64 = 1) -> Accessory {
    Accessory(aid: aid, services: [Self.lampInformation] + services)
  }

  private func profile(_ copy: DeviceCopy) throws -> AccessoryProfile {
    try AccessoryProfile(json: Array(copy.profileText.utf8), fileName: "copy")
  }

  /// The accessories built from the copy's profile.
  private func rebuilt(_ copy: DeviceCopy) throws -> [Accessory] {
    var ids = IDMap()
    return try profile(copy).build(ids: &ids, deviceID: testDeviceID).database.accessories.map(onTheWire)
  }

  /// The accessories without members that controllers can't see.
  private func onTheWire(_ accessory: Accessory) -> Accessory {
    var accessory = accessory
    for service in accessory.services.indices {
      for slot in accessory.services[service].characteristics.indices {
        accessory.services[service].characteristics[slot].persists = false
        accessory.services[service].characteristics[slot].adminOnly = []
      }
    }
    return accessory
  }

  @Test("An exact profile adds nothing, and rule violations of devices are served unchanged")
  func odd() throws {
    let long = String(repeating: "x", count: 100)
    let odd = Accessory(
      aid: 1,
      services: [
        Service(
          iid: 9, type: 0x3E, isPrimary: true,
          characteristics: [
            Characteristic(iid: 8, type: 0x23, format: .string, perms: .pairedRead, value: .string("\u{1}" + long)),
            Characteristic(iid: 7, type: 0x30, format: .string, perms: .pairedRead, value: ""),
            Characteristic(iid: 6, type: 0x21, format: .string, perms: .pairedRead, value: .string(long)),
            Characteristic(iid: 5, type: 0x52, format: .string, perms: .pairedRead, value: "v2"),
          ]),
        Service(iid: 10, type: 0x3E, isPrimary: true, isHidden: true, linked: [10, 11, 11]),
        Service(
          iid: 1, type: 0x43,
          characteristics: [
            Characteristic(iid: 20, type: 0x25, format: .uint8, perms: [], value: .null),
            Characteristic(iid: 21, type: 0x25, format: .bool, perms: .pairedRead, value: .null),
            Characteristic(
              iid: 22, type: 0x8, format: .int, perms: [.pairedRead, .events], value: 700, unit: .lux,
              description: "What \"it\" is",
              constraints: Constraints(
                minValue: 10, maxValue: 5, minStep: 0, maxLen: .max, maxDataLen: 3, validValues: [3, 1],
                validValuesRange: 900...901)),
            Characteristic(
              iid: 23, type: 0xA6, format: .string, perms: [.pairedRead, .timedWrite], value: .string(long),
              constraints: Constraints(minValue: 1)),
          ]),
        Service(iid: 11, type: TypeID("F0000001-0000-1000-8000-0026BB765292")!, linked: [9]),
      ])
    var copy = DeviceCopy([odd])
    #expect(copy.mend() == [])
    let profile = try profile(copy)
    #expect(profile.problems.filter { $0.severity == .error } == [])
    #expect(profile.isExact && profile.name == String(repeating: "x", count: 64))
    #expect(try rebuilt(copy) == [odd])
    var ids = IDMap()
    #expect(try profile.build(ids: &ids, deviceID: testDeviceID).model.utf8.count == 64)
    #expect(profile.problems.contains { $0.rule == "iid-of-information" })
  }

  @Test("An unreadable Name is not used as the name")
  func unreadableName() throws {
    var accessory = lamp()
    accessory.services[0].characteristics[1].perms = .pairedWrite
    let once = DeviceCopy([accessory])
    #expect(try profile(once).name == "Accessory 1")
    #expect(DeviceCopy(try rebuilt(once)).profileText == once.profileText)
  }

  @Test("A bridge keeps its order and aids; aid 1 is assigned if it is missing, and surplus accessories are left out")
  func bridge() throws {
    var copy = DeviceCopy([lamp(aid: 7), lamp(aid: 1), lamp(aid: 3)])
    #expect(copy.mend() == ["accessory 1 was moved to the front"])
    #expect(try rebuilt(copy) == [lamp(aid: 1), lamp(aid: 7), lamp(aid: 3)])
    #expect(try profile(copy).category == .bridge)
    copy = DeviceCopy([lamp(aid: 5), lamp(aid: 3)])
    #expect(copy.mend() == ["accessory 5 became accessory 1, because there was none"])
    #expect(try rebuilt(copy).map(\.aid) == [1, 3])
    copy = DeviceCopy((1...152).map { lamp(aid: $0) })
    #expect(copy.mend() == ["2 accessories after the first 150 are left out"])
    #expect(try rebuilt(copy).count == 150)
    copy = DeviceCopy([])
    #expect(copy.mend() == [])
  }

  @Test("The category is that of the main service, unless it is given")
  func category() throws {
    let motion = Service(iid: 9, type: 0x85)
    let light = Service(iid: 10, type: 0x43, isPrimary: true)
    #expect(try profile(DeviceCopy([lamp(motion, light)])).category == .lightbulb)
    #expect(try profile(DeviceCopy([lamp(motion)])).category == .sensor)
    #expect(try profile(DeviceCopy([lamp()])).category == .other)
    var copy = DeviceCopy([lamp(light)])
    copy.category = .television
    #expect(try profile(copy).category == .television)
  }

  @Test("By default, manufacturer, model and serial number identify an exact accessory")
  func key() throws {
    #expect(try profile(DeviceCopy([lamp()])).key == "serial:/L-1/C02XYZ")
  }

  @Test("A redacted profile has no personal data, but is otherwise complete")
  func redacted() throws {
    let secret = Service(
      iid: 30, type: TypeID("F0000001-0000-1000-8000-0026BB765292")!,
      characteristics: [
        Characteristic(
          iid: 31, type: TypeID("F0000002-0000-1000-8000-0026BB765292")!, format: .data, perms: .pairedRead,
          value: .data([1, 2, 3]), description: "Ann's key"),
        Characteristic(
          iid: 32, type: TypeID("F0000003-0000-1000-8000-0026BB765292")!, format: .string, perms: .pairedRead,
          value: "s3cret"),
        Characteristic(iid: 33, type: 0x23, format: .string, perms: .pairedRead, value: "Ann's Drawer"),
        Characteristic(iid: 34, type: 0x8, format: .int, perms: .pairedRead, value: 40),
      ])
    var copy = DeviceCopy([lamp(secret), lamp(secret, aid: 2)])
    copy.deviceID = testDeviceID
    copy.setupCode = try SetupCode("031-45-154")
    copy.setupID = SetupID("7OSX")
    let before = copy.profileText
    for word in ["Ann", "C02XYZ", "s3cret", "AQID", "031-45-154", "7OSX", testDeviceID.text] {
      #expect(before.contains(word), "\(word)")
    }
    copy.redact()
    let text = copy.profileText
    for word in ["Ann", "C02XYZ", "s3cret", "AQID", "031-45-154", "7OSX", testDeviceID.text] {
      #expect(!text.contains(word), "\(word)")
    }
    #expect(try profile(copy).isServable)
    let rebuilt = try rebuilt(copy)
    #expect(rebuilt.map(\.aid) == [1, 2])
    #expect(rebuilt[1].services[1].characteristics.map(\.value) == [.data([]), "", "Service 2", 40])
    #expect(rebuilt[1].services[0].characteristics.map(\.value) == [.null, "Accessory 2", "REDACTED-2", "L-1"])
  }

  @Test("Valid values of a bool are no wider than Apple's, although a bool has no limits")
  func validValuesOfBool() {
    let text = """
      { "format": "hasaccessory/1", "exact": true, "name": "T", "services": [ { "type": "LightBulb", "characteristics": [
        { "type": "On", "format": "bool", "perms": ["pr"], "value": true, "valid-values": [5] } ] } ] }
      """
    #expect(problems(text).map(\.rule) == ["metadata-format"])
  }

  @Test("An exact profile states format and perms of each characteristic")
  func missing() {
    let text =
      #"{ "format": "hasaccessory/1", "exact": true, "name": "T", "services": [ { "type": "LightBulb", "characteristics": [ { "type": "On" } ] } ] }"#
    #expect(problems(text).map(\.rule) == ["service-empty", "custom-metadata", "custom-metadata"])
    #expect(problems(text.split(separator: "true").joined(separator: "7")).first?.rule == "member-kind")
  }
}
