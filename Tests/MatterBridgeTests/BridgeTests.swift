import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

private let information: ClusterID = 0x39

/// Checked: these tests fail if all accessories are reachable, if all have one identifier, and if the aggregator has no
/// parts.
@Suite("Matter: bridges") struct BridgeTests {
  @Test("Endpoint 1 is the aggregator, and each bridged light is an endpoint with its description")
  func structure() throws {
    let home = try MappedHome("bridge-two-lights")
    #expect(home.node.endpoints == [1, 2, 3])
    #expect(try home.deviceTypes(1) == [.aggregator])
    #expect(try home.read(1, 0x1D, 3).numbers == [2, 3])
    #expect(home.node.clusters(of: 1).map(\.id) == [0x1D])
    for endpoint in [2, 3] as [EndpointNumber] {
      #expect(try home.deviceTypes(endpoint).contains(.bridgedNode))
      #expect(try home.read(endpoint, 0x1D, 3).numbers == [])
      #expect(home.node.clusters(of: endpoint).map(\.id).contains(information))
    }
  }

  @Test("The description has the texts of the accessory information, and an identifier of its own")
  func description() throws {
    let home = try MappedHome("bridge-mixed")
    #expect(try home.read(2, information, 5) == .text("Hall Lamp"))
    #expect(try home.read(2, information, 0x0F) == .text("MIXED-1"))
    #expect(try home.read(2, information, 0x11) == .bool(true))
    let identifiers = try home.node.endpoints.dropFirst().map { try home.read($0, information, 0x12) }
    #expect(Set(identifiers).count == 3)
    for case .text(let identifier) in identifiers {
      #expect(identifier.utf8.count <= 32 && !identifier.hasPrefix("MIXED"))
    }
    #expect(try home.deviceTypes(2) == [.onOffLight, .bridgedNode])
    #expect(try home.deviceTypes(3) == [.doorLock, .bridgedNode])
    #expect(try home.deviceTypes(4) == [.temperatureSensor, .bridgedNode])
  }

  @Test("A label can be written up to 32 bytes")
  func label() throws {
    let home = try MappedHome("bridge-two-lights")
    #expect(home.write(2, information, 5, .text("Kitchen")) == .success)
    #expect(try home.read(2, information, 5) == .text("Kitchen"))
    #expect(home.node.takeChanges() == [AttributePath(2, information, 5)])
    #expect(home.write(2, information, 5, .text(String(repeating: "x", count: 33))) == .constraintError)
    #expect(home.write(2, information, 5, .unsigned(1)) == .invalidDataType)
    #expect("ÄÖÜ".prefix(bytes: 5) == "ÄÖ" && "abc".prefix(bytes: 3) == "abc" && "a".prefix(bytes: 0) == "")
  }

  @Test("Endpoints of one bridged light do not change the other")
  func separate() throws {
    let home = try MappedHome("bridge-two-lights")
    #expect(home.invoke(3, 6, 1) == .success)
    #expect(try home.read(2, 6, 0) == .bool(false) && home.read(3, 6, 0) == .bool(true))
    #expect(home.node.takeChanges() == [AttributePath(3, 6, 0)])
  }

  @Test("An unreachable light refuses reads and commands, keeps its description, and sends ReachableChanged")
  func unreachable() throws {
    let home = try MappedHome("bridge-two-lights")
    let aid = home.server.database.accessoryEntries[1].aid
    home.server.setReachable(false, aid: aid, at: .zero)
    #expect(home.node.reachabilityChanged(aid: aid) == [AttributePath(2, information, 0x11)])
    #expect(try home.read(2, information, 0x11) == .bool(false) && home.read(3, information, 0x11) == .bool(true))
    #expect(
      home.node.takeEvents() == [
        MappedEvent(
          endpoint: 2, cluster: information, event: 3, priority: .info, fields: [Element(.context(0), .bool(false))])
      ])
    #expect(throws: InteractionStatus(.failure)) { _ = try home.read(2, 6, 0) }
    #expect(home.invoke(2, 6, 1) == .failure && home.invoke(2, 6, 2) == .failure)
    #expect(home.node.takeChanges() == [])
    #expect(try home.read(2, information, 5) == home.read(2, information, 5))
    #expect(home.invoke(3, 6, 1) == .success)
    home.server.setReachable(true, aid: aid, at: .zero)
    let changes = home.node.reachabilityChanged(aid: aid)
    #expect(changes.starts(with: [AttributePath(3, 6, 0), AttributePath(2, information, 0x11)]))
    // A value can have changed meanwhile, so all attributes of its endpoint are reported.
    #expect(changes.contains(AttributePath(2, 6, 0)) && changes.dropFirst().allSatisfy { $0.endpoint == 2 })
    #expect(home.invoke(2, 6, 1) == .success)
  }

  @Test("A bridged accessory with several services is a parent, and its services are the parts")
  func composed() throws {
    let database = try MappedHome.database("fan-with-light")
    let bridge = try MappedHome.database("bridge-two-lights").accessories[0]
    var bridged = database.accessories[0]
    bridged.aid = 7
    let home = MappedHome(try AttributeDatabase([bridge, bridged]))
    let parent = try #require(home.node.endpoints.last)
    #expect(try home.deviceTypes(parent) == [.bridgedNode])
    let parts = home.node.endpoints.filter { $0 != 1 && $0 != parent }
    #expect(try home.read(parent, 0x1D, 3).numbers == parts.map { UInt64($0) } && parts.count == 2)
    #expect(try home.read(1, 0x1D, 3).numbers == (parts + [parent]).map { UInt64($0) }.sorted())
    for part in parts { #expect(try !home.deviceTypes(part).contains(.bridgedNode)) }
  }

  @Test("Countdowns that end together end in the order of their endpoints")
  func countdowns() throws {
    let home = try MappedHome("bridge-149")
    for endpoint in home.node.endpoints.dropFirst().reversed() {
      #expect(home.invoke(endpoint, 6, 0x42, .unsigned(0), .unsigned(10), .unsigned(0)) == .success)
    }
    let before = home.written.count
    _ = home.node.advance(to: .seconds(1))
    let order = home.written.dropFirst(before).map(\.first.id.aid)
    #expect(order == order.sorted() && order.count == 149 && home.node.nextDeadline == nil)
  }

  @Test("A bridge of 149 switches has 150 endpoints")
  func many() throws {
    let home = try MappedHome("bridge-149")
    #expect(home.node.endpoints == Array(1...150))
    #expect(home.invoke(150, 6, 1) == .success)
    #expect(home.node.takeChanges() == [AttributePath(150, 6, 0)])
  }
}

@Suite("Matter: replaced databases") struct ReplacementTests {
  @Test("An accessory that vanishes takes its endpoint with it, and the aggregator's parts change")
  func removal() throws {
    let home = try MappedHome("bridge-two-lights")
    var accessories = home.server.database.accessories
    let removed = accessories.remove(at: 1)
    let version = home.node.dataVersion(of: 3, 6)
    home.server.replace(try AttributeDatabase(accessories), live: [], at: .zero)
    #expect(home.node.databaseWasReplaced() == [AttributePath(1, 0x1D, 3)])
    #expect(home.node.endpoints == [1, 3])
    #expect(home.node.dataVersion(of: 3, 6) == version)
    #expect(home.invoke(3, 6, 1) == .success)
    _ = home.node.takeChanges()

    accessories.append(removed)
    accessories[2].aid = 99
    home.server.replace(try AttributeDatabase(accessories), live: [], at: .zero)
    let changes = home.node.databaseWasReplaced()
    #expect(home.node.endpoints == [1, 3, 4])
    #expect(changes.contains(AttributePath(1, 0x1D, 3)) && changes.contains(AttributePath(4, 6, 0)))
    #expect(!changes.contains { $0.endpoint == 3 })
  }

  @Test("An accessory that comes back has its number, and a bridge of no accessory stays an aggregator")
  func comeback() throws {
    let home = try MappedHome("bridge-two-lights")
    let accessories = home.server.database.accessories
    home.server.replace(try AttributeDatabase([accessories[0]]), live: [], at: .zero)
    _ = home.node.databaseWasReplaced()
    #expect(home.node.endpoints == [1])
    #expect(try home.deviceTypes(1) == [.aggregator])
    home.server.replace(try AttributeDatabase([accessories[0], accessories[2]]), live: [], at: .zero)
    _ = home.node.databaseWasReplaced()
    #expect(home.node.endpoints == [1, 3])
  }

  @Test("A characteristic that is added changes the device type, the clusters and their attributes")
  func addition() throws {
    let home = try MappedHome("light-switchable")
    #expect(home.write(1, 6, 0x4003, .unsigned(1)) == .success)
    _ = home.node.takeChanges()
    var accessories = home.server.database.accessories
    let service = try #require(accessories[0].services.firstIndex { $0.type == 0x43 })
    accessories[0].services[service].characteristics.append(
      Characteristic(
        iid: 900, type: .brightness, format: .int, perms: [.pairedRead, .pairedWrite, .events], value: 40,
        constraints: Constraints(minValue: 0, maxValue: 100, minStep: 1)))
    home.server.replace(try AttributeDatabase(accessories), live: [], at: .zero)
    let changes = Set(home.node.databaseWasReplaced())
    #expect(changes.isSuperset(of: [AttributePath(1, 0x1D, 0), AttributePath(1, 0x1D, 1), AttributePath(1, 8, 0)]))
    #expect(!changes.contains(AttributePath(1, 0x1D, 3)))
    #expect(try home.deviceTypes(1) == [.dimmableLight])
    #expect(try home.read(1, 8, 0) == .unsigned(102))
    #expect(try home.read(1, 6, 0x4003) == .unsigned(1))
    #expect(try home.change(.brightness, to: 50) == [AttributePath(1, 8, 0)])
  }

  @Test("A countdown ends with its endpoint")
  func countdown() throws {
    let home = try MappedHome("bridge-two-lights")
    #expect(home.invoke(2, 6, 0x42, .unsigned(0), .unsigned(50), .unsigned(0)) == .success)
    #expect(home.node.nextDeadline != nil)
    let accessories = home.server.database.accessories
    home.server.replace(try AttributeDatabase([accessories[0], accessories[2]]), live: [], at: .zero)
    _ = home.node.databaseWasReplaced()
    #expect(home.node.nextDeadline == nil)
  }
}
