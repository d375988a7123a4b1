import HAPAlmanac
import HAPModel
import HAPTestSupport
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Homes, rooms, zones, groups and users")
struct PlaceTests {
  private static func unknown() -> HomeObjectID {
    var generator = SeededGenerator(seed: 99)
    return HomeObjectID.random(using: &generator)
  }

  @Test("HOME.O1 an object that no home has is refused, for each command")
  func unknownObjects() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let (x, room) = (Self.unknown(), try bench.addRoom("Kitchen", to: home))
    let inHomes: [HomeCommand] = [
      .removeHome(x), .setPrimaryHome(x), .setTimeZone(home: x, .utc), .setLocation(home: x, nil),
      .addRoom(home: x, name: "A"), .addZone(home: x, name: "A"), .addGroup(home: x, name: "A"),
      .addDevice(home: x, .light(1)), .updateDevice(home: x, .light(1)), .addActionSet(home: x, name: "A"),
      .addTrigger(home: x, name: "A", .on(.calendar(.hour(1)))), .addUser(home: x, name: "A", role: .guest),
    ]
    for command in inHomes { #expect(bench.refusal(command) == Refusal(2, .o1), "\(command)") }
    let (zone, group) = (try bench.addZone("Z", to: home), try bench.addGroup("G", to: home))
    let (set, lamp) = (try bench.addSet("S", to: home), try bench.add(.light(1), to: home))
    let trigger = try bench.addTrigger("T", .on(.calendar(.hour(1))), to: home)
    let ofObjects: [HomeCommand] = [
      .rename(x, "A"), .removeRoom(x), .removeZone(x), .addRoomToZone(room: x, zone: zone),
      .addRoomToZone(room: room, zone: x), .removeRoomFromZone(room: x, zone: zone),
      .removeRoomFromZone(room: room, zone: x), .removeGroup(x), .addServiceToGroup(service: x, group: group),
      .addServiceToGroup(service: lamp.services[1].id, group: x), .removeServiceFromGroup(service: x, group: group),
      .removeServiceFromGroup(service: lamp.services[1].id, group: x), .removeAccessory(x),
      .moveAccessory(x, room: room), .moveAccessory(lamp.id, room: x), .blockAccessory(x), .unblockAccessory(x),
      .setAssociatedType(service: x, 0x43), .updateDevice(home: home, .light(2)), .removeActionSet(x),
      .addAction(actionSet: x, HomeAction(lamp.id(0x25), true)), .addAction(actionSet: set, HomeAction(x, true)),
      .updateAction(actionSet: set, HomeAction(x, true)), .removeAction(actionSet: set, characteristic: x),
      .updateTrigger(x, .on(.calendar(.hour(1)))), .removeTrigger(x), .enableTrigger(x), .disableTrigger(x),
      .addActionSetToTrigger(actionSet: x, trigger: trigger), .addActionSetToTrigger(actionSet: set, trigger: x),
      .removeActionSetFromTrigger(actionSet: x, trigger: trigger),
      .removeActionSetFromTrigger(actionSet: set, trigger: x), .addOwnedActionSet(trigger: x, []),
      .addTrigger(home: home, name: "A", .on(.characteristic(x, equals: nil))),
      .addTrigger(home: home, name: "A", .on(.calendar(.hour(1)), if: .characteristic(x, .equal, true))),
      .addTrigger(home: home, name: "A", .on(.presence(PresenceEvent(.everyEntry, of: .users([x]))))),
      .setRole(user: x, .guest), .removeUser(x),
    ]
    for command in ofObjects { #expect(bench.refusal(command) == Refusal(12, .o1), "\(command)") }
    let removed = try bench.perform(.removeRoom(room)).last
    #expect(removed == HomeChange(home, .roomRemoved(room)))
    #expect(bench.refusal(.rename(room, "Old")) == Refusal(12, .o1))
  }

  @Test("HOME.O1 an object of another kind is refused")
  func otherKinds() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let (room, zone) = (try bench.addRoom("Kitchen", to: home), try bench.addZone("Z", to: home))
    let lamp = try bench.add(.light(1), to: home)
    let commands: [HomeCommand] = [
      .removeRoom(zone), .removeZone(room), .addRoomToZone(room: zone, zone: zone), .removeGroup(lamp.id),
      .moveAccessory(lamp.id, room: zone), .removeAccessory(room), .removeUser(lamp.services[0].id),
      .enableTrigger(home), .setAssociatedType(service: lamp.id(0x25), nil),
    ]
    for command in commands { #expect(bench.refusal(command) == Refusal(2, .o1), "\(command)") }
    #expect(bench.refusal(.rename(lamp.id(0x25), "On")) == Refusal(48, .o1))
    #expect(bench.refusal(.rename(bench.model.homes[0].users[0].id, "Bert")) == Refusal(48, .o1))
  }

  @Test("HOME.O2 an object of another home, or already in a home, is refused")
  func otherHomes() throws {
    var bench = HomeBench()
    let (one, other) = (try bench.addHome("One"), try bench.addHome("Other"))
    let (room, zone) = (try bench.addRoom("Kitchen", to: one), try bench.addZone("Z", to: other))
    let (lamp, group) = (try bench.add(.light(1), to: one), try bench.addGroup("G", to: other))
    let (set, trigger) = (
      try bench.addSet("S", to: one), try bench.addTrigger("T", .on(.calendar(.hour(1))), to: other)
    )
    let otherSet = try bench.addSet("S", to: other)
    let user = bench.model.home(one)!.users[0].id
    let commands: [HomeCommand] = [
      .addRoomToZone(room: room, zone: zone), .removeRoomFromZone(room: room, zone: zone),
      .addServiceToGroup(service: lamp.services[1].id, group: group),
      .moveAccessory(lamp.id, room: bench.model.home(other)!.roomForEntireHome.id),
      .addAction(actionSet: otherSet, HomeAction(lamp.id(0x25), true)),
      .addActionSetToTrigger(actionSet: set, trigger: trigger),
      .updateTrigger(trigger, .on(.characteristic(lamp.id(0x25), equals: true))),
      .updateTrigger(trigger, .on(.calendar(.hour(1)), if: .characteristic(lamp.id(0x25), .equal, true))),
      .updateTrigger(trigger, .on(.presence(PresenceEvent(.everyEntry, of: .users([user]))))),
      .addDevice(home: other, .light(1)),
    ]
    for command in commands { #expect(bench.refusal(command) == Refusal(11, .o2), "\(command)") }
    #expect(bench.refusal(.addDevice(home: one, .light(1))) == Refusal(13, .o2))
  }

  @Test("HOME.R1 the room for the entire home is in no list, and can't be renamed, removed or put in a zone")
  func roomForEntireHome() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let (whole, zone) = (bench.model.home(home)!.roomForEntireHome.id, try bench.addZone("Z", to: home))
    #expect(bench.model.home(home)!.rooms.isEmpty)
    #expect(bench.refusal(.rename(whole, "All")) == Refusal(29, .r1))
    #expect(bench.refusal(.removeRoom(whole)) == Refusal(29, .r1))
    #expect(bench.refusal(.addRoomToZone(room: whole, zone: zone)) == Refusal(24, .r1))
    let (room, lamp) = (try bench.addRoom("Kitchen", to: home), try bench.add(.light(1), to: home))
    try bench.perform(.moveAccessory(lamp.id, room: room))
    try bench.perform(.moveAccessory(lamp.id, room: whole))
    #expect(bench.model.home(home)!.accessories[0].room == whole)
  }

  @Test("HOME.R2 the accessories of a removed room move, and zones lose the room, before it is removed")
  func removedRoom() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let (room, zone) = (try bench.addRoom("Kitchen", to: home), try bench.addZone("Z", to: home))
    let (lamp, whole) = (try bench.add(.light(1), to: home), bench.model.home(home)!.roomForEntireHome.id)
    try bench.perform(.moveAccessory(lamp.id, room: room))
    try bench.perform(.addRoomToZone(room: room, zone: zone))
    let changes = try bench.perform(.removeRoom(room))
    #expect(
      changes.map(\.detail) == [
        .accessoryMoved(lamp.id, room: whole), .roomRemovedFromZone(room: room, zone: zone), .roomRemoved(room),
      ])
    #expect(bench.model.home(home)!.zones[0].rooms.isEmpty)
  }

  @Test("HOME.Z1 a room is in any number of zones, a service in any number of groups, but only once in each")
  func associations() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let (room, lamp) = (try bench.addRoom("Kitchen", to: home), try bench.add(.light(1), to: home))
    let service = lamp.services[1].id
    for name in ["A", "B"] {
      let (zone, group) = (try bench.addZone(name, to: home), try bench.addGroup("G \(name)", to: home))
      #expect(bench.refusal(.removeRoomFromZone(room: room, zone: zone)) == Refusal(2, .z1))
      #expect(bench.refusal(.removeServiceFromGroup(service: service, group: group)) == Refusal(2, .z1))
      try bench.perform(.addRoomToZone(room: room, zone: zone))
      try bench.perform(.addServiceToGroup(service: service, group: group))
      #expect(bench.refusal(.addRoomToZone(room: room, zone: zone)) == Refusal(1, .z1))
      #expect(bench.refusal(.addServiceToGroup(service: service, group: group)) == Refusal(1, .z1))
    }
    let changed = bench.model.home(home)!
    #expect(
      changed.zones.map(\.rooms) == [[room], [room]] && changed.groups.map(\.services) == [[service], [service]])
    let second = try bench.addRoom("Bath", to: home)
    try bench.perform(.addRoomToZone(room: second, zone: changed.zones[0].id))
    #expect(bench.model.home(home)!.zones.map(\.rooms) == [[room, second], [room]])
    try bench.perform(.removeRoom(second))
    try bench.perform(.removeRoomFromZone(room: room, zone: changed.zones[0].id))
    try bench.perform(.removeServiceFromGroup(service: service, group: changed.groups[0].id))
    try bench.perform(.removeZone(changed.zones[1].id))
    try bench.perform(.removeGroup(changed.groups[1].id))
    #expect(bench.model.home(home)!.rooms.count == 1 && bench.model.home(home)!.accessories.count == 1)
  }

  @Test("HOME.U1 a guest edits nothing, an administrator does; the owner stays")
  func privileges() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let owner = bench.model.home(home)!.users[0].id
    try bench.perform(.addUser(home: home, name: "Bert", role: .guest))
    try bench.perform(.addUser(home: home, name: "Carla", role: .administrator))
    let (guest, admin) = (bench.model.home(home)!.users[1].id, bench.model.home(home)!.users[2].id)
    let commands: [HomeCommand] = [
      .addRoom(home: home, name: "Kitchen"), .rename(home, "Villa"), .setLocation(home: home, nil),
      .addUser(home: home, name: "Dora", role: .guest), .removeUser(admin), .removeHome(home),
      .addHome(name: "Second", zone: .utc, location: nil, owner: "Bert"),
    ]
    for command in commands {
      #expect(bench.refusal(command, as: guest) == Refusal(17, .u1), "\(command)")
      #expect(bench.refusal(command, as: Self.unknown()) == Refusal(17, .u1), "\(command)")
    }
    try bench.perform(.addRoom(home: home, name: "Kitchen"), as: admin)
    try bench.perform(.addRoom(home: home, name: "Bath"), as: owner)
    #expect(bench.refusal(.removeUser(owner), as: admin) == Refusal(48, .u1))
    #expect(bench.refusal(.setRole(user: owner, .guest), as: admin) == Refusal(48, .u1))
    #expect(bench.refusal(.setRole(user: guest, .owner)) == Refusal(48, .u1))
    #expect(bench.refusal(.addUser(home: home, name: "Eva", role: .owner)) == Refusal(48, .u1))
    #expect(bench.refusal(.addUser(home: home, name: "bert", role: .guest)) == Refusal(1, .u1))
    try bench.perform(.setRole(user: guest, .administrator), as: admin)
    try bench.perform(.removeUser(admin), as: guest)
    #expect(bench.model.home(home)!.users.map(\.role) == [.owner, .administrator])
  }

  @Test("HOME.M2 the first home is primary; after its removal, the next one")
  func primaryHome() throws {
    var bench = HomeBench()
    #expect(bench.model.primaryHome == nil)
    let (one, two, three) = (try bench.addHome("One"), try bench.addHome("Two"), try bench.addHome("Three"))
    #expect(bench.model.primaryHome == one)
    #expect(try bench.perform(.setPrimaryHome(two)) == [HomeChange(two, .homeMadePrimary)])
    #expect(try bench.perform(.setPrimaryHome(two)).isEmpty)
    let changes = try bench.perform(.removeHome(two))
    #expect(changes == [HomeChange(two, .homeRemoved), HomeChange(one, .homeMadePrimary)])
    try bench.perform(.removeHome(three))
    try bench.perform(.removeHome(one))
    #expect(bench.model == HomeModel())
  }

  @Test("The zone of a home is one that the machine has; a location can be set and removed")
  func timeZone() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let (berlin, nowhere) = (ZoneName("Europe/Berlin")!, ZoneName("Nowhere/City")!)
    #expect(bench.refusal(.setTimeZone(home: home, nowhere)) == Refusal(3, nil))
    #expect(bench.refusal(.addHome(name: "B", zone: nowhere, location: nil, owner: "A")) == Refusal(3, nil))
    try bench.perform(.setTimeZone(home: home, berlin))
    #expect(try bench.perform(.setTimeZone(home: home, berlin)).isEmpty)
    try bench.perform(.setLocation(home: home, nil))
    #expect(bench.model.home(home)!.zone == berlin && bench.model.home(home)!.location == nil)
    #expect(try bench.perform(.setLocation(home: home, nil)).isEmpty)
  }

  @Test("HOME.L1 each kind of object has a limit")
  func limits() throws {
    var bench = HomeBench()
    (bench.policy.homes, bench.policy.objects, bench.policy.accessories) = (1, 5, 2)
    (bench.policy.actions, bench.policy.users) = (1, 2)
    let home = try bench.addHome()
    #expect(bench.refusal(.addHome(name: "B", zone: .utc, location: nil, owner: "A")) == Refusal(49, .l1))
    for number in 1...5 {
      _ = try bench.addRoom("R\(number)", to: home)
      _ = try bench.addZone("Z\(number)", to: home)
      _ = try bench.addGroup("G\(number)", to: home)
      _ = try bench.addTrigger("T\(number)", .on(.calendar(.hour(1))), to: home)
    }
    let set = try bench.addSet("S", to: home)
    #expect(bench.refusal(.addRoom(home: home, name: "X")) == Refusal(49, .l1))
    #expect(bench.refusal(.addZone(home: home, name: "X")) == Refusal(49, .l1))
    #expect(bench.refusal(.addGroup(home: home, name: "X")) == Refusal(49, .l1))
    #expect(bench.refusal(.addActionSet(home: home, name: "X")) == Refusal(49, .l1))
    #expect(bench.refusal(.addTrigger(home: home, name: "X", .on(.calendar(.hour(1))))) == Refusal(49, .l1))
    let lamp = try bench.add(.light(1), to: home)
    #expect(bench.refusal(.addDevice(home: home, .bridge(2, lights: ["A"]))) == Refusal(49, .l1))
    _ = try bench.add(.light(3), to: home)
    #expect(bench.refusal(.addDevice(home: home, .light(4))) == Refusal(49, .l1))
    try bench.perform(.addAction(actionSet: set, HomeAction(lamp.id(0x25), true)))
    #expect(bench.refusal(.addAction(actionSet: set, HomeAction(lamp.id(0x8), 1))) == Refusal(49, .l1))
    let owned = [HomeAction(lamp.id(0x25), true), HomeAction(lamp.id(0x8), 1)]
    let trigger = bench.model.home(home)!.triggers[0].id
    bench.policy.objects = 6
    #expect(bench.refusal(.addOwnedActionSet(trigger: trigger, owned)) == Refusal(49, .l1))
    try bench.perform(.addUser(home: home, name: "B", role: .guest))
    #expect(bench.refusal(.addUser(home: home, name: "C", role: .guest)) == Refusal(49, .l1))
    let deep = (0..<32).reduce(Condition.all([])) { condition, _ in .not(condition) }
    #expect(bench.refusal(.updateTrigger(trigger, .on(.calendar(.hour(1)), if: deep))) == Refusal(49, .l1))
    for part in [Condition.time(.before(.hour(1))), .all([]), .not(.any([]))] {
      let wide = Condition.all(Array(repeating: part, count: 6))
      #expect(bench.refusal(.updateTrigger(trigger, .on(.calendar(.hour(1)), if: wide))) == Refusal(49, .l1))
    }
    let enough = Condition.all(Array(repeating: .all([]), count: 4))
    try bench.perform(.updateTrigger(trigger, .on(.calendar(.hour(1)), if: enough)))
  }
}
