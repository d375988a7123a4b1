import HAPCrypto
import HAPModel
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import MatterBridge

/// The structure of a node, from a read of all attributes: what the step `composition` of the script for connectedhomeip's
/// controller checks, with our catalogue instead of the controller's, and what the catalogue demands besides.
struct Composition {
  private(set) var problems: [String] = []
  private let values: [AttributePath: Element.Value]
  private let catalogue: MatterCatalogue
  private let endpoints: Set<EndpointNumber>

  init(_ values: [AttributePath: Element.Value]) throws {
    self.values = values
    catalogue = try MatterCatalogue()
    endpoints = Set(values.keys.map(\.endpoint))
    let parts = Set(numbers(AttributePath(0, 0x1D, 3)) ?? [])
    if parts != Set(endpoints.filter { $0 != 0 }.map { UInt64($0) }) {
      problems.append("PartsList of endpoint 0 is not the other endpoints")
    }
    for endpoint in endpoints.sorted() { check(endpoint) }
  }

  private func numbers(_ path: AttributePath) -> [UInt64]? {
    guard case .container(.array, _)? = values[path] else { return nil }
    return values[path]?.numbers
  }

  private mutating func check(_ endpoint: EndpointNumber) {
    let clusters = Set(values.keys.filter { $0.endpoint == endpoint }.map(\.cluster))
    guard clusters.contains(0x1D) else { return problems.append("\(endpoint): no Descriptor") }
    if numbers(AttributePath(endpoint, 0x1D, 1)) != clusters.sorted().map({ UInt64($0) }) {
      problems.append("\(endpoint): ServerList is not the clusters")
    }
    let descriptions = clusters.sorted().map { describe(endpoint, $0) }
    for problem in EndpointConformance.problems(deviceTypes: deviceTypes(endpoint), clusters: descriptions) {
      // Events can't be read.
      if !problem.description.contains(" the event ") { problems.append("\(endpoint): \(problem)") }
    }
  }

  private func deviceTypes(_ endpoint: EndpointNumber) -> [(number: UInt32, revision: UInt16)] {
    guard case .container(.array, let members)? = values[AttributePath(endpoint, 0x1D, 0)] else { return [] }
    return members.compactMap { member in
      guard case .unsigned(let number)? = member[0], case .unsigned(let revision)? = member[1] else { return nil }
      return (UInt32(number), UInt16(revision))
    }
  }

  /// Checks the global attributes and the values of a cluster.
  private mutating func describe(_ endpoint: EndpointNumber, _ cluster: ClusterID) -> ClusterDescription {
    let place = "\(endpoint)/\(cluster.clusterName)"
    let there = Set(values.keys.filter { $0.endpoint == endpoint && $0.cluster == cluster }.map(\.attribute))
    for missing in GlobalAttribute.allCases where !there.contains(missing.rawValue) {
      problems.append("\(place): no \(missing)")
    }
    func list(_ attribute: GlobalAttribute) -> [UInt32] {
      (numbers(AttributePath(endpoint, cluster, attribute.rawValue)) ?? []).map { UInt32($0) }
    }
    func number(_ attribute: GlobalAttribute) -> UInt64 {
      guard case .unsigned(let number)? = values[AttributePath(endpoint, cluster, attribute.rawValue)] else { return 0 }
      return number
    }
    if list(.attributeList) != there.sorted() { problems.append("\(place): AttributeList is not what was read") }
    let attributes = there.filter { GlobalAttribute(rawValue: $0) == nil }.sorted()
    if cluster <= 0xFFFF {
      for attribute in attributes {
        let value = values[AttributePath(endpoint, cluster, attribute)] ?? .null
        if let mistake = catalogue.mistake(in: value, of: attribute, cluster) {
          problems.append("\(place): \(attribute.digits) can't be decoded: \(mistake)")
        }
      }
    }
    return ClusterDescription(
      cluster, revision: UInt16(number(.clusterRevision)), features: UInt32(number(.featureMap)),
      attributes: attributes.map { .init($0) }, commands: list(.acceptedCommandList).map { .init($0) })
  }
}

/// Checked: these tests fail with a number instead of a Boolean in a sensor.
@Suite("Matter: the composition of nodes") struct CompositionTests {
  private static let configuration = NodeConfiguration(
    vendorName: "hapsim", productName: "Everything", serialNumber: "0123", uniqueID: "f0e1d2c3", deviceType: 0x0E,
    interface: NodeInterface(
      name: "eth0", hardwareAddress: [2, 0, 0, 0, 0, 1], ipv4Addresses: [[10, 0, 0, 1]],
      ipv6Addresses: [[0xFE, 0x80] + [UInt8](repeating: 0, count: 14)]),
    passcode: passcode, discriminator: 3840, credentials: credentials,
    declaration: CertificationDeclaration(vendor: 0xFFF1, products: [0x8000], deviceType: 0x0E)
      .signed(random: .seeded(3)))
  private static let passcode: PasscodeAccess = {
    let salt = [UInt8](repeating: 1, count: 16)
    let secrets = SPAKE2Plus.Secrets(passcode: 20_202_021, salt: salt, iterations: 1000)
    guard let secrets, let access = PasscodeAccess(verifier: secrets.verifier, iterations: 1000, salt: salt) else {
      preconditionFailure("the passcode is valid")
    }
    return access
  }()
  private static let credentials = DeviceCredentials(
    vendor: 0xFFF1, product: 0x8000, authority: AttestationAuthority(random: .seeded(1)), random: .seeded(2))

  private func values(_ home: MappedHome) throws -> [AttributePath: Element.Value] {
    let node = try MatterNode(
      Self.configuration, application: home.node, stored: nil, random: .seeded(4), at: .zero)
    return try Initiator(home, node: node).readAll()
  }

  /// One bridge with the accessories of all profiles, except for the many copies of one of them.
  private static func bridge() throws -> AttributeDatabase {
    var accessories: [Accessory] = []
    for name in ["bridge-two-lights"] + MappedHome.profiles where name != "bridge-149" {
      for accessory in try MappedHome.database(name).accessories {
        accessories.append(Accessory(aid: UInt64(accessories.count + 1), services: accessory.services))
      }
    }
    return try AttributeDatabase(accessories)
  }

  @Test("The node of each profile fits together", arguments: MappedHome.profiles)
  func profile(_ name: String) throws {
    let problems = try Composition(values(MappedHome(name))).problems
    #expect(problems == [])
  }

  @Test("One bridge with all profiles fits together")
  func everything() throws {
    let home = MappedHome(try Self.bridge())
    #expect(home.node.endpoints.count > 100)
    let values = try values(home)
    #expect(Set(values.keys.map(\.endpoint)).count == home.node.endpoints.count + 1)
    let problems = try Composition(values).problems
    #expect(problems == [])
  }

  @Test("Each fault in the composition is found")
  func faults() throws {
    let sound = try values(MappedHome("light-colour"))
    func problems(_ change: (inout [AttributePath: Element.Value]) -> Void) throws -> [String] {
      var values = sound
      change(&values)
      return try Composition(values).problems
    }
    func path(_ cluster: ClusterID, _ attribute: AttributeNumber) -> AttributePath {
      AttributePath(1, cluster, attribute)
    }
    #expect(try problems { _ in } == [])
    // What the script for the controller finds.
    #expect(
      try problems { $0[AttributePath(0, 0x1D, 3)] = .list([]) } == [
        "PartsList of endpoint 0 is not the other endpoints"
      ])
    #expect(
      try problems { values in values = values.filter { $0.key.endpoint != 1 || $0.key.cluster != 0x1D } }.contains(
        "1: no Descriptor"))
    #expect(try problems { $0[path(0x1D, 1)] = .list([]) } == ["1: ServerList is not the clusters"])
    #expect(try problems { $0[path(0x1D, 0)] = .list([]) } == ["1: the endpoint has no device type"])
    #expect(try problems { $0[path(6, 0xFFFD)] = nil }.contains("1/0006 OnOff: no clusterRevision"))
    #expect(try problems { $0[path(6, 0)] = nil }.contains("1/0006 OnOff: AttributeList is not what was read"))
    #expect(
      try problems { $0[path(6, 0x123)] = .null }.contains(
        "1: the cluster 0006 OnOff does not allow the attribute 0123"))
    #expect(
      try problems { $0[path(6, 0xFFF9)] = .list([0, 1, 2, 0x40, 0x41, 0x42, 0x77].map { Element(.unsigned($0)) }) }
        == ["1: the cluster 0006 OnOff does not allow the command 0077"])
    #expect(
      try problems { $0[path(6, 0)] = .unsigned(UInt64(1)) }
        == ["1/0006 OnOff: 0000 can't be decoded: no bool: unsigned(1)"])
    // What the catalogue demands besides.
    #expect(
      try problems { $0[path(6, 0xFFF9)] = .list([0, 1, 2, 0x40, 0x41].map { Element(.unsigned($0)) }) }
        == ["1: the cluster 0006 OnOff demands the command 0042 OnWithTimedOff"])
    #expect(try problems { $0[path(8, 0)] = .unsigned(UInt64(256)) }.count == 1)
    #expect(try problems { $0[path(8, 2)] = .null } == ["1/0008 LevelControl: 0002 can't be decoded: null"])
    #expect(try problems { $0[path(6, 0xFFFC)] = .unsigned(UInt64(0)) }.count > 5)
  }
}
