import HAPCrypto
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Commands of OperationalCredentials") struct CredentialStatusTests {
  private let authority = TestAuthority(0x1111, seed: 10)
  private let other = TestAuthority(0x2222, seed: 20)
  private let passcode = NodeBench.commissioner

  /// A node at AddNOC, and the public key of its request.
  private func armed(root: Bool = true) throws -> (NodeBench, [UInt8]) {
    var bench = try NodeBench()
    bench.establish()
    let key = try bench.requestKey()
    if root { bench.addRoot(authority) }
    return (bench, key)
  }

  private func add(
    _ noc: [UInt8], administrator: NodeID = 0x100, vendor: UInt64 = 0xFFF1, to bench: inout NodeBench
  ) -> CommandOutcome {
    let before = (bench.node.state, bench.stored)
    let fields = NodeBench.nocFields(noc, authority, administrator: administrator, vendor: vendor)
    let outcome = bench.invoke(.operationalCredentials, 6, fields, by: passcode)
    if outcome.first != 0 {
      #expect(bench.node.state == before.0)
      #expect(bench.stored == before.1)
    }
    return outcome
  }

  @Test("AddNOC: another public key than that of the request") func publicKey() throws {
    var (bench, _) = try armed()
    let noc = authority.noc(node: 5, publicKey: CurveKey(random: .seeded(3)).publicKey)
    #expect(add(noc, to: &bench) == CredentialStatus.invalidPublicKey.response())
  }

  @Test("AddNOC: a node identifier that is not operational", arguments: [0, 0xFFFF_FFF0_0000_0000, UInt64.max])
  func nodeID(node: NodeID) throws {
    var (bench, key) = try armed()
    let outcome = add(authority.noc(node: node, publicKey: key), to: &bench)
    #expect(outcome == CredentialStatus.invalidNodeID.response())
  }

  @Test("AddNOC: certificates that are no chain") func chain() throws {
    var (bench, key) = try armed()
    let invalid = CredentialStatus.invalidNOC.response()
    #expect(add([1, 2, 3], to: &bench) == invalid)
    #expect(add(authority.root, to: &bench) == invalid)
    let foreign = authority.noc(node: 5, publicKey: key, signer: CurveKey(random: .seeded(3)))
    #expect(add(foreign, to: &bench) == invalid)
    #expect(add(other.noc(node: 5, publicKey: key), to: &bench) == invalid)
    #expect(add(authority.noc(node: 5, publicKey: key), to: &bench).first == 0)
  }

  @Test("AddNOC: no root was added") func noRoot() throws {
    var (bench, key) = try armed(root: false)
    #expect(add(authority.noc(node: 5, publicKey: key), to: &bench) == CredentialStatus.invalidNOC.response())
  }

  @Test("AddNOC: no key was requested, or one for UpdateNOC") func missingCSR() throws {
    var bench = try NodeBench()
    bench.establish()
    bench.addRoot(authority)
    let noc = authority.noc(node: 5, publicKey: CurveKey(random: .seeded(3)).publicKey)
    #expect(add(noc, to: &bench) == CredentialStatus.missingCSR.response())

    bench = try NodeBench()
    try bench.commission(authority)
    let owner = NodeBench.administrator(1)
    bench.arm(by: owner)
    let key = try bench.requestKey(by: owner, isForUpdate: true)
    bench.addRoot(other, by: owner)
    let fields = NodeBench.nocFields(other.noc(node: 5, publicKey: key), other)
    #expect(bench.invoke(.operationalCredentials, 6, fields, by: owner).status?.code == .constraintError)
  }

  @Test("AddNOC: an administrator that is no node and no tag", arguments: [0, 0xFFFF_FFFD_0001_0000, UInt64.max])
  func administrator(subject: UInt64) throws {
    var (bench, key) = try armed()
    let noc = authority.noc(node: 5, publicKey: key)
    #expect(
      add(noc, administrator: subject, to: &bench) == CredentialStatus.invalidAdminSubject.response())
    #expect(add(noc, administrator: 0xFFFF_FFFD_0001_0001, to: &bench).first == 0)
  }

  @Test("AddNOC: a fabric that the node belongs to") func conflict() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    bench.openBasicWindow(by: NodeBench.administrator(1))
    bench.establish()
    let key = try bench.requestKey()
    bench.addRoot(authority)
    let noc = authority.noc(node: 6, publicKey: key)
    #expect(add(noc, to: &bench) == CredentialStatus.fabricConflict.response())
  }

  @Test("AddNOC: the table has 16 fabrics") func tableFull() throws {
    var bench = try NodeBench()
    for number in 1...UInt64(NodeState.mostFabrics) {
      #expect(try bench.commission(TestAuthority(number, seed: number)) == FabricIndex(number))
    }
    bench.openBasicWindow(by: NodeBench.administrator(1))
    bench.establish()
    let key = try bench.requestKey()
    bench.addRoot(authority)
    #expect(add(authority.noc(node: 5, publicKey: key), to: &bench) == CredentialStatus.tableFull.response())
    #expect(try bench.restarted().node.state.fabrics.count == 16)
  }

  @Test("Once a fabric is added, the fail-safe takes no second one") func once() throws {
    var bench = try NodeBench()
    try bench.addFabric(authority)
    let subject = Subject.passcode(fabric: 1)
    #expect(bench.addRoot(other, by: subject).status?.code == .constraintError)
    let nonce: [(UInt8, Element.Value)] = [(0, .octets([UInt8](repeating: 1, count: 32)))]
    #expect(bench.invoke(.operationalCredentials, 4, nonce, by: subject).status?.code == .constraintError)
    let fields = NodeBench.nocFields(authority.root, authority)
    #expect(bench.invoke(.operationalCredentials, 6, fields, by: subject).status?.code == .constraintError)
    #expect(bench.invoke(.operationalCredentials, 7, fields, by: subject).status?.code == .constraintError)
  }

  @Test("A second root, and one that is no root, are refused") func roots() throws {
    var bench = try NodeBench()
    bench.establish()
    let key = CurveKey(random: .seeded(3)).publicKey
    let noc: [(UInt8, Element.Value)] = [(0, .octets(authority.noc(node: 5, publicKey: key)))]
    #expect(bench.invoke(.operationalCredentials, 11, noc, by: passcode).status?.code == .invalidCommand)
    var damaged = authority.root
    damaged[damaged.count - 3] ^= 1
    let fields: [(UInt8, Element.Value)] = [(0, .octets(damaged))]
    #expect(bench.invoke(.operationalCredentials, 11, fields, by: passcode).status?.code == .invalidCommand)
    #expect(bench.addRoot(authority) == .status(.success))
    #expect(try bench.read(.operationalCredentials, 4) == .items([.octets(authority.root)]))
    #expect(bench.addRoot(other).status?.code == .constraintError)
  }

  @Test("Commands 4, 6, 7 and 11 need the fail-safe of the subject", arguments: [4, 6, 7, 11] as [CommandNumber])
  func failSafeRequired(command: CommandNumber) throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    let owner = NodeBench.administrator(1)
    let fields: [(UInt8, Element.Value)] =
      command == 4 ? [(0, .octets([UInt8](repeating: 1, count: 32)))] : NodeBench.nocFields(authority.root, authority)
    #expect(bench.invoke(.operationalCredentials, command, fields, by: owner).status?.code == .failsafeRequired)
    bench.arm(by: .node(9, fabric: 2, tags: []))
    #expect(bench.invoke(.operationalCredentials, command, fields, by: owner).status?.code == .failsafeRequired)
  }

  // MARK: UpdateNOC

  /// A node with a fabric whose administrator has requested a key for UpdateNOC.
  private func updating(_ authority: TestAuthority) throws -> (NodeBench, [UInt8]) {
    var bench = try NodeBench()
    try bench.commission(authority)
    bench.arm(by: NodeBench.administrator(1))
    let key = try bench.requestKey(by: NodeBench.administrator(1), isForUpdate: true)
    return (bench, key)
  }

  @Test("UpdateNOC changes the credentials when the commissioning completes", arguments: [true, false])
  func update(isComplete: Bool) throws {
    var (bench, key) = try updating(authority)
    let (old, stored) = (bench.node.state, bench.stored)
    let noc = authority.noc(node: 77, publicKey: key)
    let owner = NodeBench.administrator(1)
    #expect(bench.invoke(.operationalCredentials, 7, NodeBench.nocFields(noc, authority), by: owner).first == 0)
    #expect(bench.effects.contains(.endSessions(of: 1)))
    #expect(bench.effects.contains(.advertisementsChanged))
    #expect(bench.stored == stored)
    #expect(bench.node.advertisements.operational.map(\.node) == [77])
    let access = bench.node.accessEntries(of: 1)
    if isComplete {
      #expect(bench.complete(1) == 0)
      #expect(bench.node.state[1]?.noc == noc)
    } else {
      bench.advance(by: .seconds(60))
      #expect(bench.node.state == old)
      #expect(bench.effects.contains(.endSessions(of: 1)))
      #expect(bench.effects.contains(.advertisementsChanged))
    }
    #expect(bench.node.accessEntries(of: 1) == access)
    #expect(try bench.restarted().node.state.fabrics == bench.node.state.fabrics)
  }

  @Test("UpdateNOC: certificates that do not fit") func updateErrors() throws {
    let authority = TestAuthority(0x1111, seed: 10, hasIntermediate: false)
    var (bench, key) = try updating(authority)
    let owner = NodeBench.administrator(1)
    func update(_ noc: [UInt8]) -> CommandOutcome {
      bench.invoke(.operationalCredentials, 7, NodeBench.nocFields(noc, authority), by: owner)
    }
    #expect(update([1]) == CredentialStatus.invalidNOC.response())
    #expect(update(other.noc(node: 5, publicKey: key)) == CredentialStatus.invalidNOC.response())
    #expect(update(authority.noc(node: 5, publicKey: key, fabric: 3)) == CredentialStatus.invalidNOC.response())
    let foreign = CurveKey(random: .seeded(3)).publicKey
    #expect(update(authority.noc(node: 5, publicKey: foreign)) == CredentialStatus.invalidPublicKey.response())
  }

  @Test("UpdateNOC: no key was requested, or one for AddNOC") func updateKeys() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    let owner = NodeBench.administrator(1)
    bench.arm(by: owner)
    let noc = authority.noc(node: 5, publicKey: CurveKey(random: .seeded(3)).publicKey)
    #expect(
      bench.invoke(.operationalCredentials, 7, NodeBench.nocFields(noc, authority), by: owner)
        == CredentialStatus.missingCSR.response())
    _ = try bench.requestKey(by: owner)
    #expect(
      bench.invoke(.operationalCredentials, 7, NodeBench.nocFields(noc, authority), by: owner).status?.code
        == .constraintError)
  }

  @Test("A passcode session can't request a key for UpdateNOC") func updateByPasscode() throws {
    var bench = try NodeBench()
    bench.establish()
    let fields: [(UInt8, Element.Value)] = [(0, .octets([UInt8](repeating: 1, count: 32))), (1, .bool(true))]
    #expect(bench.invoke(.operationalCredentials, 4, fields, by: passcode).status?.code == .invalidCommand)
  }

  // MARK: Labels, removal

  @Test("Labels that another fabric has are refused") func labels() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    try bench.commission(other)
    func label(_ text: String, _ fabric: FabricIndex) -> CommandOutcome {
      bench.invoke(.operationalCredentials, 9, [(0, .text(text))], by: NodeBench.administrator(fabric))
    }
    #expect(label("", 1) == CredentialStatus.ok.response(1), "no label is no conflict")
    #expect(label("home", 1) == CredentialStatus.ok.response(1))
    #expect(label("home", 2) == CredentialStatus.labelConflict.response())
    #expect(label("home", 1) == CredentialStatus.ok.response(1))
    #expect(label("", 2) == CredentialStatus.ok.response(2))
    #expect(label("home", 3) == CredentialStatus.invalidFabricIndex.response())
    #expect(label(String(repeating: "x", count: 33), 1).status?.code == .constraintError)
    #expect(try bench.restarted().node.state[1]?.label == "home")
  }

  @Test("RemoveFabric: an index without a fabric") func removeUnknown() throws {
    var bench = try NodeBench()
    try bench.commission(authority)
    #expect(bench.remove(2, by: NodeBench.administrator(1)) == CredentialStatus.invalidFabricIndex.response())
    for index in [0, 255] as [FabricIndex] {
      #expect(bench.remove(index, by: NodeBench.administrator(1)).status?.code == .invalidCommand)
    }
  }

  // MARK: Attestation

  private func octets(_ outcome: CommandOutcome, _ response: CommandNumber) throws -> [[UInt8]] {
    guard case .response(response, let members) = outcome else { throw outcome.status ?? .success }
    return members.compactMap { if case .octets(let octets) = $0.value { octets } else { nil } }
  }

  @Test("A commissioner verifies the certificates, the attestation and the request for a key") func attestation() throws
  {
    var bench = try NodeBench()
    bench.establish()
    let nonce = [UInt8](repeating: 5, count: 32)
    let device = try octets(bench.invoke(.operationalCredentials, 2, [(0, .unsigned(1))], by: passcode), 3)[0]
    let intermediate = try octets(bench.invoke(.operationalCredentials, 2, [(0, .unsigned(2))], by: passcode), 3)[0]
    let verifier = try AttestationVerifier(
      authorities: [NodeBench.credentials.authority], device: device, intermediate: intermediate, vendor: 0xFFF1,
      product: 0x8000, challenge: NodeBench.challenge)
    let answer = try octets(bench.invoke(.operationalCredentials, 0, [(0, .octets(nonce))], by: passcode), 1)
    let declaration = try verifier.verify(elements: answer[0], signature: answer[1], nonce: nonce)
    #expect(declaration.deviceType == 0x0101)
    let request = try octets(bench.invoke(.operationalCredentials, 4, [(0, .octets(nonce))], by: passcode), 5)
    let key = try verifier.verifyRequest(elements: request[0], signature: request[1], nonce: nonce)
    #expect(key == bench.node.failSafe?.key?.publicKey)
  }

  @Test("Without the challenge of the session, nothing is signed", arguments: [0, 4] as [CommandNumber])
  func noChallenge(command: CommandNumber) throws {
    var bench = try NodeBench()
    bench.establish()
    bench.node.attestationChallenge = nil
    let nonce: [(UInt8, Element.Value)] = [(0, .octets([UInt8](repeating: 5, count: 32)))]
    #expect(bench.invoke(.operationalCredentials, command, nonce, by: passcode).status?.code == .failure)
  }
}
