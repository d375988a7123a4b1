@testable import MatterController
import HAPCrypto
import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

/// Random sequences of commands, writes, losses and times, after each of which the rules of a node hold.
@Suite("Rules of a node under random commands") struct NodePropertyTests {
  private static let authorities = (1...6 as ClosedRange<UInt64>).map {
    TestAuthority($0, seed: $0, hasIntermediate: $0 % 2 == 0)
  }

  @Test("Indices, counts, administrators, and the undo of the fail-safe", arguments: 1...8 as ClosedRange<UInt64>)
  func sequence(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bench = try NodeBench(seed: seed)
    var (before, most) = (bench.node.state, 0)
    for step in 0..<400 {
      let wasArmed = bench.node.failSafe != nil
      if !wasArmed { before = bench.node.state }
      let (durable, values, versions) = (bench.node.durableState, try values(bench), versions(bench))
      try advance(&bench, &generator)
      try checkChanges(bench, since: values, versions)
      try check(bench, isThorough: step % 25 == 0)
      most = max(most, bench.node.state.fabrics.count)
      let isDurableChanged = bench.node.durableState != durable
      if isDurableChanged, case .store? = bench.effects.first {} else { #expect(!isDurableChanged) }
      if !wasArmed, bench.node.failSafe != nil { #expect(bench.node.failSafe?.before == before) }
    }
    #expect(most >= 2, "the sequence reaches several fabrics, not \(most)")
    let armed = bench.node.failSafe?.before
    bench.advance(by: .seconds(1000))
    if let armed { #expect(bench.node.state == armed) }
    try check(bench, isThorough: true)
  }

  private func subject(_ bench: NodeBench, _ generator: inout SeededGenerator) -> Subject {
    let fabrics: [Subject] = bench.node.state.fabrics.map { NodeBench.administrator($0.index) }
    let fabric = bench.node.failSafe?.change == .added ? bench.node.failSafe?.fabric ?? 0 : 0
    return (fabrics + (bench.node.hasPasscodeSession ? [.passcode(fabric: fabric), .passcode(fabric: fabric)] : []))
      .randomElement(using: &generator) ?? NodeBench.commissioner
  }

  private func advance(_ bench: inout NodeBench, _ generator: inout SeededGenerator) throws {
    let subject = subject(bench, &generator)
    let authority = Self.authorities.randomElement(using: &generator)!
    switch Int.random(in: 0..<63, using: &generator) {
    case 0..<9:
      if bench.node.passcodeAccess != nil { bench.establish() }
    case 9..<12: bench.arm(UInt64.random(in: 0...20, using: &generator) * 20, by: subject)
    case 12..<20:
      let isForUpdate = Int.random(in: 0..<4, using: &generator) == 0
      let fields: [(UInt8, Element.Value)] = [(0, .octets(generator.bytes(32))), (1, .bool(isForUpdate))]
      bench.invoke(.operationalCredentials, 4, fields, by: subject)
    case 20..<26: bench.addRoot(authority, by: subject)
    case 26..<36: addOrUpdate(&bench, &generator, by: subject)
    case 36..<42:
      if let failSafe = bench.node.failSafe { bench.complete(failSafe.fabric) }
    case 42..<49: bench.openBasicWindow(by: subject)
    case 49: bench.remove(FabricIndex.random(in: 1...6, using: &generator), by: subject)
    case 50: bench.invoke(.administratorCommissioning, 2, by: subject)
    case 51..<54: bench.advance(by: .seconds(Int.random(in: 1...20, using: &generator)))
    case 54: bench.advance(by: .seconds(Int.random(in: 20...900, using: &generator)))
    case 55..<58: write(&bench, &generator, by: subject)
    case 58:
      bench.node.passcodeSessionEnded()
      bench.take()
    case 59: _ = bench.openWindow(for: .seconds(200))
    case 60:
      // Without a fabric, the user may close the last window.
      if !bench.node.durableState.fabrics.isEmpty { _ = bench.closeWindow() }
    case 61:
      _ = bench.node.removeFabric(FabricIndex.random(in: 1...6, using: &generator))
      bench.take()
    default:
      bench.node.passcodeAttemptFailed()
      if bench.node.window == nil, bench.node.state.fabrics.isEmpty { try? bench.node.openWindow(for: nil) }
      bench.take()
    }
  }

  private func addOrUpdate(_ bench: inout NodeBench, _ generator: inout SeededGenerator, by subject: Subject) {
    guard let failSafe = bench.node.failSafe, let key = failSafe.key else { return }
    let isUpdate = failSafe.isKeyForUpdate
    let trusted = isUpdate ? bench.node.state[subject.fabric]?.root : failSafe.root?.encoded
    let authority = Self.authorities.first { $0.root == trusted } ?? Self.authorities[0]
    let node = NodeID.random(in: 1...100, using: &generator)
    let fields = NodeBench.nocFields(
      authority.noc(node: node, publicKey: key.publicKey), authority, administrator: NodeID(subject.fabric) << 8 + 1)
    bench.invoke(.operationalCredentials, isUpdate ? 7 : 6, fields, by: subject)
  }

  private func write(_ bench: inout NodeBench, _ generator: inout SeededGenerator, by subject: Subject) {
    let privilege = UInt64.random(in: 0...6, using: &generator)
    let entry = Element.Value.fields([(1, .unsigned(privilege)), (2, .unsigned(2)), (3, .null), (4, .null)])
    let text = Element.Value.text(String(repeating: "x", count: Int.random(in: 0...3, using: &generator)))
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: _ = bench.write(.accessControl, 0, .append(entry), by: subject)
    case 1: _ = bench.write(.accessControl, 0, .replace(.items([entry])), by: subject)
    case 2: _ = bench.write(.accessControl, 0, .replace(.items([])), by: subject)
    case 3: _ = bench.write(.basicInformation, 5, .replace(text), by: subject)
    case 4: bench.invoke(.operationalCredentials, 9, [(0, text)], by: subject)
    default: _ = bench.write(.basicInformation, 6, .replace(text), by: subject)
    }
  }

  /// The values of all attributes, as two administrators see them.
  private func values(_ bench: NodeBench) throws -> [AttributePath: [Element.Value]] {
    var values: [AttributePath: [Element.Value]] = [:]
    for description in RootEndpoint.clusters {
      let cluster = try #require(RootCluster(rawValue: description.id))
      for attribute in description.attributes {
        let path = AttributePath(0, description.id, attribute.number)
        // The up time changes always, and is not reported.
        if path == AttributePath(0, 0x33, 2) { continue }
        values[path] = try [1, 2].map { try bench.read(cluster, attribute.number, by: NodeBench.administrator($0)) }
      }
    }
    return values
  }

  private func versions(_ bench: NodeBench) -> [UInt32] {
    RootEndpoint.clusters.map { bench.node.dataVersion(of: 0, $0.id) }
  }

  /// Each attribute whose value has changed is reported, and its cluster has another version.
  private func checkChanges(
    _ bench: NodeBench, since old: [AttributePath: [Element.Value]], _ oldVersions: [UInt32]
  ) throws {
    let (values, versions) = (try values(bench), versions(bench))
    for (path, value) in values where value != old[path] {
      #expect(bench.effects.contains(.attributeChanged(path)), "\(path)")
      let place = RootEndpoint.clusters.firstIndex { $0.id == path.cluster } ?? 0
      #expect(versions[place] != oldVersions[place], "\(path)")
    }
  }

  private func check(_ bench: NodeBench, isThorough: Bool) throws {
    let (node, state) = (bench.node, bench.node.state)
    let indices = state.fabrics.map(\.index)
    #expect(indices == Set(indices).sorted())
    #expect(!indices.contains(0) && !indices.contains(255))
    #expect(try bench.read(.operationalCredentials, 3) == .unsigned(UInt64(indices.count)))
    #expect(try bench.read(.operationalCredentials, 1).items.count == indices.count)
    #expect(node.advertisements.operational.count == indices.count)
    let labels = state.fabrics.map(\.label).filter { !$0.isEmpty }
    #expect(Set(labels).count == labels.count)
    for fabric in state.fabrics {
      #expect((1...AccessLimits.entriesPerFabric).contains(fabric.access.count))
      #expect(!fabric.access.filter(\.isAdministrator).isEmpty)
      #expect(fabric.credentials.node == fabric.node)
    }
    #expect(bench.stored == node.durableState.stored, "the store has the durable state after each call")
    #expect(node.nextDeadline.map { $0 > node.now } ?? true)
    #expect(!state.fabrics.isEmpty || node.window != nil, "a node without fabrics can be commissioned")
    if node.failSafe == nil { #expect(!node.hasPasscodeSession && node.breadcrumb == 0) }
    if isThorough { #expect(try NodeState(stored: state.stored) == state) }
  }
}
