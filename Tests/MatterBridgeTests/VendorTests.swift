import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// Checked: these tests fail if attributes that can't be written have a write privilege, and if `tw` is ignored.
@Suite("Matter: custom characteristics and services") struct VendorTests {
  private func vendor(_ home: MappedHome, _ endpoint: EndpointNumber) throws -> ClusterDescription {
    try #require(home.node.clusters(of: endpoint).first { ClusterName.isOwn($0.id) })
  }

  @Test("A custom characteristic of a light is read and written in a vendor's cluster of the light")
  func custom() throws {
    let home = try MappedHome("garage-kilgo")
    let fade = try #require(TypeID("7E536242-341C-4862-BE90-272CE15BD633"))
    let light = try #require(
      home.node.endpoints.first { endpoint in home.node.clusters(of: endpoint).contains { $0.id == 6 } })
    let cluster = try vendor(home, light)
    #expect(cluster.attributes.map(\.number) == [0, 0x4000])
    #expect(try home.read(light, cluster.id, 0) == .double(1.5))
    #expect(home.write(light, cluster.id, 0, .double(2.5)) == .success)
    #expect(try home.value(fade) == .float(2.5))
    #expect(home.node.takeChanges() == [AttributePath(light, cluster.id, 0)])
    #expect(home.takeHAPEvents() == [fade])
    #expect(home.write(light, cluster.id, 0, .double(11)) == .constraintError)
    #expect(home.write(light, cluster.id, 0, .double(.nan)) == .constraintError)
    #expect(home.write(light, cluster.id, 0, .unsigned(1)) == .invalidDataType)
    #expect(home.write(light, cluster.id, 0x4000, .list([])) == .unsupportedWrite)
    #expect(try home.value(fade) == .float(2.5))
    #expect(try home.change(fade, to: .float(3)) == [AttributePath(light, cluster.id, 0)])
  }

  @Test("Attribute 4000 describes the characteristics")
  func description() throws {
    let home = try MappedHome("garage-kilgo")
    let light = try #require(
      home.node.endpoints.first { endpoint in home.node.clusters(of: endpoint).contains { $0.id == 6 } })
    guard case .container(.array, let rows) = try home.read(light, vendor(home, light).id, 0x4000) else { return }
    #expect(rows.count == 1)
    let row = try #require(rows.first)
    #expect(row[0] == .unsigned(0) && row[1] == .text("7E536242-341C-4862-BE90-272CE15BD633"))
    #expect(row[2] == .text("Fade Rate") && row[3] == .text("float") && row[4] == .text("seconds"))
    #expect(row[5] == .double(0) && row[6] == .double(10) && row[7] == .double(0.1))
  }

  @Test("A custom service has a vendor's endpoint, with each format")
  func formats() throws {
    let home = try MappedHome("coffee-machine")
    #expect(home.node.endpoints == [1, 2])
    #expect(try home.deviceTypes(1) == [.own(of: 0xFFF1)] && home.deviceTypes(2) == [.own(of: 0xFFF1)])
    let cluster = try vendor(home, 1)
    let values = try (0..<10).map { try home.read(1, cluster.id, $0) }
    #expect(
      values == [
        .bool(false), .unsigned(0), .unsigned(5), .unsigned(120), .signed(0), .double(92.5), .unsigned(0),
        .unsigned(1_234_567_890_123), .text("Flat White"), .octets([1, 1, 6]),
      ])
    let good: [(AttributeNumber, Element.Value)] = [
      (0, .bool(true)), (2, .unsigned(7)), (3, .unsigned(200)), (4, .signed(-3)), (5, .double(90)), (8, .text("Latte")),
      (9, .octets([1, 0])), (11, .octets([1, 2, 3])),
    ]
    for (number, value) in good {
      #expect(home.write(1, cluster.id, number, value) == .success, "\(number)")
      #expect(try home.read(1, cluster.id, number) == value)
    }
    let wrong: [(AttributeNumber, Element.Value, InteractionStatus.Code)] = [
      (0, .unsigned(1), .invalidDataType), (2, .unsigned(11), .constraintError), (2, .signed(-1), .constraintError),
      (3, .unsigned(35), .constraintError), (4, .text("1"), .invalidDataType), (8, .octets([65]), .invalidDataType),
      (8, .text(String(repeating: "x", count: 101)), .constraintError), (9, .null, .invalidDataType),
      (1, .unsigned(1), .unsupportedWrite), (7, .unsigned(1), .unsupportedWrite),
      (10, .octets([]), .unsupportedAttribute),
    ]
    for (number, value, code) in wrong {
      #expect(home.write(1, cluster.id, number, value) == code, "\(number) \(value)")
    }
    #expect(throws: InteractionStatus.self) {
      try home.node.write(AttributePath(1, cluster.id, 0), .append(.bool(true)), for: MappedHome.controller)
    }
  }

  @Test("A write-only characteristic is a command, and one that must be timed is a timed one")
  func commands() throws {
    let home = try MappedHome("coffee-machine")
    let (machine, tank) = (try vendor(home, 1), try vendor(home, 2))
    #expect(machine.id != tank.id)
    #expect(machine.commands.map(\.number) == [10] && !machine.commands[0].isTimed)
    #expect(tank.commands.map(\.number) == [2] && tank.commands[0].isTimed)
    #expect(!tank.attributes.contains { $0.number == 2 })
    #expect(home.invoke(2, tank.id, 2, .bool(true)) == .success)
    #expect(home.written.map(\.first.value) == [true])
    #expect(home.invoke(2, tank.id, 2) == .invalidCommand && home.invoke(2, tank.id, 2, .text("")) == .invalidCommand)
    #expect(home.invoke(1, machine.id, 10, .octets([1, 0])) == .success)
    #expect(home.written.count == 2)
  }

  @Test("Permissions become privileges, and the writes of a characteristic with tw must be timed")
  func access() throws {
    let all: Permissions = [.pairedRead, .pairedWrite, .events]
    func characteristic(_ iid: UInt64, _ perms: Permissions, _ adminOnly: Permissions = []) -> Characteristic {
      Characteristic(
        iid: iid, type: TypeID("8D9300\(iid)-860E-4115-99CE-0CB5D9674D77") ?? 1, format: .bool, perms: perms,
        value: false, adminOnly: adminOnly)
    }
    let service = Service(
      iid: 9, type: 0x43,
      characteristics: [
        Characteristic(iid: 8, type: .on, format: .bool, perms: all.union(.timedWrite), value: false),
        characteristic(10, all), characteristic(11, [.pairedRead]), characteristic(12, all.union(.timedWrite)),
        characteristic(13, all, [.pairedWrite]), characteristic(14, all, [.pairedRead, .pairedWrite]),
        characteristic(15, [.pairedWrite], [.pairedWrite]), characteristic(16, [.events]),
      ])
    let home = MappedHome(try AttributeDatabase([Accessory(aid: 1, services: [service])]))
    let cluster = try vendor(home, 1)
    #expect(cluster.attributes.map(\.number) == [0, 1, 2, 3, 4, 0x4000])
    #expect(cluster.attributes.map(\.read) == [.view, .view, .view, .view, .administer, .view])
    #expect(cluster.attributes.map(\.write) == [.operate, nil, .operate, .administer, .administer, nil])
    #expect(cluster.attributes.map(\.isTimed) == [false, false, true, false, false, false])
    #expect(cluster.commands.map(\.invoke) == [.administer])
    #expect(home.write(1, cluster.id, 2, .bool(true)) == .success)
    // On must be timed, so the commands that write it must be.
    let onOff = try #require(home.node.clusters(of: 1).first { $0.id == 6 })
    #expect(onOff.commands.filter { !$0.isTimed }.isEmpty)
    // The accessory has no accessory information, so it can't identify.
    #expect(home.node.clusters(of: 1).map(\.id) == [4, 6, 0x1D, cluster.id])
  }

  @Test("Known characteristics without a cluster are vendor attributes, and messages of HomeKit's protocols are not")
  func leftovers() throws {
    let outlet = try MappedHome("outlet")
    #expect(try vendor(outlet, 1).attributes.map(\.number) == [0, 0x4000])
    #expect(try outlet.change(CharacteristicDefinition.outletInUse.type, to: true).count == 1)
    let adaptive = try MappedHome("light-adaptive")
    #expect(try vendor(adaptive, 1).attributes.map(\.number) == [0, 0x4000])
  }

  @Test("Services without a Matter side are listed with the reason")
  func refusals() throws {
    let home = try MappedHome("camera")
    let reasons = home.node.services.compactMap { service in
      if case .none(let reason) = service.result { (service.type, reason) } else { nil }
    }
    #expect(reasons.contains { $0.0 == ServiceDefinition.cameraRTPStreamManagement.type })
    #expect(reasons.allSatisfy { !$0.1.isEmpty })
    var numbers = EndpointNumbers()
    #expect(AccessoryPlan(home.server.database, vendor: 0xFFF1, numbers: &numbers).services == home.node.services)
  }

  @Test("The line of a service names its endpoint, or the reason why it has none")
  func lines() throws {
    let lines = try MappedHome("light-switchable").node.services.map(\.description)
    #expect(lines.count == 1 && lines[0].hasSuffix(": endpoint 1, device type 0100, clusters 0006"))
    let coffee = try MappedHome("coffee-machine").node.services.map(\.description)
    let uuid = "8D930001-860E-4115-99CE-0CB5D9674D77"
    #expect(coffee[0].hasSuffix("\(uuid): endpoint 1, device type FFF10001, clusters FFF1FD01"))
    let camera = try MappedHome("camera").node.services.map(\.description)
    let refusal = "Camera RTP Stream Management: no endpoint, because Matter 1.4 has no streams"
    #expect(camera.contains { $0.contains(refusal) })
  }

  @Test("Device types and clusters have the prefix of the vendor; their numbers are the same for each vendor")
  func prefix() throws {
    let database = try MappedHome.database("coffee-machine")
    let first = MappedHome(database)
    let other = MappedHome(database, numbers: first.node.numbers, vendor: 0xFFF2)
    #expect(other.node.numbers == first.node.numbers)
    for endpoint in [1, 2] as [EndpointNumber] {
      #expect(try first.deviceTypes(endpoint).map(\.number) == [0xFFF1_0001])
      #expect(try other.deviceTypes(endpoint).map(\.number) == [0xFFF2_0001])
      let (one, two) = (try vendor(first, endpoint), try vendor(other, endpoint))
      #expect(one.id == 0xFFF1_FD00 + ClusterID(endpoint) && two.id == 0xFFF2_FD00 + ClusterID(endpoint))
      #expect(one.attributes == two.attributes && one.commands == two.commands)
      // The descriptor lists the same.
      #expect(try other.read(endpoint, 0x1D, 1).numbers.contains(UInt64(two.id)))
    }
    #expect(try other.read(1, 0xFFF2_FD01, 8) == .text("Flat White"))
    #expect(other.write(1, 0xFFF2_FD01, 2, .unsigned(7)) == .success)
    #expect(other.write(1, 0xFFF1_FD01, 2, .unsigned(7)) == .unsupportedCluster)
    // The description of the characteristics is reported again after a replacement, whatever the vendor is.
    other.server.replace(database, live: [], at: .zero)
    #expect(other.node.databaseWasReplaced().contains(AttributePath(1, 0xFFF2_FD01, 0x4000)))
  }

  @Test("The number of a custom characteristic stays if others before it are removed")
  func kept() throws {
    let home = try MappedHome("coffee-machine")
    var accessories = home.server.database.accessories
    let index = try #require(accessories[0].services.firstIndex { !$0.type.isAppleDefined })
    let removed = accessories[0].services[index].characteristics.filter { $0.format == .bool }.map(\.type)
    accessories[0].services[index].characteristics.removeAll { $0.format == .bool }
    let id = try vendor(home, 1).id
    home.server.replace(try AttributeDatabase(accessories), live: [], at: .zero)
    let changes = home.node.databaseWasReplaced()
    #expect(removed.count == 1)
    #expect(Set(changes).isSuperset(of: [AttributePath(1, id, 1), AttributePath(1, id, 0x4000)]))
    #expect(try vendor(home, 1).id == id && vendor(home, 1).attributes.first?.number == 1)
    #expect(try home.read(1, id, 8) == .text("Flat White"))
  }
}
