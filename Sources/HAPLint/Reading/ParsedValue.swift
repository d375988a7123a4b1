import HAPWire

/// A JSON value of a database, with its offset. It is smaller than `JSONNode`, because a hostile text may have millions.
struct ParsedValue: Sendable {
  enum Kind: Sendable {
    case null
    case bool(Bool)
    /// An integer literal within 64 bits.
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A number with a fraction or exponent, or a larger integer; infinite if it is too large for a double.
    case number(Double)
    case string(String)
    case array([ParsedValue])
    case object([ParsedMember])
  }

  var kind: Kind
  /// The offset in bytes in the text that was finally read.
  var offset: Int

  var isNull: Bool { if case .null = kind { true } else { false } }
  var bool: Bool? { if case .bool(let bool) = kind { bool } else { nil } }
  var string: String? { if case .string(let text) = kind { text } else { nil } }
  var elements: [ParsedValue]? { if case .array(let elements) = kind { elements } else { nil } }
  var members: [ParsedMember]? { if case .object(let members) = kind { members } else { nil } }

  /// The value of an integer literal; `1.0` is not one.
  var integer: Int128? {
    switch kind {
    case .integer(let integer): Int128(integer)
    case .unsigned(let integer): Int128(integer)
    default: nil
    }
  }

  /// An integer of at least 0, as for lengths.
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

  /// The first member of the name; `nil` if the value is not an object.
  subscript(_ name: String) -> ParsedValue? { members?.first { $0.name == name }?.value }

  /// The kind for messages: "a string", "an object" …
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

  /// The value for messages: numbers as they are, texts quoted and truncated.
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

struct ParsedMember: Sendable {
  var name: String
  var value: ParsedValue
}

/// Returns a number as in JSON; whole numbers have no fraction.
func numberText(_ number: Double) -> String {
  guard number.isFinite else { return number > 0 ? "a number too large" : "a number too small" }
  var buffer = ByteBuffer(capacity: 32)
  buffer.appendJSON(number)
  return String(decoding: buffer.bytes, as: UTF8.self)
}

/// Returns at most 40 characters of an untrusted text in quotes, without characters that control a terminal.
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
