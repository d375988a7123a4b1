/// The byte ranges of the values in a JSON text: a tree with the same elements and members as its `JSONNode`.
struct JSONLayout: Sendable {
  /// An element, or a member with its name.
  struct Item: Sendable {
    /// The name of a member, with its quotes.
    var name: Range<Int>?
    var value: JSONLayout

    var start: Int { name?.lowerBound ?? value.range.lowerBound }
    var end: Int { value.range.upperBound }
  }

  var range: Range<Int>
  /// The items of a list or an object.
  var items: [Item] = []

  /// - Parameter bytes: a text that `JSONNode` accepts; traps otherwise.
  init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { raw in
      var reader = JSONReader(raw)
      return Self.value(Self.next(&reader), &reader)
    }
  }

  private init(range: Range<Int>) { self.range = range }

  private static func next(_ reader: inout JSONReader) -> JSONReader.Token {
    guard let token = try? reader.next() else { preconditionFailure("the text must be valid JSON") }
    return token
  }

  /// Returns the layout of a value. Recursion ends at the reader's depth limit.
  private static func value(_ token: JSONReader.Token, _ reader: inout JSONReader) -> JSONLayout {
    var layout = JSONLayout(range: reader.tokenStart..<reader.offset)
    guard token == .beginObject || token == .beginArray else { return layout }
    while true {
      var token = next(&reader)
      if token == .endObject || token == .endArray { break }
      var name: Range<Int>?
      if case .key(let text) = token {
        name = reader.tokenStart..<(text.range.upperBound + 1)
        token = next(&reader)
      }
      layout.items.append(Item(name: name, value: value(token, &reader)))
    }
    layout.range = layout.range.lowerBound..<reader.offset
    return layout
  }

  /// Returns the range of the blanks and the comma before an item.
  func gap(before index: Int) -> Range<Int> {
    (index == 0 ? range.lowerBound + 1 : items[index - 1].end)..<items[index].start
  }
}
