import HAPIP
import HAPModel
import HAPWire

// How commands and scenarios write accessories and values, both ways.

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
  /// A value as it is written, before a characteristic gives words and base64 their meaning; nil for a list or an object.
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

  /// Why a list or an object is no value.
  package static func refusal(of node: JSONNode) -> String {
    "a value is a word, a text, a number, true or false, not \(node.kindName)"
  }

  /// The JSON that `init(written:)` reads as the same value.
  package var writtenText: String { JSONWriter.text { writeWritten(to: &$0) } }

  /// Writes what `init(written:)` reads as the same value.
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

  /// The same value as JSON has it: bytes in base64, a whole number as an integer, and no value for what is no number.
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
  /// A value as JSON has it: data in base64.
  package init(_ value: Value) {
    switch value.asWritten {
    case .null, .data: self.init(Kind.null)
    case .bool(let bool): self.init(Kind.bool(bool))
    case .integer(let integer): self = .integer(integer)
    case .float(let float): self = .number(float)
    case .string(let text): self = .text(text)
    }
  }

  /// A number that is read as a fraction again, also a whole one; one that is too large for a double stays that.
  fileprivate static func fraction(_ double: Double) -> JSONNode {
    let text = double.isFinite ? double.description : double < 0 ? "-1e999" : "1e999"
    return JSONNode(.number(Number(text: text, isInteger: false, integer: nil, double: double)))
  }
}
