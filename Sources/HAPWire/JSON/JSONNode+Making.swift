/// Values that were not parsed: their place and path have no meaning.
extension JSONNode {
  package static func text(_ text: String) -> JSONNode { JSONNode(.string(text)) }

  package static func integer(_ number: some BinaryInteger) -> JSONNode {
    .integer(Int128(clamping: number))
  }

  // The generic method converts each number at run time, and writing 128 bits as text takes long.
  package static func integer(_ number: Int128) -> JSONNode {
    if let small = Int64(exactly: number) { return .integer(small) }
    return JSONNode(
      .number(Number(text: String(number), isInteger: true, integer: number, double: Double(number))))
  }

  package static func integer(_ number: Int64) -> JSONNode {
    JSONNode(
      .number(Number(text: String(number), isInteger: true, integer: Int128(number), double: Double(number))))
  }

  package static func integer(_ number: Int) -> JSONNode { .integer(Int64(number)) }

  /// Returns null for NaN and infinities.
  package static func number(_ number: Double) -> JSONNode {
    guard number.isFinite else { return JSONNode(.null) }
    if let whole = Int64(exactly: number) { return .integer(whole) }
    return JSONNode(.number(Number(text: number.description, isInteger: false, integer: nil, double: number)))
  }

  package static func list(_ elements: [JSONNode]) -> JSONNode { JSONNode(.array(elements)) }

  /// Returns an object with its members in this order; each name must occur once.
  package static func object(_ members: [(name: String, value: JSONNode)]) -> JSONNode {
    JSONNode(
      .object(members.map { Member(name: $0.name, place: JSONPlace(line: 1, column: 1), value: $0.value) }))
  }

  /// Returns whether the values are equal, ignoring their places. Numbers are compared by their text.
  package func says(_ other: JSONNode) -> Bool {
    switch (kind, other.kind) {
    case (.array(let mine), .array(let theirs)):
      mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.says($1) }
    case (.object(let mine), .object(let theirs)):
      mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.name == $1.name && $0.value.says($1.value) }
    default: kind == other.kind
    }
  }
}
