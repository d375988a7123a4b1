import HAPModel
import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

/// Checked: these tests fail if each call gives a new number.
@Suite("Matter: numbers that are kept") struct NumberTests {
  @Test("A number is given once and never again")
  func once() {
    var numbers = EndpointNumbers()
    let (one, two) = (AttributeID(aid: 1, iid: 8), AttributeID(aid: 1, iid: 9))
    #expect(numbers.endpoint(for: .service(one)) == 1 && numbers.endpoint(for: .service(two)) == 2)
    #expect(numbers.endpoint(for: .service(one)) == 1 && numbers.endpoint(for: .aggregator) == 3)
    #expect(numbers.endpoint(for: .accessory(aid: 1)) == 4)
    #expect(numbers.vendorCluster(for: 0x43) == 1 && numbers.vendorCluster(for: 0x41) == 2)
    #expect(numbers.vendorCluster(for: 0x43) == 1)
    #expect(numbers.vendorAttribute(for: 0x25, in: 0x43) == 0 && numbers.vendorAttribute(for: 0x8, in: 0x43) == 1)
    #expect(numbers.vendorAttribute(for: 0x25, in: 0x43) == 0 && numbers.vendorAttribute(for: 0x8, in: 0x41) == 0)
    #expect(numbers.vendorAttribute(for: 0x25, in: 0x99) == nil)
  }

  @Test("After the last number there is none")
  func limits() {
    var numbers = EndpointNumbers()
    for iid in 1...UInt64(EndpointNumbers.endpointLimit) {
      guard numbers.endpoint(for: .service(AttributeID(aid: 1, iid: iid))) != nil else {
        Issue.record("no number for \(iid)")
        return
      }
    }
    #expect(numbers.endpoints.values.max() == 65534)
    #expect(numbers.endpoint(for: .aggregator) == nil)
    #expect(numbers.endpoint(for: .service(AttributeID(aid: 1, iid: 5))) == 5)
    for type in 1...EndpointNumbers.clusterLimit { _ = numbers.vendorCluster(for: TypeID(apple: type)) }
    #expect(numbers.vendorCluster(for: 0xFFFF) == nil)
    for type in 1...EndpointNumbers.descriptionAttribute {
      _ = numbers.vendorAttribute(for: TypeID(apple: type), in: 1)
    }
    #expect(numbers.vendorAttribute(for: 0xFFFFF, in: 1) == nil)
    #expect((try? EndpointNumbers(bytes: numbers.bytes)) == numbers)
  }

  @Test("The numbers of a profile come back from their bytes, with the same endpoints", arguments: MappedHome.profiles)
  func bytes(_ profile: String) throws {
    let home = try MappedHome(profile)
    let bytes = home.node.numbers.bytes
    let numbers = try EndpointNumbers(bytes: bytes)
    #expect(numbers == home.node.numbers && numbers.bytes == bytes)
    let again = try MappedHome(profile, numbers: numbers)
    #expect(again.node.endpoints == home.node.endpoints && again.node.numbers == numbers)
    for endpoint in home.node.endpoints {
      #expect(again.node.clusters(of: endpoint) == home.node.clusters(of: endpoint))
    }
  }

  @Test("A number stays the same if services before it are removed or moved")
  func order() throws {
    let home = try MappedHome("sensor-multi-battery")
    var accessories = home.server.database.accessories
    let humidity = try #require(accessories[0].services.first { $0.type == ServiceDefinition.humiditySensor.type })
    accessories[0].services.removeAll { $0.type == ServiceDefinition.temperatureSensor.type }
    let again = MappedHome(try AttributeDatabase(accessories), numbers: home.node.numbers)
    #expect(home.node.endpoints == [1, 2] && again.node.endpoints == [2])
    let expected = home.node.services.first { $0.iid == humidity.iid }?.result
    guard case .endpoint(let before, _, _)? = expected,
      case .endpoint(let after, _, _)? = again.node.services.first(where: { $0.iid == humidity.iid })?.result
    else {
      Issue.record("the humidity sensor has no endpoint")
      return
    }
    #expect(before == 2 && after == 2)
  }

  @Test("The settings of the node come back from their bytes, and damaged ones are refused")
  func settings() throws {
    let home = try MappedHome("light-white")
    #expect(NodeSettings(bytes: NodeSettings().bytes) == NodeSettings())
    #expect(home.write(1, 6, 0x4003, .null) == .success && home.write(1, 8, 0x11, .unsigned(99)) == .success)
    let settings = NodeSettings(home.node.settings)
    let bytes = settings.bytes
    #expect(NodeSettings(bytes: bytes) == settings && settings.values[AttributePath(1, 8, 0x11)] == .unsigned(99))
    for length in bytes.indices { #expect(NodeSettings(bytes: Array(bytes.prefix(length))) == nil) }
    #expect(NodeSettings(bytes: Element(.list([Element(.unsigned(1))])).encoded) == nil)
    #expect(NodeSettings(bytes: Element(.unsigned(1)).encoded) == nil)
  }

  @Test("Damaged bytes are refused, and never trap")
  func damaged() throws {
    let home = try MappedHome("kitchen-sink")
    let good = home.node.numbers.bytes
    var random = SeededGenerator(seed: 11)
    for length in 0..<good.count {
      #expect(throws: EndpointNumbersError.self) { _ = try EndpointNumbers(bytes: Array(good.prefix(length))) }
    }
    for _ in 0..<1000 {
      var bytes = good
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      guard let numbers = try? EndpointNumbers(bytes: bytes) else { continue }
      #expect(numbers.endpoints.values.allSatisfy { $0 > 0 && $0 < numbers.nextEndpoint })
      #expect(Set(numbers.endpoints.values).count == numbers.endpoints.count)
    }
  }

  @Test("Contradictions are refused")
  func contradictions() {
    func structure(_ members: [Element.Value]) -> Element.Value {
      .container(.structure, members.enumerated().map { Element(.context(UInt8($0)), $1) })
    }
    func entry(_ kind: UInt64, _ iid: UInt64, _ number: UInt64) -> Element {
      Element(structure([.unsigned(kind), .unsigned(1), .unsigned(iid), .unsigned(number)]))
    }
    func cluster(_ type: String, _ number: UInt64, _ next: UInt64, _ attributes: [(String, UInt64)]) -> Element {
      let list = attributes.map { Element(structure([.text($0.0), .unsigned($0.1)])) }
      return Element(structure([.text(type), .unsigned(number), .unsigned(next), .list(list)]))
    }
    func bytes(
      version: UInt64 = 1, next: UInt64 = 3, _ endpoints: [Element] = [], _ clusters: [Element] = []
    ) -> [UInt8] {
      Element(structure([.unsigned(version), .unsigned(next), .list(endpoints), .unsigned(3), .list(clusters)])).encoded
    }
    let light = cluster("43", 1, 0, [])
    let good = bytes([entry(2, 1, 1), entry(2, 2, 2)], [cluster("43", 1, 2, [("25", 0), ("8", 1)])])
    #expect((try? EndpointNumbers(bytes: good)) != nil)
    let wrong: [[UInt8]] = [
      bytes(version: 2), bytes(next: 0), bytes(next: 65536), bytes([entry(3, 1, 1)]), bytes([entry(2, 1, 0)]),
      bytes([entry(2, 1, 3)]), bytes([entry(2, 1, 1), entry(2, 1, 2)]), bytes([entry(2, 1, 1), entry(2, 2, 1)]),
      bytes([Element(.unsigned(1))]), bytes([], [cluster("nothing", 1, 0, [])]), bytes([], [cluster("43", 0, 0, [])]),
      bytes([], [cluster("43", 3, 0, [])]), bytes([], [light, cluster("43", 2, 0, [])]),
      bytes([], [light, cluster("44", 1, 0, [])]), bytes([], [cluster("43", 1, 0x4001, [])]),
      bytes([], [cluster("43", 1, 1, [("25", 1)])]), bytes([], [cluster("43", 1, 2, [("25", 0), ("25", 1)])]),
      bytes([], [cluster("43", 1, 2, [("25", 0), ("26", 0)])]),
    ]
    for bytes in wrong { #expect(throws: EndpointNumbersError.self) { _ = try EndpointNumbers(bytes: bytes) } }
  }
}
