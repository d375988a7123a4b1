import HAPWire

/// Builds the tree of a strict JSON text. The reader's depth limit bounds the recursion.
struct ParsedValueReader {
  /// A member whose name already occurred in its object.
  struct Twice: Sendable {
    var name: String
    var offset: Int
  }

  /// The maximum number of values. A bridge with 150 accessories has about ten thousand.
  static let mostValues = 4_000_000

  struct TooMany: Error {}

  private var reader: JSONReader
  private var count = 0
  private(set) var twice: [Twice] = []

  private init(_ reader: JSONReader) { self.reader = reader }

  enum Failure: Error {
    case notJSON(JSONReader.Failure)
    case tooManyValues(offset: Int)
  }

  static func read(_ bytes: [UInt8]) -> Result<(root: ParsedValue, twice: [Twice]), Failure> {
    bytes.withUnsafeBytes { raw in
      var builder = ParsedValueReader(JSONReader(raw))
      do throws(Failure) {
        let root = try builder.value(try builder.next())
        _ = try builder.next()
        return .success((root, builder.twice))
      } catch { return .failure(error) }
    }
  }

  private mutating func next() throws(Failure) -> JSONReader.Token {
    do throws(JSONReader.Failure) { return try reader.next() } catch { throw .notJSON(error) }
  }

  private mutating func value(_ token: JSONReader.Token) throws(Failure) -> ParsedValue {
    let offset = reader.tokenStart
    count += 1
    guard count <= Self.mostValues else { throw .tooManyValues(offset: offset) }
    switch token {
    case .null: return ParsedValue(kind: .null, offset: offset)
    case .bool(let bool): return ParsedValue(kind: .bool(bool), offset: offset)
    case .string(let text): return ParsedValue(kind: .string(reader.string(text)), offset: offset)
    case .number(let number): return ParsedValue(kind: kind(number), offset: offset)
    case .beginArray:
      var elements: [ParsedValue] = []
      while true {
        let token = try next()
        if token == .endArray { return ParsedValue(kind: .array(elements), offset: offset) }
        elements.append(try value(token))
      }
    case .beginObject:
      var members: [ParsedMember] = []
      var names: Set<String> = []
      while case .key(let text) = try next() {
        let name = reader.string(text)
        note(name, among: members, &names)
        members.append(ParsedMember(name: name, value: try value(try next())))
      }
      return ParsedValue(kind: .object(members), offset: offset)
    case .endArray, .endObject, .key, .end: preconditionFailure("the reader reports these only where they belong")
    }
  }

  private func kind(_ number: JSONNumber) -> ParsedValue.Kind {
    if let integer = reader.integer(number) {
      if let small = Int64(exactly: integer) { return .integer(small) }
      if let large = UInt64(exactly: integer) { return .unsigned(large) }
    }
    return .number(reader.double(number) ?? (number.isNegative ? -.infinity : .infinity))
  }

  /// Checks for a duplicate name. A large object gets a set, to avoid quadratic time.
  private mutating func note(_ name: String, among members: [ParsedMember], _ names: inout Set<String>) {
    let isTwice: Bool
    if members.count < 24 {
      isTwice = members.contains { $0.name == name }
    } else {
      if names.isEmpty { names = Set(members.map(\.name)) }
      isTwice = !names.insert(name).inserted
    }
    if isTwice, twice.count < DatabaseLint.mostOfAKind {
      twice.append(Twice(name: name, offset: reader.tokenStart))
    }
  }
}
