import HAPDeviations
import HAPModel
import HAPProfile
import HAPVocabulary
import HAPWeb
import HAPWire

/// The components of the OpenAPI document that are generated from tables: the commands that name no file, and the built-in faults.
///
/// The API refuses commands that name a file; other requests accept a profile in their body.
enum CommandSchemas {
  /// The schemas as members of a JSON object.
  static let object = JSONWriter.text { json in
    json.object { json in
      for form in forms { json.schema(form.schemaName) { form.writeSchema(to: &$0) } }
      json.schema("Command", writeCommand)
      json.schema("FaultChoice", writeFaultChoice)
    }
  }

  private static var forms: [CommandForm] { CommandForm.all.filter { !$0.namesFile } }

  private static func writeCommand(to json: inout JSONWriter) {
    let others = CommandForm.all.filter(\.namesFile).map { "`\($0.name.rawValue)`" }.joined(separator: " and ")
    json.commands(
      "A command of `hapsim run --commands`, except \(others), which name files.",
      forms.map { ($0.name.rawValue, $0.schemaName) })
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
    if let range { return json.integers(range) }
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
    case .window: json.choices(MatterWindow.Kind.allCases.map(\.rawValue))
    case .percent, .seconds, .fabric: break  // whole numbers
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
