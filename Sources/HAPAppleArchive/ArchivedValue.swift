/// What a place in an archive holds, one step deep: the elements of a list and the members of an object are references still.
enum ArchivedValue {
  case null
  case bool(Bool)
  case integer(Int128)
  case real(Double)
  case string(String)
  case data([UInt8])
  case list([PropertyList])
  case object([String: PropertyList])
  /// A date, or something that nobody has seen here yet.
  case other
  /// A reference that leads nowhere.
  case broken
}

extension ArchivedValue {
  /// The whole number, however it was written.
  var number: Int128? {
    switch self {
    case .integer(let number): number
    case .real(let number): Int128(exactly: number)
    case .bool(let value): value ? 1 : 0
    default: nil
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// For people: what it is, and as much of it as fits into a line. Bytes are counted and not shown: they may be a key.
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
    case .other: "of a kind that isn't known"
    case .broken: "a reference that leads nowhere"
    }
  }

  /// The first 40 characters, those that would disturb a terminal left out.
  static func quoted(_ text: String) -> String {
    var shown = ""
    let start = text.unicodeScalars.prefix(41)
    for scalar in start.prefix(40) where scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) {
      shown.unicodeScalars.append(scalar)
    }
    return start.count > 40 ? "\"\(shown)…\"" : "\"\(shown)\""
  }
}
