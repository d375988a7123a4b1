import HAPIP
import HAPModel
import HAPWire

// The JSON form of accessories and values in commands and scenarios, for parsing and writing.

extension AccessorySelector {
  package init(_ node: JSONNode) throws(JSONProblem) {
    if let name = node.stringValue {
      self = .name(name)
    } else if node.integerValue != nil {
      self = .aid(UInt64(try node.asInteger(in: 1...Int128(UInt64.max))))
    } else {
      throw node.problem("an accessory's name or aid is expected, not \(node.kindName)")
    }
  }

  func write(to json: inout JSONWriter) {
    switch self {
    case .name(let name): json.string(name)
    case .aid(let aid): json.integer(aid)
    }
  }
}

extension Value {
  /// Parses a value in its written form. Names and base64 are interpreted later, by the characteristic. nil for a list
  /// or an object.
  package init?(written node: JSONNode) {
    switch node.kind {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .number(let number):
      if number.isInteger, let integer = number.integer {
        self = .integer(integer)
      } else {
        self = .float(number.double)
      }
    case .string(let text): self = .string(text)
    case .array, .object: return nil
    }
  }

  /// Returns the reason why a list or an object is not a value.
  package static func refusal(of node: JSONNode) -> String {
    "a value is a name, a text, a number, true or false, not \(node.kindName)"
  }

  /// The JSON that `init(written:)` parses as the same value.
  package var writtenText: String { JSONWriter.text { writeWritten(to: &$0) } }

  /// Writes the JSON that `init(written:)` parses as the same value.
  func writeWritten(to json: inout JSONWriter) {
    switch self {
    case .null: json.null()
    case .bool(let bool): json.bool(bool)
    case .integer(let integer): json.integer(integer)
    case .float(let float): json.node(.fraction(float))
    case .string(let string): json.string(string)
    case .data(let data): json.base64(data)
    }
  }

  /// The value in its JSON form: bytes as base64, a whole number as an integer, and null for a number that is not finite.
  package var asWritten: Value {
    switch self {
    case .null, .bool, .integer, .string: return self
    case .float(let float):
      guard float.isFinite else { return .null }
      return Int64(exactly: float).map { .integer(Int128($0)) } ?? self
    case .data(let bytes):
      var buffer = ByteBuffer()
      buffer.appendBase64(bytes)
      return .string(String(decoding: buffer.bytes, as: UTF8.self))
    }
  }
}

extension JSONNode {
  /// Creates the JSON of a value: data as base64.
  package init(_ value: Value) {
    switch value.asWritten {
    case .null, .data: self.init(Kind.null)
    case .bool(let bool): self.init(Kind.bool(bool))
    case .integer(let integer): self = .integer(integer)
    case .float(let float): self = .number(float)
    case .string(let text): self = .text(text)
    }
  }

  /// Returns a number that parses as a fraction again, even if it is whole. Infinity is written as a number too large
  /// for a double.
  fileprivate static func fraction(_ double: Double) -> JSONNode {
    let text = double.isFinite ? double.description : double < 0 ? "-1e999" : "1e999"
    return JSONNode(.number(Number(text: text, isInteger: false, integer: nil, double: double)))
  }
}
