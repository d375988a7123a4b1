import HAPModel
import HAPWire

// Entries of the catalogue as objects on one line. Members without information are left out.

extension QuirksField {
  /// Writes its name and the values it accepts.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("name")
      json.string(name)
      json.key("takes")
      json.string(kind.expectation)
      json.key("kind")
      json.string(kind.word)
      switch kind {
      case .choice(let words):
        json.key("choices")
        json.array { json in for word in words { json.string(word) } }
      case .integer(let range):
        json.key("minimum")
        json.integer(range.lowerBound)
        json.key("maximum")
        json.integer(range.upperBound)
      case .fraction(let range):
        json.key("minimum")
        json.double(range.lowerBound)
        json.key("maximum")
        json.double(range.upperBound)
      case .boolean, .duration, .answer, .status, .types: break
      }
    }
  }
}

extension QuirksField.Kind {
  fileprivate var word: String {
    switch self {
    case .boolean: "boolean"
    case .integer: "integer"
    case .fraction: "number"
    case .choice: "choice"
    case .duration: "duration"
    case .answer: "answer"
    case .status: "status"
    case .types: "types"
    }
  }
}

extension ServiceDefinition {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("type", type.wireForm)
      json.member("uuid", type.uuid)
      json.member("name", name)
      json.member("identifier", identifier)
      json.member("required", required.map(\.wireForm))
      json.member("optional", optional.map(\.wireForm))
      json.member("since", since)
      if isWithdrawn { json.member("withdrawn", true) }
    }
  }
}

extension CharacteristicDefinition {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("type", type.wireForm)
      json.member("uuid", type.uuid)
      json.member("name", name)
      json.member("identifier", identifier)
      json.member("format", format.rawValue)
      json.member("unit", unit?.rawValue)
      json.member("perms", perms.names)
      if adminOnly != [] { json.member("adminOnly", adminOnly.names) }
      json.member("minValue", constraints.minValue)
      json.member("maxValue", constraints.maxValue)
      json.member("minStep", constraints.minStep)
      json.member("maxLen", constraints.maxLen.map { .integer(Int128($0)) })
      json.member("maxDataLen", constraints.maxDataLen.map { .integer(Int128($0)) })
      json.member("words", values)
      json.member("bits", bits)
      json.member("default", defaultValue)
      json.member("since", since)
      if isWithdrawn { json.member("withdrawn", true) }
    }
  }
}

extension HAPModel.Category {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("category")
      json.integer(number)
      json.member("name", name)
      json.member("slug", slug)
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

  /// Writes an object from word to number, or nothing if there are no values.
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
    self.value(value)
  }
}
