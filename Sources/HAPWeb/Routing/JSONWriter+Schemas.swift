import HAPWire

extension JSONWriter {
  package static func place(of schema: String) -> String { "#/components/schemas/\(schema)" }

  /// Writes a member that is an object.
  package mutating func schema(_ name: String, _ body: (inout JSONWriter) -> Void) {
    key(name)
    object(body)
  }

  package mutating func text(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  package mutating func types(_ types: String...) {
    key("type")
    array { json in for type in types { json.string(type) } }
  }

  package mutating func choices(_ words: [String]) {
    key("enum")
    array { json in for word in words { json.string(word) } }
  }

  package mutating func integers(_ range: ClosedRange<Int128>) {
    text("type", "integer")
    key("minimum")
    integer(range.lowerBound)
    key("maximum")
    integer(range.upperBound)
  }

  package mutating func required(_ names: [String]) {
    key("required")
    array { json in for name in names { json.string(name) } }
    key("additionalProperties")
    bool(false)
  }

  /// Writes the members of a schema of commands, each of which has its name in the member `command`.
  package mutating func commands(_ description: String, _ commands: [(name: String, schema: String)]) {
    text("description", description)
    key("oneOf")
    array { json in for command in commands { json.object { $0.reference(command.schema) } } }
    schema("discriminator") { json in
      json.text("propertyName", "command")
      json.schema("mapping") { json in
        for command in commands { json.text(command.name, Self.place(of: command.schema)) }
      }
    }
  }

  package mutating func reference(_ schema: String) { text("$ref", Self.place(of: schema)) }
}

extension String {
  /// An OpenAPI document without blanks, with more schemas in its components.
  /// - Parameter object: a JSON object.
  package func addingSchemas(_ object: String) -> String {
    guard let place = firstRange(of: #""schemas":{"#) else {
      preconditionFailure("the OpenAPI document has no components")
    }
    return self[..<place.upperBound] + object.dropFirst().dropLast() + "," + self[place.upperBound...]
  }

  /// The text without the targets of its Markdown links, which refer to pages of the documentation.
  package var withoutLinks: String {
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
