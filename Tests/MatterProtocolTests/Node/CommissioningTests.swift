@testable import MatterController
import HAPCrypto
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Commissioning of a node") struct CommissioningTests {
  private let authority = TestAuthority(0x1111, seed: 10)
  private let other = TestAuthority(0x2222, seed: 20)

  @Test("A commissioner takes all steps, and the fabric is stored with CommissioningComplete") func whole() throws {
    var bench = try NodeBench()
    #expect(bench.node.advertisements.commissionable?.mode == 1)
    let factory = bench.stored
    bench.establish()
    #expect(bench.arm() == 0)
    let location: [(UInt8, Element.Value)] = [(0, .unsigned(2)), (1, .text("DE")), (2, .unsigned(4))]
    #expect(bench.invoke(.generalCommissioning, 2, location, by: NodeBench.commissioner).first == 0)
    #expect(try bench.read(.generalCommissioning, 0) == .unsigned(4))
    let key = try bench.requestKey()
    #expect(bench.addRoot(authority) == .status(.success))
    let fields = NodeBench.nocFields(authority.noc(node: 5, publicKey: key), authority)
    #expect(
      bench.invoke(.operationalCredentials, 6, fields, by: NodeBench.commissioner)
        == .response(
          8, [Element(.context(0), .unsigned(0)), Element(.context(1), .unsigned(1))]))
    #expect(bench.effects.contains(.moveSession(to: 1)))
    #expect(bench.effects.contains(.advertisementsChanged))
    let fabric = try #require(bench.node.state[1])
    #expect(bench.node.advertisements.operational == [.init(compressedFabric: fabric.compressedID, node: 5)])
    #expect(bench.node.accessEntries(of: 1) == [AccessEntry(.administer, subjects: [0x100])])
    #expect(bench.stored == factory, "nothing is stored before CommissioningComplete")

    #expect(bench.invoke(.generalCommissioning, 4, by: .passcode(fabric: 1)).first == 2)
    #expect(bench.complete(1) == 0)
    #expect(bench.effects.first == .store(bench.node.state.stored))
    #expect(bench.effects.contains(.endPasscodeSession))
    #expect(bench.node.advertisements.commissionable == nil)
    #expect(try bench.read(.generalCommissioning, 0) == .unsigned(0))
    #expect(try bench.read(.generalCommissioning, 2) == .unsigned(2))
    #expect(try bench.read(.basicInformation, 6) == .text("DE"))
    let restarted = try bench.restarted()
    #expect(restarted.node.state.fabrics == bench.node.state.fabrics)
    #expect(restarted.node.advertisements == bench.node.advertisements)
  }

  /// The number of steps that are taken before the fail-safe expires.
  @Test("Expiry after each step returns to the state before", arguments: 0...5) func undo(steps: Int) throws {
    var bench = try NodeBench()
    let before = (bench.node.state, bench.stored, bench.node.advertisements)
    try take(steps, of: &bench)
    let added = steps == 5
    #expect(bench.stored == before.1)
    let restarted = try bench.restarted()
    #expect(restarted.node.state.fabrics.isEmpty)
    #expect(restarted.node.state.label.isEmpty)
    bench.advance(by: .seconds(60))
    #expect(bench.node.state == before.0)
    #expect(bench.node.failSafe == nil)
    #expect(bench.node.advertisements == before.2)
    #expect(bench.effects.contains(.endPasscodeSession))
    #expect(bench.effects.contains(.endSessions(of: 1)) == added)
    #expect(bench.effects.contains(.advertisementsChanged) == added)
    #expect(try bench.read(.generalCommissioning, 0) == .unsigned(0))
    #expect(try bench.read(.operationalCredentials, 3) == .unsigned(0))
    #expect(try bench.read(.operationalCredentials, 4) == .items([]))
    #expect(try bench.commission(authority) == 1, "a commissioning after it succeeds")
  }

  private func take(_ steps: Int, of bench: inout NodeBench) throws {
    bench.establish()
    if steps > 0 { #expect(bench.arm() == 0) }
    if steps > 1 {
      #expect(bench.write(.basicInformation, 5, .replace(.text("lamp")), by: .passcode(fabric: 0)) == .success)
    }
    let key = steps > 2 ? try bench.requestKey() : []
    if steps > 3 { bench.addRoot(authority) }
    if steps > 4 {
      let fields = NodeBench.nocFields(authority.noc(node: 5, publicKey: key), authority)
      #expect(bench.invoke(.operationalCredentials, 6, fields, by: NodeBench.commissioner).first == 0)
      let label: [(UInt8, Element.Value)] = [(0, .text("home"))]
      #expect(bench.invoke(.operationalCredentials, 9, label, by: .passcode(fabric: 1)).first == 0)
    }
  }

  @Test("The fail-safe is armed for 60 s when the passcode session is established") func automaticArming() throws {
    var bench = try NodeBench()
    bench.establish()
    #expect(bench.node.nextDeadline == bench.node.now + .seconds(60))
    #expect(bench.node.passcodeAccess == nil, "one commissioner at a time")
    bench.advance(by: .seconds(59))
    #expect(bench.node.failSafe != nil)
    bench.advance(by: .seconds(1))
    #expect(bench.node.failSafe == nil)
    #expect(bench.effects.contains(.endPasscodeSession))
    #expect(bench.node.passcodeAccess != nil)
  }

  @Test("The owner extends the fail-safe, at most to 900 s in all; another gets error 4") func extend() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    let owner = NodeBench.administrator(1)
    #expect(bench.arm(600, by: owner) == 0)
    let start = bench.node.now
    bench.advance(by: .seconds(500))
    #expect(bench.arm(600, breadcrumb: 8, by: owner) == 0)
    #expect(bench.node.nextDeadline == start + .seconds(900))
    #expect(bench.arm(60, breadcrumb: 9, by: .node(1, fabric: 2, tags: [])) == 4)
    #expect(bench.arm(0, by: .passcode(fabric: 0)) == 4)
    #expect(try bench.read(.generalCommissioning, 0) == .unsigned(8))
    #expect(bench.arm(0, by: owner) == 0)
    #expect(bench.node.failSafe == nil)
    #expect(bench.arm(0, by: owner) == 0, "disarming twice is no error")
  }

  @Test("A node can't arm the fail-safe first while a window is open") func windowFirst() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    bench.openBasicWindow(by: NodeBench.administrator(1))
    #expect(bench.arm(by: NodeBench.administrator(1)) == 4)
    bench.establish()
    #expect(bench.arm() == 0)
  }

  @Test("CommissioningComplete needs a fail-safe, and its fabric") func completeErrors() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    #expect(bench.complete(1) == 3)
    bench.openBasicWindow(by: NodeBench.administrator(1))
    try bench.addFabric(other)
    #expect(bench.complete(1) == 2)
    #expect(bench.invoke(.generalCommissioning, 4, by: .passcode(fabric: 2)).first == 2)
    #expect(bench.complete(2) == 0)
  }

  @Test("A passcode session that ends before AddNOC undoes its commissioning") func lostSession() throws {
    var bench = try NodeBench()
    bench.establish()
    bench.addRoot(authority)
    bench.node.passcodeSessionEnded()
    bench.take()
    #expect(bench.node.failSafe == nil)
    #expect(bench.effects.contains(.endPasscodeSession) == false)
    #expect(bench.node.passcodeAccess != nil)
    try bench.addFabric(authority)
    bench.node.passcodeSessionEnded()
    #expect(bench.node.failSafe != nil, "CASE can still complete it")
    #expect(bench.complete(1) == 0)
  }

  @Test("Two fabrics: the removal of one harms nothing of the other") func twoFabrics() throws {
    var bench = try NodeBench()
    #expect(try bench.commission(authority) == 1)
    #expect(try bench.commission(other, node: 6) == 2)
    let (first, second) = (NodeBench.administrator(1), NodeBench.administrator(2))
    #expect(try bench.read(.operationalCredentials, 3) == .unsigned(2))
    let kept = try #require(bench.node.state[2])
    #expect(bench.remove(1, by: first) == CredentialStatus.ok.response(1))
    #expect(bench.node.state.fabrics == [kept])
    #expect(bench.effects.first == .store(bench.node.state.stored))
    #expect(bench.effects.filter { $0 == .endSessions(of: 1) }.count == 1)
    #expect(!bench.effects.contains(.endSessions(of: 2)))
    #expect(bench.effects.contains(.event(NodeEvent(.basicInformation, 2, .info, [(0, .unsigned(1))]))))
    #expect(bench.node.advertisements.operational.map(\.node) == [6])
    #expect(bench.node.advertisements.commissionable == nil)
    #expect(try bench.restarted().node.state.fabrics == [kept])

    #expect(bench.write(.basicInformation, 5, .replace(.text("lamp")), by: second) == .success)
    #expect(bench.remove(2, by: second) == CredentialStatus.ok.response(2))
    #expect(bench.node.state == NodeState(), "without fabrics, the node is as it was made")
    #expect(bench.node.advertisements.commissionable?.mode == 1)
    #expect(try bench.restarted().node.state.label.isEmpty)
  }

  @Test("An index is free again after the removal of its fabric") func indices() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    try bench.commission(other)
    bench.remove(1, by: NodeBench.administrator(2))
    bench.openBasicWindow(by: NodeBench.administrator(2))
    #expect(try bench.addFabric(TestAuthority(0x3333, seed: 30)) == 1)
  }

  @Test("An administrator adds a fabric without a window, by its own session") func byNode() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    let owner = NodeBench.administrator(1)
    bench.arm(by: owner)
    let key = try bench.requestKey(by: owner)
    bench.addRoot(other, by: owner)
    let fields = NodeBench.nocFields(other.noc(node: 6, publicKey: key), other, administrator: 0x200)
    #expect(bench.invoke(.operationalCredentials, 6, fields, by: owner) == CredentialStatus.ok.response(2))
    #expect(!bench.effects.contains(.moveSession(to: 2)))
    #expect(bench.arm(by: owner) == 4, "the fail-safe belongs to the new fabric")
    #expect(bench.complete(1) == 2)
    #expect(bench.complete(2) == 0)
    #expect(!bench.effects.contains(.endPasscodeSession))
    #expect(try bench.restarted().node.state.fabrics.map(\.index) == [1, 2])
  }

  @Test("The pending label of the owner does not hide the same label of another") func equalChanges() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    try bench.commission(other)
    bench.arm(by: NodeBench.administrator(1))
    for fabric in [1, 2] as [FabricIndex] {
      let subject = NodeBench.administrator(fabric)
      #expect(bench.write(.basicInformation, 5, .replace(.text("lamp")), by: subject) == .success)
    }
    #expect(try bench.restarted().node.state.label == "lamp")
    bench.advance(by: .seconds(60))
    #expect(bench.node.state.label == "lamp")
  }

  @Test("Changes of other fabrics last when the fail-safe expires") func othersLast() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    bench.openBasicWindow(by: NodeBench.administrator(1))
    try bench.addFabric(other)
    let label: [(UInt8, Element.Value)] = [(0, .text("mine"))]
    bench.invoke(.operationalCredentials, 9, label, by: NodeBench.administrator(1))
    #expect(try bench.restarted().node.state[1]?.label == "mine")
    #expect(try bench.restarted().node.state[2] == nil)
    bench.advance(by: .seconds(60))
    #expect(bench.node.state[1]?.label == "mine")
    #expect(bench.node.state[2] == nil)
  }

  @Test("The removal of the fabric that is being added ends the commissioning") func removeAdded() throws {
    var bench = try NodeBench()
    try bench.addFabric(authority)
    #expect(bench.remove(1, by: .passcode(fabric: 1)).first == 0)
    #expect(bench.effects.filter { $0 == .endSessions(of: 1) }.count == 1)
    #expect(bench.node.failSafe == nil)
    #expect(bench.effects.contains(.endPasscodeSession))
    #expect(bench.node.state == NodeState())
    #expect(bench.node.passcodeAccess != nil)
  }
}
