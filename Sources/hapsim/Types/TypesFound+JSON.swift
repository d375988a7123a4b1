import HAPModel
import HAPWire

extension TypesFound {
  /// One object on one line: `services`, `characteristics`, `categories`. Members that say nothing are left out.
  var json: String {
    JSONWriter.text { json in
      json.object { json in
        json.key("services")
        json.array { json in for service in services { write(service, to: &json) } }
        json.key("characteristics")
        json.array { json in for row in characteristics { write(row, to: &json) } }
        json.key("categories")
        json.array { json in
          for category in categories {
            json.object { json in
              json.key("category")
              json.integer(category.number)
              json.member("name", category.name)
              json.member("slug", category.slug)
            }
          }
        }
      }
    }
  }

  private func write(_ service: ServiceDefinition, to json: inout JSONWriter) {
    json.object { json in
      json.member("type", service.type.wireForm)
      json.member("uuid", service.type.uuid)
      json.member("name", service.name)
      json.member("identifier", service.identifier)
      json.member("required", service.required.map(\.wireForm))
      json.member("optional", service.optional.map(\.wireForm))
      json.member("since", service.since)
      if service.isWithdrawn { json.member("withdrawn", true) }
    }
  }

  private func write(_ row: CharacteristicDefinition, to json: inout JSONWriter) {
    json.object { json in
      json.member("type", row.type.wireForm)
      json.member("uuid", row.type.uuid)
      json.member("name", row.name)
      json.member("identifier", row.identifier)
      json.member("format", row.format.rawValue)
      json.member("unit", row.unit?.rawValue)
      json.member("perms", row.perms.names)
      if row.adminOnly != [] { json.member("adminOnly", row.adminOnly.names) }
      json.member("minValue", row.constraints.minValue)
      json.member("maxValue", row.constraints.maxValue)
      json.member("minStep", row.constraints.minStep)
      json.member("maxLen", row.constraints.maxLen.map { .integer(Int128($0)) })
      json.member("maxDataLen", row.constraints.maxDataLen.map { .integer(Int128($0)) })
      json.member("words", row.values)
      json.member("bits", row.bits)
      json.member("default", row.defaultValue)
      json.member("since", row.since)
      if row.isWithdrawn { json.member("withdrawn", true) }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ text: String?) {
    guard let text else { return }
    key(name)
    string(text)
  }

  fileprivate mutating func member(_ name: String, _ texts: [String]) {
    key(name)
    array { json in for text in texts { json.string(text) } }
  }

  /// Word to number; nothing where there are none.
  fileprivate mutating func member(_ name: String, _ values: [NamedValue]) {
    guard !values.isEmpty else { return }
    key(name)
    object { json in
      for value in values {
        json.key(value.word)
        json.integer(value.value)
      }
    }
  }

  fileprivate mutating func member(_ name: String, _ value: Value?) {
    guard let value else { return }
    key(name)
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .float(let value): double(value)
    case .string(let value): string(value)
    case .data(let value): base64(value)
    }
  }
}
