/// The value at a place in an archive, one level deep. The elements of a list and the members of an object are still references.
enum ArchivedValue {
  case null
  case bool(Bool)
  case integer(Int128)
  case real(Double)
  case string(String)
  case data([UInt8])
  case list([PropertyList])
  case object([String: PropertyList])
  /// A date, or an unknown kind of value.
  case other
  /// A reference to an object that doesn't exist.
  case broken
}

extension ArchivedValue {
  /// The whole number, in any of its encodings.
  var number: Int128? {
    switch self {
    case .integer(let number): number
    case .real(let number): Int128(exactly: number)
    case .bool(let value): value ? 1 : 0
    default: nil
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// A text of at most one line for the user. The number of bytes is shown instead of the bytes, because they may be a key.
  var summary: String {
    switch self {
    case .null: "nothing"
    case .bool(let value): "\(value)"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .string(let text): Self.quoted(text)
    case .data(let bytes): bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
    case .list(let elements): "a list of \(elements.count)"
    case .object: "an object"
    case .other: "a value of unknown kind"
    case .broken: "an invalid reference"
    }
  }

  /// Returns the first 40 characters in quotes, without characters that would disturb a terminal.
  static func quoted(_ text: String) -> String {
    var shown = ""
    let start = text.unicodeScalars.prefix(41)
    for scalar in start.prefix(40) where scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) {
      shown.unicodeScalars.append(scalar)
    }
    return start.count > 40 ? "\"\(shown)…\"" : "\"\(shown)\""
  }
}
