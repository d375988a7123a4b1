import HAPDeviations
import HAPModel
import HAPProfile
import HAPVocabulary
import HAPWire

/// The components of the OpenAPI document that are generated from tables: the commands that name no file, and the built-in faults.
///
/// The API refuses commands that name a file; other requests accept a profile in their body.
enum CommandSchemas {
  /// The schemas as JSON members, separated by commas.
  static let members: String = {
    let object = JSONWriter.text { json in
      json.object { json in
        for form in forms { json.schema(form.schemaName) { form.writeSchema(to: &$0) } }
        json.schema("Command", writeCommand)
        json.schema("FaultChoice", writeFaultChoice)
      }
    }
    return String(object.dropFirst().dropLast())
  }()

  private static var forms: [CommandForm] { CommandForm.all.filter { !$0.namesFile } }

  private static func writeCommand(to json: inout JSONWriter) {
    let others = CommandForm.all.filter(\.namesFile).map { "`\($0.name.rawValue)`" }.joined(separator: " and ")
    json.text("description", "A command of `hapsim run --commands`, except \(others), which name files.")
    json.key("oneOf")
    json.array { json in for form in forms { json.object { $0.reference(form.schemaName) } } }
    json.schema("discriminator") { json in
      json.text("propertyName", "command")
      json.key("mapping")
      json.object { json in
        for form in forms { json.text(form.name.rawValue, JSONWriter.place(of: form.schemaName)) }
      }
    }
  }

  private static func writeFaultChoice(to json: inout JSONWriter) {
    let faults = FaultLibrary.builtIn.entries
    json.text("description", "A fault in the form of `--fault`, or an object with its name and parameters.")
    json.key("oneOf")
    json.array { json in
      json.object { json in
        json.text("type", "string")
        json.text("pattern", "^(\(faults.map(\.name).joined(separator: "|")))(:|$)")
      }
      for fault in faults { json.object { fault.writeSchema(to: &$0) } }
    }
  }
}

extension CommandForm {
  /// Name of the schema: "PowerCutCommand".
  fileprivate var schemaName: String {
    name.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Command"
  }

  fileprivate func writeSchema(to json: inout JSONWriter) {
    json.text("type", "object")
    json.text("description", does.withoutLinks)
    json.schema("properties") { json in
      json.schema("command") { $0.text("const", name.rawValue) }
      json.schema("id") { $0.types("string", "number") }
      for member in members { json.schema(member.name) { member.kind.writeSchema(to: &$0) } }
    }
    json.required(["command"] + members.filter(\.isRequired).map(\.name))
  }
}

extension CommandMember.Kind {
  /// Writes the members of a schema.
  fileprivate func writeSchema(to json: inout JSONWriter) {
    switch self {
    case .accessory: json.reference("AccessoryName")
    case .service: json.reference("ServiceName")
    case .quirks: json.reference("Quirks")
    case .duration: json.reference("SimulatedDuration")
    case .fault: json.reference("FaultChoice")
    case .characteristic, .controller, .profile: json.text("type", "string")
    case .value: json.types("string", "number", "boolean", "null")
    case .flag: json.text("type", "boolean")
    case .press: json.choices(ButtonPress.allCases.map(\.name))
    case .percent: json.integers(0...100)
    }
  }
}

extension FaultDefinition {
  fileprivate func writeSchema(to json: inout JSONWriter) {
    json.text("type", "object")
    json.text("description", what)
    json.schema("properties") { json in
      json.schema("fault") { $0.text("const", name) }
      for parameter in parameters { json.schema(parameter.name) { parameter.writeSchema(to: &$0) } }
      guard isForConnections else { return }
      json.schema("controller") { json in
        json.text("type", "string")
        json.text("description", "Only the connections of controllers whose identifier matches; `*` matches any text.")
      }
      json.schema("connection") { json in
        json.types("integer", "string")
        json.text("description", "Only the connections with these numbers: 2, \"2+\" or \"-2\".")
        json.key("minimum")
        json.integer(0)
        json.text("pattern", #"^-?[0-9]{1,9}$|^[0-9]{1,9}\+$"#)
      }
    }
    json.required(["fault"])
  }
}

extension FaultParameter {
  fileprivate func writeSchema(to json: inout JSONWriter) {
    switch kind {
    case .duration: json.reference("FaultDuration")
    case .count(let range): json.integers(range)
    case .text: json.text("type", "string")
    case .choice(let choices): json.choices(choices)
    }
    json.text("description", what)
    json.key("default")
    json.value(standard)
  }
}

extension JSONWriter {
  fileprivate static func place(of schema: String) -> String { "#/components/schemas/\(schema)" }

  /// Writes a member that is an object.
  fileprivate mutating func schema(_ name: String, _ body: (inout JSONWriter) -> Void) {
    key(name)
    object(body)
  }

  fileprivate mutating func text(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  fileprivate mutating func types(_ types: String...) {
    key("type")
    array { json in for type in types { json.string(type) } }
  }

  fileprivate mutating func choices(_ words: [String]) {
    key("enum")
    array { json in for word in words { json.string(word) } }
  }

  fileprivate mutating func integers(_ range: ClosedRange<Int128>) {
    text("type", "integer")
    key("minimum")
    integer(range.lowerBound)
    key("maximum")
    integer(range.upperBound)
  }

  fileprivate mutating func required(_ names: [String]) {
    key("required")
    array { json in for name in names { json.string(name) } }
    key("additionalProperties")
    bool(false)
  }

  fileprivate mutating func reference(_ schema: String) { text("$ref", Self.place(of: schema)) }
}

extension String {
  /// The text without the targets of its Markdown links, which refer to pages of the documentation.
  fileprivate var withoutLinks: String {
    var text = ""
    var rest = self[...]
    while let open = rest.firstIndex(of: "["), let close = rest[open...].firstIndex(of: "]"),
      let end = rest[close...].firstIndex(of: ")"), rest[close...].hasPrefix("](")
    {
      text += rest[..<open] + rest[rest.index(after: open)..<close]
      rest = rest[rest.index(after: end)...]
    }
    return text + rest
  }
}
