import HAPModel
import HAPVocabulary
import HAPWire

/// The OpenAPI document: the file, with a schema for each command of the table.
enum ControlDescription {
  static let text: String = {
    let file = "\(EmbeddedDescription.text)"
    guard let place = file.firstRange(of: #""the schemas of the commands""#) else {
      preconditionFailure("the OpenAPI document has no place for the commands")
    }
    return file.replacingCharacters(place, with: schemas)
  }()

  /// Those that name no files: profiles come in the body of other requests.
  private static var schemas: String {
    JSONWriter.text { json in
      json.array { json in for form in CommandForm.all where !form.namesFile { form.writeSchema(to: &json) } }
    }
  }
}

extension String {
  fileprivate func replacingCharacters(_ range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}

extension CommandForm {
  fileprivate func writeSchema(to json: inout JSONWriter) {
    json.object { json in
      json.schemaType("object")
      json.key("description")
      json.string(does.withoutLinks)
      json.key("properties")
      json.object { json in
        json.key("command")
        json.object { json in
          json.key("const")
          json.string(name.rawValue)
        }
        json.key("id")
        json.object { $0.schemaTypes("string", "number") }
        for member in members {
          json.key(member.name)
          json.object { member.kind.writeSchema(to: &$0) }
        }
      }
      json.key("required")
      json.array { json in
        json.string("command")
        for member in members where member.isRequired { json.string(member.name) }
      }
      json.key("additionalProperties")
      json.bool(false)
    }
  }
}

extension CommandMember.Kind {
  /// Writes the members of a schema.
  fileprivate func writeSchema(to json: inout JSONWriter) {
    switch self {
    case .accessory: json.schemaTypes("string", "integer")
    case .service: json.reference("ServiceName")
    case .conduct: json.reference("Conduct")
    case .characteristic, .controller, .duration, .profile: json.schemaType("string")
    case .fault: json.schemaTypes("string", "object")
    case .value: json.schemaTypes("string", "number", "boolean", "null")
    case .flag: json.schemaType("boolean")
    case .press:
      json.key("enum")
      json.array { json in for press in ButtonPress.allCases { json.string(press.name) } }
    case .percent:
      json.schemaType("integer")
      json.key("minimum")
      json.integer(0)
      json.key("maximum")
      json.integer(100)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func schemaType(_ type: String) {
    key("type")
    string(type)
  }

  fileprivate mutating func schemaTypes(_ types: String...) {
    key("type")
    array { json in for type in types { json.string(type) } }
  }

  fileprivate mutating func reference(_ schema: String) {
    key("$ref")
    string("#/components/schemas/\(schema)")
  }
}

extension String {
  /// The text with the titles of its Markdown links alone: the links are for pages of the documentation.
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
