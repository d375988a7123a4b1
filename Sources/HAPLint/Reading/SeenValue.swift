import HAPWire

/// A JSON value of a database, and where it began. Smaller than `JSONNode`: a stranger may send millions.
struct SeenValue: Sendable {
  enum Kind: Sendable {
    case null
    case bool(Bool)
    /// An integer as written, within 64 bits.
    case integer(Int64)
    /// One above `Int64.max`.
    case unsigned(UInt64)
    /// Written with a fraction or exponent, or too large an integer; infinite where it is too large for a double.
    case number(Double)
    case string(String)
    case array([SeenValue])
    case object([SeenMember])
  }

  var kind: Kind
  /// In bytes, in the text as it was read at last.
  var offset: Int

  var isNull: Bool { if case .null = kind { true } else { false } }
  var bool: Bool? { if case .bool(let bool) = kind { bool } else { nil } }
  var string: String? { if case .string(let text) = kind { text } else { nil } }
  var elements: [SeenValue]? { if case .array(let elements) = kind { elements } else { nil } }
  var members: [SeenMember]? { if case .object(let members) = kind { members } else { nil } }

  /// An integer as written: not `1.0`.
  var integer: Int128? {
    switch kind {
    case .integer(let integer): Int128(integer)
    case .unsigned(let integer): Int128(integer)
    default: nil
    }
  }

  /// An integer of at least 0, as lengths are.
  var count: Int128? { integer.flatMap { $0 >= 0 ? $0 : nil } }

  /// Any number.
  var double: Double? {
    switch kind {
    case .integer(let integer): Double(integer)
    case .unsigned(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }

  /// The first member of the name; nil in what is no object.
  subscript(_ name: String) -> SeenValue? { members?.first { $0.name == name }?.value }

  /// "a string", "an object" …, for messages.
  var kindName: String {
    switch kind {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .unsigned: "an integer"
    case .number: "a number with a fraction"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// As it may stand in a message: numbers as they are, texts in quotes and cut.
  var words: String {
    switch kind {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .integer(let integer): String(integer)
    case .unsigned(let integer): String(integer)
    case .number(let number): numberText(number)
    case .string(let text): quoted(text)
    case .array(let elements): "a list of \(elements.count)"
    case .object: "an object"
    }
  }
}

struct SeenMember: Sendable {
  var name: String
  var value: SeenValue
}

/// A number as JSON would have it, whole ones without a fraction.
func numberText(_ number: Double) -> String {
  guard number.isFinite else { return number > 0 ? "a number too large" : "a number too small" }
  var buffer = ByteBuffer(capacity: 32)
  buffer.appendJSON(number)
  return String(decoding: buffer.bytes, as: UTF8.self)
}

/// A stranger's text in quotes, at most 40 characters of it, with nothing that a terminal would obey.
func quoted(_ text: String) -> String {
  var result = "\""
  var count = 0
  for scalar in text.unicodeScalars {
    guard count < 40 else {
      result += "…"
      break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      result += "\\u{\(String(scalar.value, radix: 16))}"
    default: result.unicodeScalars.append(scalar)
    }
    count += 1
  }
  return result + "\""
}
