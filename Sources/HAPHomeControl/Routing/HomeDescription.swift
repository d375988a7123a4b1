import HAPHome
import HAPHubLink
import HAPWeb
import HAPWire

/// The OpenAPI document of the API of homes: the embedded file, with the schemas of the commands.
enum HomeDescription {
  static let text = "\(EmbeddedHomeDescription.text)".addingSchemas(commandSchemas)

  private static let commandSchemas = JSONWriter.text { json in
    json.object { json in
      for form in HomeCommandForm.all { json.schema(form.schemaName) { form.writeSchema(to: &$0) } }
      json.schema("Command") { json in
        json.commands(
          "A command that changes a home.", HomeCommandForm.all.map { ($0.name.rawValue, $0.schemaName) })
      }
    }
  }
}

extension HomeCommandForm {
  /// Name of the schema: "AddRoomCommand".
  fileprivate var schemaName: String { "\(name)".capitalizedFirst + "Command" }

  fileprivate func writeSchema(to json: inout JSONWriter) {
    json.text("type", "object")
    json.text("description", does)
    json.schema("properties") { json in
      json.schema("command") { $0.text("const", name.rawValue) }
      for member in members { json.schema(member.name) { member.writeSchema(to: &$0) } }
    }
    json.required(["command"] + members.filter { $0.presence != .optional }.map(\.name))
  }
}

extension HomeCommandMember {
  fileprivate func writeSchema(to json: inout JSONWriter) {
    guard presence != .required else { return kind.writeSchema(to: &json) }
    json.key("anyOf")
    json.array { json in
      json.object { $0.text("type", "null") }
      json.object { kind.writeSchema(to: &$0) }
    }
  }
}

extension HomeCommandMember.Kind {
  fileprivate func writeSchema(to json: inout JSONWriter) {
    switch self {
    case .identifier: json.reference("Identifier")
    case .name, .timeZone, .type: json.text("type", "string")
    case .place: json.reference("Location")
    case .role: json.choices(["administrator", "guest"])
    case .device: json.reference("DeviceID")
    case .number: json.integers(0...Int128(UInt32.max))
    case .accessories, .actions:
      json.text("type", "array")
      json.schema("items") { $0.text("type", "object") }
    case .value: json.types("boolean", "number", "string", "object")
    case .trigger: json.text("description", "In the form of docs/reference/hub-socket.md.")
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
