import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("The access control list") struct NodeAccessTests {
  private static let administrator = entry(5, 2, subjects: [0x100])
  private let owner = NodeBench.administrator(1)

  private static func entry(
    _ privilege: UInt64, _ mode: UInt64, subjects: [UInt64]? = nil, targets: [Element.Value]? = nil,
    fabric: UInt64 = 0
  ) -> Element.Value {
    .fields([
      (1, .unsigned(privilege)), (2, .unsigned(mode)), (3, subjects.map { .items($0.map { .unsigned($0) }) } ?? .null),
      (4, targets.map { .items($0) } ?? .null), (0xFE, .unsigned(fabric)),
    ])
  }

  private func commissioned(_ count: UInt64 = 1) throws -> NodeBench {
    var bench = try NodeBench()
    for number in 1...count { try bench.commission(TestAuthority(number, seed: number)) }
    return bench
  }

  @Test("A list replaces that of the subject's fabric, whatever index its entries name") func replace() throws {
    var bench = try commissioned(2)
    let other = bench.node.accessEntries(of: 2)
    let target = Element.Value.fields([(0, .unsigned(6)), (1, .unsigned(1)), (2, .null)])
    let list = Element.Value.items([
      Self.administrator, Self.entry(3, 2, subjects: [0x1234], targets: [target], fabric: 2),
    ])
    #expect(bench.write(.accessControl, 0, .replace(list), by: owner) == .success)
    #expect(
      bench.node.accessEntries(of: 1) == [
        AccessEntry(.administer, subjects: [0x100]),
        AccessEntry(.operate, subjects: [0x1234], targets: [.init(cluster: 6, endpoint: 1)]),
      ])
    #expect(bench.node.accessEntries(of: 2) == other)
    #expect(bench.effects.contains(.attributeChanged(AttributePath(0, 0x1F, 0))))
    #expect(try bench.restarted().node.accessEntries(of: 1).count == 2)
    let written = try bench.read(.accessControl, 0, by: owner, isFiltered: true).items
    #expect(
      written == [
        Self.entry(5, 2, subjects: [0x100], fabric: 1),
        Self.entry(3, 2, subjects: [0x1234], targets: [target], fabric: 1),
      ])
  }

  @Test("Entries of other fabrics are left out, or have only the index") func privacy() throws {
    let bench = try commissioned(2)
    let all = try bench.read(.accessControl, 0, by: owner).items
    #expect(all.count == 2)
    #expect(all[0].field(3) != nil)
    #expect(all[1] == .fields([(0xFE, .unsigned(2))]))
    #expect(try bench.read(.accessControl, 0, by: owner, isFiltered: true).items == [all[0]])
    #expect(try bench.read(.accessControl, 0, isFiltered: true).items.isEmpty)
  }

  @Test("Entries are appended up to 4") func append() throws {
    var bench = try commissioned()
    for _ in 0..<3 {
      #expect(bench.write(.accessControl, 0, .append(Self.entry(1, 2)), by: owner) == .success)
    }
    let full = bench.node.accessEntries(of: 1)
    #expect(full.count == 4)
    #expect(bench.write(.accessControl, 0, .append(Self.entry(1, 2)), by: owner).code == .resourceExhausted)
    let five = Element.Value.items(Array(repeating: Self.administrator, count: 5))
    #expect(bench.write(.accessControl, 0, .replace(five), by: owner).code == .resourceExhausted)
    #expect(bench.node.accessEntries(of: 1) == full)
  }

  @Test("A list without an administrator is refused whole") func noAdministrator() throws {
    var bench = try commissioned()
    let old = bench.node.accessEntries(of: 1)
    let list = Element.Value.items([Self.entry(4, 2, subjects: [7])])
    #expect(bench.write(.accessControl, 0, .replace(list), by: owner).code == .constraintError)
    #expect(bench.write(.accessControl, 0, .replace(.items([])), by: owner).code == .constraintError)
    #expect(bench.node.accessEntries(of: 1) == old)
  }

  @Test("An invalid entry refuses the whole list", arguments: invalid.indices) func invalidEntries(_ index: Int) throws
  {
    var bench = try commissioned()
    let (entry, code) = Self.invalid[index]
    let old = bench.node.state
    let list = Element.Value.items([Self.administrator, entry])
    #expect(bench.write(.accessControl, 0, .replace(list), by: owner).code == code)
    #expect(bench.write(.accessControl, 0, .append(entry), by: owner).code == code)
    #expect(bench.node.state == old)
  }

  private static let invalid: [(Element.Value, InteractionStatus.Code)] = [
    (entry(0, 2), .constraintError), (entry(6, 2), .constraintError), (entry(256, 2), .constraintError),
    (entry(5, 1), .constraintError), (entry(5, 0), .constraintError), (entry(5, 4), .constraintError),
    (entry(5, 3, subjects: [1]), .constraintError), (entry(3, 3, subjects: [0]), .constraintError),
    (entry(3, 3, subjects: [0x10000]), .constraintError), (entry(3, 2, subjects: [0]), .constraintError),
    (entry(3, 2, subjects: [0xFFFF_FFFD_0001_0000]), .constraintError),
    (entry(3, 2, subjects: [0xFFFF_FFF0_0000_0000]), .constraintError),
    (entry(3, 2, subjects: [1, 2, 3, 4, 5]), .resourceExhausted),
    (entry(3, 2, targets: Array(repeating: .fields([(1, .unsigned(1))]), count: 4)), .resourceExhausted),
    (entry(3, 2, targets: [.fields([])]), .constraintError),
    (entry(3, 2, targets: [.fields([(1, .unsigned(1)), (2, .unsigned(1))])]), .constraintError),
    (entry(3, 2, targets: [.fields([(1, .unsigned(0xFFFF))])]), .constraintError),
    (entry(3, 2, targets: [.fields([(0, .text("x"))])]), .invalidDataType),
    (entry(3, 2, targets: [.unsigned(1)]), .invalidDataType),
    (.fields([(2, .unsigned(2))]), .invalidDataType), (.fields([(1, .unsigned(5))]), .invalidDataType),
    (.fields([(1, .text("5")), (2, .unsigned(2))]), .invalidDataType),
    (.fields([(1, .unsigned(5)), (2, .unsigned(2)), (3, .unsigned(7))]), .invalidDataType),
    (.fields([(1, .unsigned(5)), (2, .unsigned(2)), (3, .items([.text("7")]))]), .invalidDataType),
    (.unsigned(5), .invalidDataType), (.null, .invalidDataType), (.items([]), .invalidDataType),
  ]

  @Test("Groups and CASE authenticated tags are subjects, too") func subjects() throws {
    var bench = try commissioned()
    let list = Element.Value.items([
      Self.administrator, Self.entry(3, 3, subjects: [0xFFFF]), Self.entry(4, 2, subjects: [0xFFFF_FFFD_0001_0001]),
    ])
    #expect(bench.write(.accessControl, 0, .replace(list), by: owner) == .success)
    #expect(try bench.restarted().node.accessEntries(of: 1) == bench.node.accessEntries(of: 1))
  }

  @Test("A subject without a fabric can't write the list, and a value that is no list is refused") func wrong() throws {
    var bench = try commissioned()
    let list = Element.Value.items([Self.administrator])
    #expect(bench.write(.accessControl, 0, .replace(list), by: .passcode(fabric: 0)).code == .unsupportedAccess)
    #expect(bench.write(.accessControl, 0, .replace(.unsigned(1)), by: owner).code == .invalidDataType)
    #expect(bench.write(.accessControl, 0, .replace(.null), by: owner).code == .invalidDataType)
  }

  @Test("Each entry that differs is an event of its fabric") func events() throws {
    var bench = try NodeBench()
    try bench.addFabric(TestAuthority(1, seed: 1))
    let first = bench.effects.compactMap { if case .event(let event) = $0 { event } else { nil } }
    #expect(first.map(\.path) == [EventPath(0, 0x1F, 0)])
    #expect(first[0].fabric == 1)
    #expect(first[0].fields.map(\.value).prefix(3) == [.null, .unsigned(0), .unsigned(1)])
    bench.complete(1)
    let list = Element.Value.items([Self.entry(5, 2, subjects: [0x101]), Self.entry(1, 2)])
    _ = bench.write(.accessControl, 0, .replace(list), by: owner)
    let kinds = bench.effects.compactMap { effect -> Element.Value? in
      guard case .event(let event) = effect else { return nil }
      #expect(event.fields[0].value == .unsigned(0x100))
      return event.fields[2].value
    }
    #expect(kinds == [.unsigned(0), .unsigned(1)])
    _ = bench.write(.accessControl, 0, .replace(.items([Self.entry(5, 2, subjects: [0x101])])), by: owner)
    let removed = bench.effects.compactMap { if case .event(let event) = $0 { event.fields[2].value } else { nil } }
    #expect(removed == [.unsigned(2)])
  }

  @Test("A list that the owner of the fail-safe writes is undone with it") func undone() throws {
    var bench = try commissioned()
    bench.arm(by: owner)
    let before = bench.node.state
    #expect(bench.write(.accessControl, 0, .append(Self.entry(1, 2)), by: owner) == .success)
    #expect(bench.node.accessEntries(of: 1).count == 2)
    #expect(try bench.restarted().node.accessEntries(of: 1).count == 1)
    bench.advance(by: .seconds(60))
    #expect(bench.node.state == before)
  }
}
