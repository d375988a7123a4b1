import HAPWire
import HAPYAML
import Testing

@testable import HAPSuite

/// Tests steps as values. A member of the vocabulary that the reader ignores would be accepted without effect.
@Suite("The actions of steps") struct StepActionTests {
  /// Expectations: one of a status, one that refers to itself, and nine that each double the one before.
  private static let expectations: NamedExpectations = {
    var members: [(name: String, value: JSONNode)] = [
      ("refused", .object([("status", .integer(400))])), ("circle", .object([("is", .text("${circle}"))])),
      ("many0", .object([("any", .list(["refused", "refused", "refused"].map { .text($0) }))])),
    ]
    for number in 1...9 {
      let former = JSONNode.text("many\(number - 1)")
      members.append(("many\(number)", .object([("any", .list([former, former]))])))
    }
    return NamedExpectations(
      members.map { .init(name: $0.name, place: JSONPlace(line: 1, column: 1), value: $0.value) })
  }()

  private static func action(_ verb: String, _ content: JSONNode) throws -> String {
    let step = try #require(Step(.object([(verb, content)])))
    var action = try step.action(in: Scope(), expectations)
    // `uses` is derived from the names of the members, so each member would change it.
    if case .send(var send) = action, case .messages(let messages) = send.content {
      send.content = .messages(
        messages.map { message in
          var message = message
          message.uses = []
          return message
        })
      action = .send(send)
    }
    return "\(action)"
  }

  /// An object of the vocabulary, contents for its members, and its reader.
  private struct Object {
    var members: [ShapeMember]
    var contexts: [String] = ["{}"]
    /// Contents of members that their shapes do not describe.
    var examples: [String: String] = [:]
    var read: (JSONNode) throws -> String
  }

  private static func object(_ shape: Shape) -> [ShapeMember] {
    switch shape {
    case .object(let members): members
    case .either(let shapes): shapes.lazy.map(object).first { !$0.isEmpty } ?? []
    case .list(let element): object(element)
    default: []
    }
  }

  private static func members(_ verb: StepName, _ name: String? = nil) -> [ShapeMember] {
    let members = Vocabulary.verbs.first { $0.step == verb }.map { object($0.shape) } ?? []
    guard let name else { return members }
    return members.first { $0.name == name }.map { object($0.shape) } ?? []
  }

  private static let sendContexts = [
    "{}", "{ read: '1.9' }", "{ write: [{ id: '1.9', value: 1 }] }", "{ pairings: add }", "{ setup: M1 }",
    "{ setup: M3 }", "{ setup: M5 }", "{ verify: M3 }", "{ tlv: { state: 1 } }", "{ query: [a] }",
  ]

  private static let contexts: [StepName: [String]] = [
    .send: sendContexts, .event: ["{}", "{ entries: [{ value: 1 }] }"], .hook: ["{}", "{ name: reboot }"],
    .compare: ["{}", "{ old: aa }", "{ new: aa }", "{ old: aa, new: aa }"], .repeat: ["{}", "{ times: 2 }"],
    .check: ["{}", "{ is: 1 }"], .each: ["{}", "{ in: [1] }"], .controller: ["{}", "{ name: guest }"],
    .mdns: ["{}", "{ query: [a] }", "{ listen: goodbye }"],
  ]

  private static let examples: [StepName: [String: String]] = [
    .hook: ["of": "{ kind: accessory, aid: 1 }"], .compare: ["old": "bb", "new": "bb", "again": "bb"],
    .lint: ["of": "aa", "again": "aa"], .each: ["in": "[2]"], .expect: ["is": "refused", "any": "[refused]"],
    .send: ["corrupt": "[{ flip: 1 }]", "subscribe": "'1.9'", "unsubscribe": "'1.9'"],
  ]

  /// All objects inside steps.
  private static var objects: [(name: String, object: Object)] {
    var objects: [(name: String, object: Object)] = []
    for verb in StepName.allCases where verb != .do && !members(verb).isEmpty {
      let object = Object(
        members: members(verb), contexts: contexts[verb] ?? ["{}"], examples: examples[verb] ?? [:]
      ) { try action(verb.rawValue, $0) }
      objects.append((verb.rawValue, object))
    }
    let inside: [(StepName, String, (JSONNode) -> JSONNode)] = [
      (.send, "frame", { .object([("frame", $0)]) }), (.expect, "any", { .object([("any", .list([$0]))]) }),
      (.event, "any", { .object([("any", .list([$0]))]) }),
      (.repeat, "until", { .object([("times", .integer(2)), ("until", $0)]) }),
    ]
    for (verb, name, wrap) in inside {
      let object = Object(members: members(verb, name), examples: examples[verb] ?? [:]) {
        try action(verb.rawValue, wrap($0))
      }
      objects.append(("\(verb.rawValue).\(name)", object))
    }
    objects.append(
      (
        "subject",
        Object(
          members: Vocabulary.subjectMembers, contexts: ["{}", "{ all: true }", "{ kind: service }"],
          examples: [
            "type": "On", "except": "On", "service": "Switch", "with": "On", "format": "bool", "perms": "[pr]",
            "without": "[pr]",
          ]
        ) { content in
          var subject = try Subject(content)
          subject.words = ""
          return "\(subject)"
        }
      ))
    objects.append(
      (
        "bytes",
        Object(
          members: Vocabulary.bytesMembers, contexts: ["{}", "{ of: '00aa' }", "{ int: 5 }", "{ repeat: aa }"],
          examples: ["base64": "qrs=", "hex": "aabb"]
        ) { "\(try ByteRecipe($0))" }
      ))
    let item = [
      "drop": "state", "duplicate": "state", "flip": "state", "item": "state", "truncate": "{ item: state, to: 1 }",
      "extend": "{ item: state, by: 1 }", "fragment": "{ item: state, sizes: [1] }",
      "declare": "{ item: state, length: 1 }", "move": "{ item: state, to: end }",
    ]
    objects.append(
      (
        "alterations",
        Object(members: Vocabulary.alterations, examples: item) { "\(try MessageAlteration.list(.list([$0])))" }
      ))
    for member in Vocabulary.alterations where !object(member.shape).isEmpty {
      objects.append(
        (
          "alterations.\(member.name)",
          Object(members: object(member.shape), contexts: ["{}", "{ item: state }"], examples: item) { content in
            "\(try MessageAlteration.list(.list([.object([(member.name, content)])])))"
          }
        ))
    }
    return objects
  }

  /// Contents that match a shape. One of them is not the default.
  private static func examples(_ shape: Shape) throws -> [JSONNode] {
    switch shape {
    case .any, .pattern: return [.integer(5)]
    case .text: return [.text("zz9zz9zz")]
    case .integer(let range): return [.integer(min(range.lowerBound + 3, range.upperBound)), .integer(2)]
    case .bool: return [JSONNode(.bool(true)), JSONNode(.bool(false))]
    case .duration: return [.text("7s")]
    case .word(let words): return words.map { .text($0) }
    case .bytes: return [.text("aa")]
    case .items, .itemPatterns: return [.object([("state", .integer(1))])]
    case .alterations: return [.list([.object([("drop", .text("state"))])])]
    case .list(let element): return try examples(element).map { .list([$0]) }
    case .map(let value): return try examples(value).map { .object([("a", $0)]) }
    case .object(let members):
      return [.object(try members.map { ($0.name, try #require(try examples($0.shape).first)) })]
    case .either(let shapes): return try shapes.flatMap(examples)
    case .steps: return [.list([.object([("alive", JSONNode(.bool(true)))])])]
    case .subject: return [.object([("type", .text("On"))])]
    }
  }

  /// Checked: this test fails without the reading of `fill`.
  @Test("Each member of the vocabulary changes the action", arguments: objects.map(\.name))
  func members(_ name: String) throws {
    let object = try #require(Self.objects.first { $0.name == name }?.object)
    #expect(!object.members.isEmpty)
    for member in object.members {
      let examples = try object.examples[member.name].map { [try node($0)] } ?? Self.examples(member.shape)
      let changes = try object.contexts.contains { context in
        let context = try node(context)
        let before = try? object.read(context)
        return examples.contains { example in
          let content = JSONNode.object([(member.name, example)]).inheriting(context)
          let after = try? object.read(content.anywhere)
          return after != nil && after != before
        }
      }
      #expect(changes, "\(name).\(member.name) has no effect")
    }
  }

  @Test("Variables get their values when the step runs, and those of inner steps when these run")
  func variables() throws {
    var scope = Scope()
    scope["limit"] = .text("3s")
    let wait = try #require(Step(node("{ wait: '${limit}' }")))
    #expect(try wait.action(in: scope, Self.expectations) == .wait(.seconds(3)))
    let each = try #require(Step(node("{ each: { in: [1], as: x, steps: [{ record: '${x}' }] } }")))
    guard case .each(let iteration) = try each.action(in: scope, Self.expectations) else {
      return #expect(Bool(false), "the action is an each")
    }
    #expect(throws: StepError.self) { try iteration.steps[0].action(in: scope, Self.expectations) }
    scope["x"] = .integer(7)
    #expect(try iteration.steps[0].action(in: scope, Self.expectations) == .record("7"))
  }

  private static let misfits: [(step: String, message: String)] = [
    ("reading: { paused: '${x}' }", "true or false is expected, not a string"),
    ("connect: { within: '${x}' }", "a duration such as 500ms is expected, not soon"),
    ("close: { how: '${x}' }", "\"soon\" is not allowed here: write one of fin, reset, half"),
    ("send: { path: /, repeat: '${x}' }", "a number from 0 to 16777216 is expected, not soon"),
    ("send: { write: [{ id: '${x}' }] }", "an id is aid.iid, not soon"),
    ("send: { setup: M5, nonce: '${x}' }", "a nonce is 8 characters, not 4"),
    ("send: { raw: '${x}' }", "\"soon\" is not hexadecimal"),
    ("send: { method-item: '${x}', setup: M1 }", "an integer is expected, not soon"),
    ("send: { setup: M1, alter: [{ drop: '${x}' }] }", "unknown item \"soon\""),
    ("send: { json: 1, corrupt: [{ '${x}': 1 }] }", "unknown corruption \"soon\""),
    ("expect: '${x}'", "the suite has no expectation \"soon\""),
    ("expect: { is: '${x}' }", "the suite has no expectation \"soon\""),
    ("expect: { entries: [{ id: '${x}' }] }", "an id is aid.iid, not soon"),
    ("each: { in: '${x}', as: y, steps: [] }", "a list is expected, not a string"),
    ("controller: { name: '${admin}' }", "\"admin\" is reserved for the tester's own controller: choose another name"),
    ("record: '${y}'", "the variable \"y\" has no value"),
    ("pair: { until: '${m5}' }", "\"M5\" is not allowed here: write one of M2, M4, M6"),
    ("send: { pairings: '${x}' }", "\"soon\" is not allowed here: write one of list, add, remove"),
    ("send: { setup: M3, secret-form: '${x}' }", "\"soon\" is not allowed here: write one of stripped, padded"),
    ("silence: { for: 1s, of: '${x}' }", "\"soon\" is not allowed here: write one of events, everything"),
    ("send: { verify: '${m5}' }", "\"M5\" is not allowed here: write one of M1, M3"),
    ("expect: { closed: '${x}' }", "\"soon\" is not allowed here: write one of reset, fin"),
    ("send: { raw: '${null}' }", "\"raw\" must not be null: the path of its variable leads nowhere"),
    (
      "send: { pairings: remove, controller: '${null}' }",
      "\"controller\" must not be null: the path of its variable leads nowhere"
    ),
    (
      "expect: { status: 470, closed: '${null}' }",
      "\"closed\" must not be null: the path of its variable leads nowhere"
    ),
    ("connect: { within: '${null}' }", "\"within\" must not be null: the path of its variable leads nowhere"),
    (
      "send: { raw: { zeros: 16777216 }, batch: [{ raw: { zeros: 16777216 } }, { raw: { zeros: 16777216 } }, { raw: { zeros: 16777216 } }, { raw: aa }] }",
      "this sends more than 67108864 bytes at once, which is the limit of a suite"
    ),
    ("send: { raw: aa, ahead: true }", "a message cannot have both \"ahead\" and \"raw\": remove one of them"),
    ("expect: { is: circle }", "the expectation \"circle\" calls itself"),
    ("expect: many9", "the expectation has more than 1000 alternatives: list fewer in \"any\""),
    ("record: '${huge}${huge}'", "with its variables, this value has more than 67108864 bytes, which is the limit"),
  ]

  @Test("For a value that does not fit, the error has its place", arguments: misfits)
  func wrongValues(_ row: (step: String, message: String)) throws {
    var scope = Scope()
    scope["x"] = .text("soon")
    scope["admin"] = .text("admin")
    scope["m5"] = .text("M5")
    scope["null"] = JSONNode(.null)
    scope["circle"] = .text("circle")
    if row.step.contains("huge") { scope["huge"] = .text(String(repeating: "x", count: 34 << 20)) }
    let step = try #require(Step(try JSONNode.yaml(Array("- \(row.step)".utf8)).elements?.first ?? .text("")))
    do {
      _ = try step.action(in: scope, Self.expectations)
      Issue.record("\(row.step) is accepted")
    } catch {
      #expect(error.message == row.message)
      // The expectations of this test have no place.
      if error.path.isEmpty { return }
      #expect(error.path.hasPrefix("[0].\(row.step.prefix { $0 != ":" })"), "\(error.path)")
      #expect(error.place.line == 1 && error.place.column > 1)
    }
  }

  @Test("The subject of a hook is read only if the hook exists") func hookSubject() throws {
    let step = try #require(Step(node("{ hook: { name: press, of: 5 } }")))
    guard case .hook(let hook) = try step.action(in: Scope(), Self.expectations) else {
      return #expect(Bool(false), "the action is a hook")
    }
    #expect(throws: StepError.self) { try hook.subject?.found() }
  }

  @Test("A connection name or variable without a value is like a missing member") func missing() throws {
    var scope = Scope()
    scope["x"] = JSONNode(.null)
    let step = try #require(Step(node("{ connect: { on: '${x}', save: '${x}' } }")))
    guard case .connect(let connect) = try step.action(in: scope, Self.expectations) else {
      return #expect(Bool(false), "the action is a connect")
    }
    #expect(connect.on == "main" && connect.save == nil)
  }
}

/// A value written as YAML, without its place.
private func node(_ text: String) throws -> JSONNode { try JSONNode.yaml(Array(text.utf8)).anywhere }

extension JSONNode {
  /// The same value without the places in its text, which would make any two values differ.
  fileprivate var anywhere: JSONNode {
    switch kind {
    case .array(let elements): JSONNode(.array(elements.map(\.anywhere)))
    case .object(let members):
      JSONNode(
        .object(members.map { .init(name: $0.name, place: JSONPlace(line: 1, column: 1), value: $0.value.anywhere) }))
    default: JSONNode(kind)
    }
  }
}
