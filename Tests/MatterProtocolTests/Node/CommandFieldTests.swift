@testable import MatterController
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

/// Each field of each command: absent, of another type, and out of range.
@Suite("Fields of commands") struct CommandFieldTests {
  struct Field: Sendable {
    var tag: UInt8
    var valid: Element.Value
    var isOptional = false
    /// Values out of range, with the status.
    var outside: [(Element.Value, InteractionStatus.Code)] = []
  }

  struct Command: Sendable, CustomStringConvertible {
    var cluster: RootCluster
    var number: CommandNumber
    var fields: [Field]
    var description: String { "\(cluster) \(number)" }
  }

  private static func octets(_ count: Int) -> Element.Value { .octets([UInt8](repeating: 1, count: count)) }

  private static let nonce = Field(
    tag: 0, valid: octets(32), outside: [(octets(31), .invalidCommand), (octets(33), .invalidCommand)])
  private static let certificate = Field(
    tag: 0, valid: octets(400), outside: [(octets(401), .invalidCommand), (octets(0), .invalidCommand)])
  private static let seconds = Field(tag: 0, valid: .unsigned(180), outside: [(.unsigned(65_536), .constraintError)])

  private static let commands: [Command] = [
    Command(cluster: .generalCommissioning, number: 0, fields: [seconds, Field(tag: 1, valid: .unsigned(.max))]),
    Command(
      cluster: .generalCommissioning, number: 2,
      fields: [
        Field(tag: 0, valid: .unsigned(2), outside: [(.unsigned(256), .constraintError)]),
        Field(
          tag: 1, valid: .text("XX"), outside: [(.text("X"), .constraintError), (.text("XXX"), .constraintError)]),
        Field(tag: 2, valid: .unsigned(0)),
      ]),
    Command(
      cluster: .generalDiagnostics, number: 0,
      fields: [
        Field(tag: 0, valid: octets(16), outside: [(octets(15), .constraintError)]),
        Field(tag: 1, valid: .unsigned(1)),
      ]),
    Command(
      cluster: .administratorCommissioning, number: 0,
      fields: [
        seconds, Field(tag: 1, valid: octets(97)),
        Field(tag: 2, valid: .unsigned(1), outside: [(.unsigned(65_536), .constraintError)]),
        Field(tag: 3, valid: .unsigned(1000), outside: [(.unsigned(1 << 32), .constraintError)]),
        Field(tag: 4, valid: octets(16)),
      ]),
    Command(cluster: .administratorCommissioning, number: 1, fields: [seconds]),
    Command(cluster: .operationalCredentials, number: 0, fields: [nonce]),
    Command(
      cluster: .operationalCredentials, number: 2,
      fields: [
        Field(
          tag: 0, valid: .unsigned(1),
          outside: [0, 3, 257].map { (.unsigned($0), .invalidCommand) })
      ]),
    Command(
      cluster: .operationalCredentials, number: 4,
      fields: [nonce, Field(tag: 1, valid: .bool(false), isOptional: true)]),
    Command(
      cluster: .operationalCredentials, number: 6,
      fields: [
        certificate,
        Field(tag: 1, valid: octets(400), isOptional: true, outside: [(octets(401), .invalidCommand)]),
        Field(tag: 2, valid: octets(16), outside: [(octets(15), .invalidCommand), (octets(17), .invalidCommand)]),
        Field(tag: 3, valid: .unsigned(1)),
        Field(
          tag: 4, valid: .unsigned(1),
          outside: [0, 0xFFF5, 0x10000].map { (.unsigned($0), .invalidCommand) }),
      ]),
    Command(
      cluster: .operationalCredentials, number: 7,
      fields: [
        certificate,
        Field(tag: 1, valid: octets(400), isOptional: true, outside: [(octets(401), .invalidCommand)]),
      ]),
    Command(
      cluster: .operationalCredentials, number: 9,
      fields: [
        Field(
          tag: 0, valid: .text(""), outside: [(.text(String(repeating: "x", count: 33)), .constraintError)])
      ]),
    Command(
      cluster: .operationalCredentials, number: 10,
      fields: [
        Field(tag: 0, valid: .unsigned(1), outside: [0, 255, 256].map { (.unsigned($0), .invalidCommand) })
      ]),
    Command(cluster: .operationalCredentials, number: 11, fields: [certificate]),
    Command(cluster: .groupKeyManagement, number: 0, fields: [Field(tag: 0, valid: .fields([]))]),
    Command(
      cluster: .groupKeyManagement, number: 1,
      fields: [Field(tag: 0, valid: .unsigned(0), outside: [(.unsigned(65_536), .constraintError)])]),
    Command(
      cluster: .groupKeyManagement, number: 3,
      fields: [Field(tag: 0, valid: .unsigned(0), outside: [(.unsigned(65_536), .constraintError)])]),
  ]

  private let owner = NodeBench.administrator(1)

  /// A node with a fabric that has armed the fail-safe.
  private func bench() throws -> NodeBench {
    var bench = try NodeBench()
    try bench.commission(TestAuthority(1, seed: 1))
    bench.arm(by: owner)
    return bench
  }

  private func check(
    _ command: Command, _ fields: [(UInt8, Element.Value)], is code: InteractionStatus.Code, in bench: inout NodeBench
  ) {
    let before = bench.node.state
    let status = bench.invoke(command.cluster, command.number, fields, by: owner).status
    #expect(status?.code == code, "\(command) \(fields)")
    #expect(bench.node.state == before)
  }

  @Test("A field that is absent is an InvalidCommand", arguments: commands) func absent(command: Command) throws {
    var bench = try bench()
    for absent in command.fields where !absent.isOptional {
      let fields = command.fields.filter { $0.tag != absent.tag }.map { ($0.tag, $0.valid) }
      check(command, fields, is: .invalidCommand, in: &bench)
    }
  }

  @Test("A field of another type is an InvalidCommand", arguments: commands) func types(command: Command) throws {
    let others: [Element.Value] = [
      .signed(1), .unsigned(1), .bool(true), .double(1), .text("XX"), .octets([1]), .null, .items([]), .fields([]),
    ]
    var bench = try bench()
    for (place, field) in command.fields.enumerated() {
      for other in others where !other.hasType(of: field.valid) && !(other == .null && field.isOptional) {
        var fields = command.fields.map { ($0.tag, $0.valid) }
        fields[place].1 = other
        check(command, fields, is: .invalidCommand, in: &bench)
      }
    }
  }

  @Test("A field out of range has its status", arguments: commands) func ranges(command: Command) throws {
    var bench = try bench()
    for (place, field) in command.fields.enumerated() {
      for (value, code) in field.outside {
        var fields = command.fields.map { ($0.tag, $0.valid) }
        fields[place].1 = value
        check(command, fields, is: code, in: &bench)
      }
    }
  }

  @Test("Fields that are no structure are an InvalidCommand") func noStructure() throws {
    var bench = try bench()
    for value in [Element.Value.unsigned(1), .null, .items([.unsigned(1)])] {
      let outcome = bench.node.invoke(CommandPath(0, 0x30, 0), Element(.anonymous, value), for: owner)
      #expect(outcome.status?.code == .invalidCommand)
    }
  }

  @Test("A regulatory configuration that does not exist is error 1") func regulatory() throws {
    var bench = try bench()
    let fields: [(UInt8, Element.Value)] = [(0, .unsigned(3)), (1, .text("DE")), (2, .unsigned(9))]
    #expect(bench.invoke(.generalCommissioning, 2, fields, by: owner).first == 1)
    #expect(try bench.read(.basicInformation, 6) == .text("XX"))
    #expect(try bench.read(.generalCommissioning, 0) == .unsigned(3))
  }
}

extension Element.Value {
  fileprivate func hasType(of other: Element.Value) -> Bool {
    switch (self, other) {
    case (.unsigned, .unsigned), (.bool, .bool), (.text, .text), (.octets, .octets): true
    case (.container(let a, _), .container(let b, _)): a == b
    default: false
    }
  }
}
