import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

/// Random values for all commands and attributes.
@Suite("A node under random values") struct NodeNoiseTests {
  private static func value(_ generator: inout SeededGenerator, depth: Int = 0) -> Element.Value {
    switch Int.random(in: 0..<(depth < 4 ? 11 : 8), using: &generator) {
    case 0: .signed(Int64(bitPattern: generator.next()))
    case 1: .unsigned(generator.next() >> UInt64.random(in: 0..<64, using: &generator))
    case 2: .unsigned(UInt64.random(in: 0..<8, using: &generator))
    case 3: .bool(Bool.random(using: &generator))
    case 4: .double(Double(bitPattern: generator.next()))
    case 5: .text(String(repeating: "ä", count: Int.random(in: 0..<20, using: &generator)))
    case 6: .octets(generator.bytes([0, 15, 16, 31, 32, 33, 97, 400].randomElement(using: &generator)!))
    case 7: .null
    case 8, 9: .fields((0..<6).map { ($0, value(&generator, depth: depth + 1)) })
    default:
      .items((0..<Int.random(in: 0..<6, using: &generator)).map { _ in value(&generator, depth: depth + 1) })
    }
  }

  @Test("No value traps, and the node can be managed after all of them", arguments: 1...8 as ClosedRange<UInt64>)
  func noise(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bench = try NodeBench()
    try bench.commission(TestAuthority(1, seed: 1))
    bench.openBasicWindow(by: NodeBench.administrator(1))
    bench.establish()
    let subjects = [NodeBench.administrator(1), NodeBench.commissioner, .node(1, fabric: 9, tags: [])]
    for _ in 0..<400 {
      let subject = subjects.randomElement(using: &generator)!
      let description = RootEndpoint.clusters.randomElement(using: &generator)!
      let cluster = try #require(RootCluster(rawValue: description.id))
      if let command = description.commands.randomElement(using: &generator) {
        let fields = (0..<6).map { (UInt8($0), Self.value(&generator)) }
        bench.invoke(cluster, command.number, fields, by: subject)
      }
      let attribute = AttributeNumber.random(in: 0..<8, using: &generator)
      let value = Self.value(&generator)
      _ = bench.write(
        cluster, attribute, Bool.random(using: &generator) ? .replace(value) : .append(value), by: subject)
    }
    bench.advance(by: .seconds(1000))
    // The only command that random values can remove a fabric with is RemoveFabric.
    let stored = try #require(bench.stored)
    #expect(try NodeState(stored: stored) == bench.node.state)
    if bench.node.state.fabrics.isEmpty {
      #expect(try bench.commission(TestAuthority(1, seed: 1)) == 1)
    } else {
      #expect(bench.write(.basicInformation, 5, .replace(.text("x")), by: NodeBench.administrator(1)) == .success)
    }
  }
}
