import HAPCrypto
import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("The stored state of a node") struct NodeStorageTests {
  /// A state with all members.
  private static func state() throws -> NodeState {
    var bench = try NodeBench()
    try bench.commission(TestAuthority(1, seed: 1))
    try bench.commission(TestAuthority(2, seed: 2, hasIntermediate: false), node: 9)
    var state = bench.node.state
    (state.label, state.location, state.regulatoryConfig) = ("lamp", "DE", 2)
    (state.rebootCount, state.eventNumber) = (7, 1 << 40)
    state.change(2) { fabric in
      fabric.label = "home"
      fabric.access.append(
        AccessEntry(
          .operate, .group, subjects: [1, 2],
          targets: [.init(cluster: 6), .init(endpoint: 1), .init(cluster: 8, deviceType: 0x0101)]))
      fabric.groupKeyMap = [.init(group: 1, keySet: 2)]
      fabric.epochKeys.append(.init(key: SecretBytes([UInt8](repeating: 3, count: 16)), start: 1 << 60))
    }
    return state
  }

  @Test("A state survives storing") func roundTrip() throws {
    for state in [NodeState(), try Self.state()] {
      #expect(try NodeState(stored: state.stored) == state)
    }
  }

  @Test("Bytes that end early are damaged") func truncations() throws {
    let bytes = try Self.state().stored.withBytes { Array($0) }
    for count in 0..<bytes.count {
      #expect(throws: NodeStorageError(reason: .damaged)) { try NodeState(stored: SecretBytes(Array(bytes[..<count]))) }
    }
    #expect(throws: NodeStorageError(reason: .damaged)) { try NodeState(stored: SecretBytes(bytes + [0])) }
  }

  @Test("A changed byte is an error, or changes nothing") func flips() throws {
    let state = try Self.state()
    let bytes = state.stored.withBytes { Array($0) }
    for place in bytes.indices {
      for change in [0x01, 0x20, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[place] ^= change
        if let read = try? NodeState(stored: SecretBytes(damaged)) { #expect(read == state) }
      }
    }
  }

  @Test("Another version is reported") func version() throws {
    let outer = Element(.anonymous, .fields([(0, .unsigned(2)), (1, .octets([])), (2, .octets([]))]))
    #expect(throws: NodeStorageError(reason: .version(2))) { try NodeState(stored: SecretBytes(outer.encoded)) }
    #expect("\(NodeStorageError(reason: .version(2)))".contains("version 2"))
  }

  @Test("A state that breaks a rule is refused, even with the right checksum", arguments: 0..<faults.count)
  func invalid(index: Int) throws {
    let state = try Self.state()
    let members = try Self.members(of: state)
    let intact = try Self.sealed(members)
    #expect(try NodeState(stored: intact) == state, "without a fault, it is read")
    let bytes = try Self.sealed(Self.faults[index](members))
    #expect(throws: NodeStorageError(reason: .invalid)) { try NodeState(stored: bytes) }
  }

  /// The members of the inner structure.
  private static func members(of state: NodeState) throws -> [Element] {
    guard case .octets(let bytes)? = try Element(decoding: state.stored.withBytes { Array($0) })[1],
      case .container(_, let members) = try Element(decoding: bytes).value
    else { return [] }
    return members
  }

  private static func sealed(_ members: [Element]) throws -> SecretBytes {
    let state = Element(.anonymous, .container(.structure, members)).encoded
    let outer = Element.Value.fields([(0, .unsigned(1)), (1, .octets(state)), (2, .octets(SHA256.hash(state)))])
    return SecretBytes(Element(.anonymous, outer).encoded)
  }

  private static func replacing(
    _ tag: UInt8, _ members: [Element], with change: (Element.Value) -> Element.Value?
  ) -> [Element] {
    members.compactMap { member in
      guard member.tag == .context(tag) else { return member }
      return change(member.value).map { Element(member.tag, $0) }
    }
  }

  /// Changes the first fabric.
  private static func fabric(
    _ tag: UInt8, _ members: [Element], with change: (Element.Value) -> Element.Value?
  ) -> [Element] {
    replacing(5, members) { fabrics in
      var items = fabrics.items
      guard case .container(_, let parts) = items[0] else { return nil }
      items[0] = .container(.structure, replacing(tag, parts, with: change))
      return .items(items)
    }
  }

  private static let faults: [@Sendable ([Element]) -> [Element]] = [
    { replacing(1, $0) { _ in nil } }, { replacing(6, $0) { _ in nil } },
    { replacing(1, $0) { _ in .unsigned(65_536) } },
    { replacing(2, $0) { _ in .text(String(repeating: "x", count: 33)) } }, { replacing(3, $0) { _ in .text("D") } },
    { replacing(4, $0) { _ in .unsigned(3) } }, { replacing(5, $0) { .items($0.items.reversed()) } },
    { replacing(5, $0) { .items($0.items + [$0.items[1]]) } }, { replacing(5, $0) { _ in .unsigned(1) } },
    { replacing(5, $0) { _ in .items([.unsigned(1)]) } }, { fabric(1, $0) { _ in .unsigned(0) } },
    { fabric(1, $0) { _ in .unsigned(2) } }, { fabric(1, $0) { _ in .unsigned(255) } },
    { fabric(2, $0) { _ in .octets([1]) } }, { fabric(2, $0) { _ in nil } },
    { fabric(3, $0) { _ in .octets(TestAuthority(3, seed: 3).root) } }, { fabric(4, $0) { _ in .null } },
    { fabric(5, $0) { _ in .octets([UInt8](repeating: 0, count: 32)) } },
    { fabric(5, $0) { _ in .octets([UInt8](repeating: 9, count: 32)) } }, { fabric(6, $0) { _ in .items([]) } },
    { fabric(6, $0) { .items(Array(repeating: $0.items[0], count: 4)) } }, { fabric(7, $0) { _ in .null } },
    { fabric(8, $0) { _ in .text("home") } }, { fabric(9, $0) { _ in .items([]) } },
    { fabric(9, $0) { .items(Array(repeating: $0.items[0], count: 5)) } },
    { fabric(9, $0) { _ in .items([.fields([(1, .unsigned(3)), (2, .unsigned(2))])]) } },
    { fabric(10, $0) { _ in .items(Array(repeating: .fields([(1, .unsigned(1)), (2, .unsigned(1))]), count: 5)) } },
  ]

  @Test("Random bytes are an error") func noise() throws {
    var generator = SeededGenerator(seed: 4)
    for count in 0..<500 {
      let bytes = SecretBytes(generator.bytes(count))
      #expect(throws: NodeStorageError.self) { try NodeState(stored: bytes) }
    }
  }
}
