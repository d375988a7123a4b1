@testable import MatterController
import HAPCrypto
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("The root endpoint") struct RootEndpointTests {
  private let owner = NodeBench.administrator(1)

  private func commissioned(_ count: UInt64 = 1) throws -> NodeBench {
    var bench = try NodeBench()
    for number in 1...count { try bench.commission(TestAuthority(number, seed: number), node: number) }
    return bench
  }

  @Test("Each attribute that is described can be read, and no other") func attributes() throws {
    let bench = try commissioned()
    #expect(bench.node.clusters(of: 0).map(\.id) == [0x1D, 0x1F, 0x28, 0x30, 0x31, 0x33, 0x3C, 0x3E, 0x3F])
    for description in bench.node.clusters(of: 0) {
      let cluster = try #require(RootCluster(rawValue: description.id))
      let described = Set(description.attributes.map(\.number))
      #expect(description.attributes.map(\.number) == described.sorted())
      for number in 0..<40 as Range<AttributeNumber> {
        let value = try? bench.read(cluster, number, by: owner)
        #expect((value != nil) == described.contains(number), "\(cluster) \(number)")
      }
    }
  }

  @Test("Attributes that are described as writable can be written, and no others") func writable() throws {
    var bench = try commissioned()
    for description in bench.node.clusters(of: 0) {
      let cluster = try #require(RootCluster(rawValue: description.id))
      for attribute in description.attributes {
        // A value that no attribute takes.
        let status = bench.write(cluster, attribute.number, .replace(.double(1)), by: owner)
        #expect(status.code == (attribute.write == nil ? .unsupportedWrite : .invalidDataType))
      }
      #expect(bench.write(cluster, 99, .replace(.null), by: owner).code == .unsupportedWrite)
    }
  }

  @Test("Commands that are not described are not supported") func commands() throws {
    var bench = try commissioned()
    for description in bench.node.clusters(of: 0) {
      let cluster = try #require(RootCluster(rawValue: description.id))
      for number in 0..<16 as Range<CommandNumber> {
        let isDescribed = description.commands.contains { $0.number == number }
        let isRefused = bench.invoke(cluster, number, by: owner).status?.code == .unsupportedCommand
        #expect(isRefused == !isDescribed, "\(cluster) \(number)")
      }
    }
    let unknown = bench.node.invoke(CommandPath(0, 6, 0), Element(.anonymous, .fields([])), for: owner)
    #expect(unknown == .status(InteractionStatus(.unsupportedCommand)))
  }

  @Test("The descriptor lists the clusters, and all endpoints of the application") func descriptor() throws {
    var bench = try commissioned()
    #expect(try bench.read(.descriptor, 0) == .items([.fields([(0, .unsigned(0x16)), (1, .unsigned(3))])]))
    #expect(try bench.read(.descriptor, 1).items == bench.node.clusters(of: 0).map { .unsigned(UInt64($0.id)) })
    #expect(try bench.read(.descriptor, 3) == .items([.unsigned(1), .unsigned(2)]))
    #expect(bench.node.endpoints == [0, 1, 2])
    let version = bench.node.dataVersion(of: 0, 0x1D)
    bench.node.application = TestApplication(endpoints: [3])
    bench.node.partsChanged()
    bench.take()
    #expect(bench.effects == [.attributeChanged(AttributePath(0, 0x1D, 3))])
    #expect(bench.node.dataVersion(of: 0, 0x1D) == version &+ 1)
    #expect(try bench.read(.descriptor, 3) == .items([.unsigned(3)]))
  }

  @Test("Other endpoints are those of the application") func application() throws {
    var bench = try commissioned()
    #expect(bench.node.clusters(of: 1).map(\.id) == [6])
    #expect(bench.node.clusters(of: 9).isEmpty)
    #expect(bench.node.dataVersion(of: 1, 6) == 77)
    #expect(bench.node.deviceTypes(of: 1) == [0x0101])
    #expect(bench.node.deviceTypes(of: 0) == [0x16])
    var buffer = ByteBuffer()
    try bench.node.read(AttributePath(1, 6, 0), for: owner, isFabricFiltered: true, tag: .context(2), into: &buffer)
    #expect(try Element(decoding: buffer.bytes) == Element(.context(2), .bool(true)))
    let outcome = bench.node.invoke(CommandPath(1, 6, 0), Element(.anonymous, .fields([])), for: owner)
    #expect(outcome.status?.code == .busy)
    #expect(throws: InteractionStatus(.unsupportedWrite)) {
      try bench.node.write(AttributePath(1, 6, 0), .replace(.null), for: owner)
    }
  }

  @Test("The constants of the device are attributes") func constants() throws {
    let bench = try commissioned()
    let expected: [(AttributeNumber, Element.Value)] = [
      (0, .unsigned(18)), (1, .text("hapsim")), (2, .unsigned(0xFFF1)), (3, .text("Lamp")), (4, .unsigned(0x8000)),
      (5, .text("")), (6, .text("XX")), (7, .unsigned(1)), (8, .text("1")), (9, .unsigned(1)), (10, .text("1.0")),
      (15, .text("0123")), (18, .text("f0e1d2c3")), (21, .unsigned(0x0104_0000)), (22, .unsigned(1)),
    ]
    for (number, value) in expected { #expect(try bench.read(.basicInformation, number) == value) }
    #expect(
      try bench.read(.networkCommissioning, 1)
        == .items([.fields([(0, .octets(Array("eth0".utf8))), (1, .bool(true))])]))
    let interface = try bench.read(.generalDiagnostics, 0).items[0]
    #expect(interface.field(4) == .octets([2, 0, 0, 0, 0, 1]))
    #expect(interface.field(5) == .items([.octets([10, 0, 0, 1])]))
    #expect(interface.field(7) == .unsigned(2))
  }

  @Test("The label, the location and the breadcrumb can be written") func writes() throws {
    var bench = try commissioned()
    let version = bench.node.dataVersion(of: 0, 0x28)
    #expect(bench.write(.basicInformation, 5, .replace(.text("lamp")), by: owner) == .success)
    #expect(bench.node.dataVersion(of: 0, 0x28) == version &+ 1)
    #expect(bench.write(.basicInformation, 6, .replace(.text("DE")), by: owner) == .success)
    #expect(bench.write(.generalCommissioning, 0, .replace(.unsigned(.max)), by: owner) == .success)
    #expect(bench.write(.networkCommissioning, 4, .replace(.bool(true)), by: owner) == .success)
    #expect(bench.write(.networkCommissioning, 4, .replace(.bool(false)), by: owner).code == .invalidInState)
    let long = String(repeating: "ä", count: 17)
    #expect(bench.write(.basicInformation, 5, .replace(.text(long)), by: owner).code == .constraintError)
    #expect(bench.write(.basicInformation, 6, .replace(.text("DEU")), by: owner).code == .constraintError)
    #expect(bench.write(.basicInformation, 5, .append(.text("x")), by: owner).code == .invalidDataType)
    #expect(try bench.read(.basicInformation, 5) == .text("lamp"))
    let restarted = try bench.restarted()
    #expect(try restarted.read(.basicInformation, 5) == .text("lamp"))
    #expect(try restarted.read(.basicInformation, 6) == .text("DE"))
    #expect(try restarted.read(.generalCommissioning, 0) == .unsigned(0))
  }

  @Test("An identical write changes no version") func identicalWrite() throws {
    var bench = try commissioned()
    let version = bench.node.dataVersion(of: 0, 0x28)
    #expect(bench.write(.basicInformation, 5, .replace(.text("")), by: owner) == .success)
    #expect(bench.node.dataVersion(of: 0, 0x28) == version)
  }

  @Test("Fabrics are listed for all; certificates of others are left out") func credentials() throws {
    let bench = try commissioned(2)
    let all = try bench.read(.operationalCredentials, 1, by: owner).items
    #expect(all.count == 2)
    #expect(all[1].field(3) == .unsigned(2))
    #expect(all[1].field(4) == .unsigned(2))
    #expect(all[1].field(1) == .octets(TestAuthority(2, seed: 2).authority.root.publicKey))
    #expect(try bench.read(.operationalCredentials, 1, by: owner, isFiltered: true).items == [all[0]])
    let nocs = try bench.read(.operationalCredentials, 0, by: owner).items
    #expect(nocs[0].field(1) == bench.node.state[1].map { .octets($0.noc) })
    #expect(nocs[0].field(2) == .octets(TestAuthority(1, seed: 1).icac!))
    #expect(nocs[1] == .fields([(0xFE, .unsigned(2))]))
    #expect(try bench.read(.operationalCredentials, 4).items.count == 2)
    #expect(try bench.read(.operationalCredentials, 5, by: owner) == .unsigned(1))
    #expect(try bench.read(.operationalCredentials, 5) == .unsigned(0))
    #expect(bench.node.fabricCredentials.map(\.node) == [1, 2])
    #expect(bench.node.fabricCredentials.map(\.compressedID) == bench.node.state.fabrics.map(\.compressedID))
  }

  @Test("The start and the stop are events; the reboots are counted") func starts() throws {
    var bench = try NodeBench()
    #expect(bench.effects.contains(.event(NodeEvent(.basicInformation, 0, .critical, [(0, .unsigned(1))]))))
    #expect(bench.effects.contains(.event(NodeEvent(.generalDiagnostics, 3, .critical, [(0, .unsigned(1))]))))
    bench.node.shutDown()
    bench.take()
    #expect(bench.effects == [.event(NodeEvent(.basicInformation, 1, .critical, []))])
    let second = try bench.restarted()
    #expect(try second.read(.generalDiagnostics, 1) == .unsigned(1))
    #expect(try second.restarted().read(.generalDiagnostics, 1) == .unsigned(2))
  }

  @Test("The number of events is stored at once, and only rises") func eventNumber() throws {
    var bench = try NodeBench()
    try bench.addFabric(TestAuthority(1, seed: 1))
    bench.node.storeEventNumber(1025)
    bench.take()
    #expect(try bench.restarted().node.state.eventNumber == 1025)
    bench.advance(by: .seconds(60))
    #expect(bench.node.state.eventNumber == 1025, "an expired fail-safe does not lower it")
    try bench.commission(TestAuthority(1, seed: 1))
    bench.remove(1, by: owner)
    #expect(bench.node.state.eventNumber == 1025, "nor does the removal of the last fabric")
  }

  @Test("The up time counts from the start") func upTime() throws {
    var bench = try NodeBench()
    bench.advance(by: .milliseconds(61_999))
    #expect(try bench.read(.generalDiagnostics, 2) == .unsigned(61))
    let snapshot = bench.invoke(.generalDiagnostics, 1, by: owner)
    #expect(snapshot == .response(2, [Element(.context(0), .unsigned(61_999)), Element(.context(1), .null)]))
  }

  @Test("Data versions are random at the start") func versions() throws {
    let (one, two) = (try NodeBench(seed: 1), try NodeBench(seed: 2))
    for cluster in one.node.clusters(of: 0) {
      #expect(one.node.dataVersion(of: 0, cluster.id) != two.node.dataVersion(of: 0, cluster.id))
    }
  }

  // MARK: Group keys

  @Test("The epoch keys of key set 0 can be replaced, but not read") func keySets() throws {
    var bench = try commissioned()
    func set(_ id: UInt64, _ keys: [(UInt8, Element.Value)], policy: UInt64 = 0) -> InteractionStatus? {
      let value = Element.Value.fields([(0, .unsigned(id)), (1, .unsigned(policy))] + keys)
      return bench.invoke(.groupKeyManagement, 0, [(0, value)], by: owner).status
    }
    func key(_ place: UInt8, start: UInt64, count: Int = 16) -> [(UInt8, Element.Value)] {
      [(2 + 2 * place, .octets([UInt8](repeating: place, count: count))), (3 + 2 * place, .unsigned(start))]
    }
    #expect(set(0, key(0, start: 1) + key(1, start: 2)) == .success)
    #expect(bench.node.state[1]?.epochKeys.count == 2)
    #expect(try bench.restarted().node.state[1]?.epochKeys == bench.node.state[1]?.epochKeys)
    let read = bench.invoke(.groupKeyManagement, 1, [(0, .unsigned(0))], by: owner)
    let members: [(UInt8, Element.Value)] = [
      (0, .unsigned(0)), (1, .unsigned(0)), (2, .null), (3, .unsigned(1)), (4, .null), (5, .unsigned(2)), (6, .null),
      (7, .null),
    ]
    #expect(read == .response(2, [Element(.context(0), .fields(members))]))
    #expect(set(0, [])?.code == .invalidCommand)
    #expect(set(0, key(1, start: 2))?.code == .invalidCommand)
    #expect(set(0, key(0, start: 2) + key(1, start: 2))?.code == .invalidCommand)
    #expect(set(0, [key(0, start: 1)[0]])?.code == .invalidCommand)
    #expect(set(0, key(0, start: 1, count: 15))?.code == .constraintError)
    #expect(set(0, key(0, start: 1), policy: 1)?.code == .constraintError)
    #expect(set(1, key(0, start: 1))?.code == .resourceExhausted)
    #expect(bench.invoke(.groupKeyManagement, 1, [(0, .unsigned(1))], by: owner).status?.code == .notFound)
    #expect(bench.invoke(.groupKeyManagement, 3, [(0, .unsigned(1))], by: owner).status?.code == .notFound)
    #expect(bench.invoke(.groupKeyManagement, 3, [(0, .unsigned(0))], by: owner).status?.code == .invalidCommand)
    let all = bench.invoke(.groupKeyManagement, 4, by: owner)
    #expect(all == .response(5, [Element(.context(0), .items([.unsigned(0)]))]))
    #expect(bench.invoke(.groupKeyManagement, 4, by: NodeBench.commissioner).status?.code == .unsupportedAccess)
  }

  @Test("The group key map is a list of each fabric") func groupKeyMap() throws {
    var bench = try commissioned(2)
    func entry(_ group: UInt64, _ set: UInt64) -> Element.Value {
      .fields([(1, .unsigned(group)), (2, .unsigned(set))])
    }
    func write(_ change: AttributeChange) -> InteractionStatus.Code {
      bench.write(.groupKeyManagement, 0, change, by: owner).code
    }
    #expect(write(.replace(.items([entry(1, 1), entry(2, 1)]))) == .success)
    #expect(write(.append(entry(3, 1))) == .success)
    #expect(write(.append(entry(3, 1))) == .constraintError)
    #expect(write(.append(entry(4, 0))) == .constraintError)
    #expect(write(.append(entry(0, 1))) == .constraintError)
    #expect(write(.append(.fields([(1, .unsigned(1))]))) == .invalidDataType)
    #expect(write(.append(entry(4, 1))) == .success)
    #expect(write(.append(entry(5, 1))) == .resourceExhausted)
    #expect(write(.replace(.null)) == .invalidDataType)
    #expect(try bench.read(.groupKeyManagement, 0, by: owner).items.count == 4)
    #expect(try bench.read(.groupKeyManagement, 0, by: NodeBench.administrator(2), isFiltered: true).items.isEmpty)
    #expect(try bench.restarted().node.state[1]?.groupKeyMap.count == 4)
    let refused = bench.write(.groupKeyManagement, 0, .replace(.items([])), by: NodeBench.commissioner)
    #expect(refused.code == .unsupportedAccess)
  }
}
