import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

extension CommandMaker {
  /// A device: a light or a bridge with up to 3 lights. In one of 15 cases its database is invalid.
  mutating func device(_ number: UInt8) -> DeviceDescription {
    var device: DeviceDescription
    if chance(50) {
      device = .device(number, [accessory(aid: 1)])
    } else {
      let bridged = (2..<5).filter { _ in chance(60) }.map { accessory(aid: UInt64($0)) }
      device = .device(number, [.with(aid: 1, suppliedName(), [])] + bridged, category: 2)
      if chance(30) { device.accessories.reverse() }
    }
    device.configurationNumber = UInt32(self.number(below: 3) + 1)
    guard chance(7) else { return device }
    switch self.number(below: 3) {
    case 0: device.accessories.removeAll { $0.aid == 1 }
    case 1: device.accessories.append(device.accessories[0])
    default: device.accessories[0].services[0].iid = 0
    }
    return device
  }

  /// The device of the command is most often one of the home, with a changed database.
  mutating func updateDevice(_ home: Home?) -> HomeCommand {
    let home = home
    let known = home?.accessories.filter { $0.bridge == nil }.map { $0.deviceID.bytes[5] } ?? []
    let number = chance(90) ? pick(known) ?? 1 : 9
    return .updateDevice(home: id(home.map { [$0.id] } ?? []), device(number))
  }

  private mutating func suppliedName() -> String? {
    pick(["Lamp", "lamp", "MyBulb_1", "🙂", "Kitchen", "Villa", nil, "  ", String(repeating: "x", count: 70)])!
  }

  private mutating func accessory(aid: UInt64) -> Accessory {
    var services = [light(iid: 10)]
    if chance(30) { services.append(light(iid: 30)) }
    if chance(20) {
      let vendor = TypeID("12345678-0000-1000-8000-000000000001")!
      let on = Characteristic(iid: 51, type: 0x25, format: .bool, perms: .control, value: false)
      services.append(.single(iid: 50, chance(50) ? vendor : 0xA2, on, name: chance(50) ? "Fade" : nil))
    }
    return .with(
      aid: aid, suppliedName(), services, firmware: chance(80) ? "1.0" : "2.0", maker: chance(90) ? "Acme" : "B")
  }

  /// A light with the limits and permissions of one of several versions, and with other characteristics.
  private mutating func light(iid: UInt64) -> Service {
    var service = Service.light(iid: iid, suppliedName(), maximum: chance(70) ? 100 : 50)
    service.isHidden = chance(5)
    if chance(10) { service.characteristics[0].perms = [.pairedRead, .events] }
    if chance(10) { service.characteristics[1].perms = [.pairedRead, .pairedWrite] }
    if chance(10) { service.characteristics.remove(at: 2) }
    if chance(60) {
      service.characteristics += [
        Characteristic(
          iid: iid + 5, type: 0x73, format: .uint8, perms: [.pairedWrite, .events],
          constraints: Constraints(validValues: [0, 1, 3])),
        Characteristic(
          iid: iid + 6, type: 0x20, format: .string, perms: .control, value: "", constraints: Constraints(maxLen: 4)),
        Characteristic(iid: iid + 7, type: 0x4C, format: .tlv8, perms: [.pairedRead, .events]),
      ]
    }
    return service
  }
}
