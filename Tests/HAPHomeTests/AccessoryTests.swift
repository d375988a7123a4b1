import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Accessories of a home")
struct AccessoryTests {
  @Test("HOME.A1 a new accessory is in the room for the entire home, with its services and texts")
  func added() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    _ = try bench.addRoom("Kitchen", to: home)
    let changes = try bench.perform(.addDevice(home: home, .light(1, "Stereo Light")))
    let lamp = bench.model.home(home)!.accessories[0]
    #expect(changes == [HomeChange(home, .accessoryAdded(lamp))])
    #expect(lamp.room == bench.model.home(home)!.roomForEntireHome.id && lamp.bridge == nil && lamp.category == 5)
    #expect(lamp.deviceID == DeviceID("AA:BB:CC:00:00:01")! && lamp.aid == 1 && !lamp.isBlocked)
    let texts = AccessoryInformation(manufacturer: "Acme", model: "M1", serialNumber: "S1", firmware: "1.0")
    #expect(lamp.information == texts)
    #expect(lamp.services.map(\.isUserInteractive) == [false, true] && lamp.services[1].isPrimary)
    #expect(lamp.services[1].characteristics.map(\.iid) == [11, 12, 13, 19])
    #expect(lamp.services[1].characteristics[1].rules.constraints.maxValue == 100)
    #expect(lamp.services[1].characteristics[2].unit == .arcdegrees)
  }

  @Test("HOME.A2 a bridge brings its accessories, which have rooms of their own and can't be removed alone")
  func bridge() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    // The bridge itself is not the first accessory of its database.
    var device = DeviceDescription.bridge(1, lights: ["A", "B"])
    device.accessories.swapAt(0, 2)
    let added = try bench.perform(.addDevice(home: home, device)).count
    let accessories = bench.model.home(home)!.accessories
    #expect(added == 3 && accessories.map(\.aid) == [1, 3, 2] && accessories.map(\.category) == [2, 0, 0])
    #expect(accessories.map(\.bridge) == [nil, accessories[0].id, accessories[0].id])
    let room = try bench.addRoom("Kitchen", to: home)
    try bench.perform(.moveAccessory(accessories[1].id, room: room))
    #expect(bench.model.home(home)!.accessories.map { $0.room == room } == [false, true, false])
    #expect(try bench.perform(.moveAccessory(accessories[1].id, room: room)).isEmpty)
    #expect(bench.refusal(.removeAccessory(accessories[1].id)) == Refusal(34, .a2))
  }

  @Test("HOME.A3 removing a bridge removes its accessories first; only the bridge can be blocked and unblocked")
  func removedBridge() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let bridge = try bench.add(.bridge(1, lights: ["A", "B"]), to: home)
    _ = try bench.add(.light(2), to: home)
    let bridged = bench.model.home(home)!.accessories.filter { $0.bridge == bridge.id }.map(\.id)
    #expect(bench.refusal(.unblockAccessory(bridged[0])) == Refusal(81, .a3))
    #expect(bench.refusal(.blockAccessory(bridged[0])) == Refusal(48, .a3))
    #expect(try bench.perform(.unblockAccessory(bridge.id)).isEmpty)
    #expect(try bench.perform(.blockAccessory(bridge.id)).map(\.detail) == [.accessoryBlocked(bridge.id)])
    #expect(try bench.perform(.blockAccessory(bridge.id)).isEmpty)
    #expect(try bench.perform(.unblockAccessory(bridge.id)).map(\.detail) == [.accessoryUnblocked(bridge.id)])
    let changes = try bench.perform(.removeAccessory(bridge.id)).map(\.detail)
    #expect(changes == (bridged + [bridge.id]).map { .accessoryRemoved($0) })
    #expect(bench.model.home(home)!.accessories.count == 1)
  }

  @Test("Services without a function for people are not shown; a vendor's service is shown if it has a Name")
  func hiddenServices() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let vendor: TypeID = TypeID("12345678-0000-1000-8000-000000000001")!
    let on = Characteristic(iid: 31, type: 0x25, format: .bool, perms: .control, value: false)
    func service(_ iid: UInt64, _ type: TypeID, name: String? = nil) -> Service {
      var copy = on
      copy.iid = iid + 1
      return .single(iid: iid, type, copy, name: name)
    }
    var hidden = service(100, 0x43, name: "Secret")
    hidden.isHidden = true
    let services = [
      service(20, 0xA2), service(40, 0xCC, name: "Label"), service(60, 0x129), hidden, service(120, vendor),
      service(140, vendor, name: "Fade"), service(160, 0x49),
    ]
    let accessory = try bench.add(.device(1, [.with(aid: 1, "Panel", services)]), to: home)
    #expect(accessory.services.map(\.isUserInteractive) == [false, false, false, false, false, false, true, true])
    #expect(accessory.services.last?.name == HomeName("Panel"))
  }

  @Test("The associated type is that of a service with a function")
  func associatedType() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let on = Characteristic(iid: 21, type: 0x25, format: .bool, perms: .control, value: false)
    let plug = try bench.add(.device(1, [.with(aid: 1, "Plug", [.single(iid: 20, 0x47, on)])]), to: home)
    let service = plug.services[1].id
    for type in [0x3E, 0xA2, 0x9999] as [TypeID] {
      #expect(bench.refusal(.setAssociatedType(service: service, type)) == Refusal(62, nil))
    }
    try bench.perform(.setAssociatedType(service: service, 0x40))
    #expect(bench.model.home(home)!.accessories[0].services[1].associatedType == 0x40)
    #expect(try bench.perform(.setAssociatedType(service: service, 0x40)).isEmpty)
    try bench.perform(.setAssociatedType(service: service, nil))
    #expect(bench.model.home(home)!.accessories[0].services[1].associatedType == nil)
  }

  @Test("An invalid database of a device is refused")
  func invalidDatabases() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    _ = try bench.add(.light(9), to: home)
    let light = Accessory.light(aid: 1, "Lamp")
    var zero = light
    zero.services[1].iid = 0
    var twice = light
    twice.services[1].iid = 1
    for accessories in [[], [.light(aid: 2, "Lamp")], [light, light], [.light(aid: 0, "L"), light], [zero], [twice]] {
      #expect(bench.refusal(.addDevice(home: home, .device(1, accessories))) == Refusal(50, nil))
      #expect(bench.refusal(.updateDevice(home: home, .device(9, accessories))) == Refusal(50, nil))
    }
  }

  @Test("A changed database keeps identifiers, names and rooms, and reports what changed")
  func updated() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let bridge = try bench.add(.bridge(1, lights: ["A", "B"]), to: home)
    let (room, a) = (try bench.addRoom("Kitchen", to: home), bench.model.home(home)!.accessories[1])
    try bench.perform(.moveAccessory(a.id, room: room))
    try bench.perform(.rename(a.id, "Ceiling"))
    try bench.perform(.rename(a.services[1].id, "Ceiling Light"))
    let same = DeviceDescription.bridge(1, lights: ["A", "B"])
    #expect(try bench.perform(.updateDevice(home: home, same)).isEmpty)

    var device = DeviceDescription.bridge(1, lights: ["A", "B", "C"])
    device.configurationNumber = 2
    device.accessories[1].services.append(.light(iid: 30, "Second"))
    device.accessories[2] = .with(aid: 3, "B", [.light(iid: 10, "B")], firmware: "2.0")
    let changes = try bench.perform(.updateDevice(home: home, device))
    let after = bench.model.home(home)!.accessories
    #expect(after.map(\.id).prefix(3) == [bridge.id, a.id, bench.model.home(home)!.accessories[2].id])
    #expect(after[1].name.text == "Ceiling" && after[1].room == room)
    #expect(after[1].services.map(\.name.text) == ["A", "Ceiling Light", "Second"])
    #expect(after[1].services[1].id == a.services[1].id)
    #expect(after[2].information.firmware == "2.0" && after.map(\.configurationNumber) == [2, 2, 2, 2])
    #expect(after[3].name.text == "C" && after[3].bridge == bridge.id)
    let kinds: [String] = changes.map { change in
      switch change.detail {
      case .servicesUpdated: "services"
      case .firmwareUpdated: "firmware"
      case .accessoryDetailsUpdated: "details"
      case .accessoryAdded: "added"
      default: "other"
      }
    }
    #expect(kinds == ["details", "services", "details", "firmware", "details", "added"])

    var smaller = DeviceDescription.bridge(1, lights: ["A"])
    smaller.configurationNumber = 3
    try bench.perform(.updateDevice(home: home, smaller))
    #expect(bench.model.home(home)!.accessories.map(\.aid) == [1, 2])
  }

  @Test("Removing an accessory removes all references to it first; triggers without events are disabled")
  func references() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let (lamp, other) = (try bench.add(.light(1), to: home), try bench.add(.light(2, "Other"), to: home))
    let (set, group) = (try bench.addSet("S", to: home), try bench.addGroup("G", to: home))
    for accessory in [lamp, other] {
      try bench.perform(.addAction(actionSet: set, HomeAction(accessory.id(0x25), true)))
      try bench.perform(.addServiceToGroup(service: accessory.services[1].id, group: group))
    }
    let lampOn = HomeEvent.characteristic(lamp.id(0x25), equals: true)
    let isBright = Condition.characteristic(lamp.id(0x8), .greater, 50)
    let one = try bench.addTrigger("One", .on(lampOn), to: home)
    let events = EventTrigger(
      events: [lampOn, .calendar(.hour(7))], endEvents: [.threshold(lamp.id(0x8), ThresholdRange(min: 1, max: nil)!)],
      condition: .not(.all([isBright, .characteristic(other.id(0x25), .equal, true)])))
    let two = try bench.addTrigger("Two", .event(events), to: home)
    for trigger in [one, two] {
      try bench.perform(.addActionSetToTrigger(actionSet: set, trigger: trigger))
      try bench.perform(.enableTrigger(trigger))
    }
    let changes = try bench.perform(.removeAccessory(lamp.id)).map(\.detail)
    let after = bench.model.home(home)!
    #expect(after.triggers.map(\.isEnabled) == [false, true])
    #expect(
      changes == [
        .actionsChanged(set, [HomeAction(other.id(0x25), true)]),
        .serviceRemovedFromGroup(service: lamp.services[1].id, group: group), .triggerUpdated(after.triggers[0]),
        .triggerUpdated(after.triggers[1]), .accessoryRemoved(lamp.id),
      ])
    let left = EventTrigger(
      events: [.calendar(.hour(7))],
      condition: .not(.all([.unknown, .characteristic(other.id(0x25), .equal, true)])))
    #expect(after.triggers[1].kind == .event(left))
    #expect(bench.refusal(.enableTrigger(one)) == Refusal(3, .t4))
  }

  @Test("A changed database removes actions, events and conditions that it no longer permits")
  func changedLimits() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let lamp = try bench.add(.light(1), to: home)
    let set = try bench.addSet("S", to: home)
    for action in [HomeAction(lamp.id(0x8), 80), HomeAction(lamp.id(0x25), true), HomeAction(lamp.id(0x13), 10.0)] {
      try bench.perform(.addAction(actionSet: set, action))
    }
    let events = EventTrigger(
      events: [.characteristic(lamp.id(0x25), equals: true), .characteristic(lamp.id(0x13), equals: nil)],
      condition: .characteristic(lamp.id(0x13), .less, 5.0))
    let trigger = try bench.addTrigger("T", .event(events), to: home)
    var light = Service.light(iid: 10, "Lamp", maximum: 50)
    light.characteristics[2] = Characteristic(iid: 13, type: 0x13, format: .string, perms: [.pairedRead], value: "")
    try bench.perform(.updateDevice(home: home, .device(1, [.with(aid: 1, "Lamp", [light])])))
    let after = bench.model.home(home)!
    #expect(after.actionSets.find(set)!.actions == [HomeAction(lamp.id(0x25), true)])
    #expect(after.triggers.find(trigger)!.kind == .on(.characteristic(lamp.id(0x25), equals: true), if: .unknown))
  }

  @Test("An iid that a changed database gives to another type keeps no references")
  func otherTypes() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let lamp = try bench.add(.light(1), to: home)
    let (set, group) = (try bench.addSet("S", to: home), try bench.addGroup("G", to: home))
    try bench.perform(.addAction(actionSet: set, HomeAction(lamp.id(0x25), true)))
    try bench.perform(.addAction(actionSet: set, HomeAction(lamp.id(0x8), 1)))
    try bench.perform(.addServiceToGroup(service: lamp.services[1].id, group: group))
    let events = EventTrigger(
      events: [.characteristic(lamp.id(0x25), equals: true), .characteristic(lamp.id(0x8), equals: nil)],
      condition: .characteristic(lamp.id(0x8), .equal, 1))
    let trigger = try bench.addTrigger("T", .event(events), to: home)
    // A lock with the same iids: Lock Target State takes the same numbers as Brightness.
    var lock = Service.light(iid: 10, "Lamp")
    lock.type = 0x45
    lock.characteristics[1].type = 0x1E
    try bench.perform(.updateDevice(home: home, .device(1, [.with(aid: 1, "Lamp", [lock])])))
    let after = bench.model.home(home)!
    #expect(after.actionSets.find(set)!.actions == [HomeAction(lamp.id(0x25), true)])
    #expect(after.triggers.find(trigger)!.kind == .on(.characteristic(lamp.id(0x25), equals: true), if: .unknown))
    #expect(after.groups[0].services == [])
  }

  @Test("HOME.N7 after a changed database, names of removed services are free, and those of new services are taken")
  func changedNames() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let old = Accessory.with(aid: 1, "Bridge", [.light(iid: 10, "Spot"), .light(iid: 30, "Beam")])
    _ = try bench.add(.device(1, [old]), to: home)
    let new = Accessory.with(aid: 1, "Bridge", [.light(iid: 50, "Spot")])
    let device = DeviceDescription.device(1, [new, .light(aid: 2, "Spot"), .light(aid: 3, "Beam")])
    try bench.perform(.updateDevice(home: home, device))
    let names = bench.model.homes[0].accessories.map { $0.services.last!.name.text }
    #expect(names == ["Spot", "Spot 2", "Beam"])
    #expect(bench.model.homes[0].accessories.map(\.name.text) == ["Bridge", "Spot 2", "Beam"])
  }

  @Test("Thousands of accessories and services with one name are added in seconds")
  func manyNames() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    var bridge = Accessory.with(aid: 1, "Lamp", [])
    let on = Characteristic(iid: 1, type: 0x25, format: .bool, perms: .control, value: false)
    for number in 0..<1500 {
      var copy = on
      copy.iid = UInt64(2 * number + 101)
      bridge.services.append(Service(iid: copy.iid - 1, type: 0x43, characteristics: [copy]))
    }
    let lamps = (2...1500).map { Accessory.light(aid: UInt64($0), $0.isMultiple(of: 2) ? "Lamp" : "lamp") }
    // With a search from 2 for each name, this takes many minutes.
    try bench.perform(.addDevice(home: home, .device(1, [bridge] + lamps, category: 2)))
    let accessories = bench.model.homes[0].accessories
    #expect(accessories.map(\.name.text).prefix(4) == ["Lamp", "Lamp 1501", "lamp 1502", "Lamp 1503"])
    #expect(accessories[0].services.last?.name.text == "Lamp 1500")
    let names = accessories.flatMap { [$0.name.key] + $0.services.filter(\.isUserInteractive).map(\.name.key) }
    #expect(Set(names).count == 1500 + 1499)
  }
}
