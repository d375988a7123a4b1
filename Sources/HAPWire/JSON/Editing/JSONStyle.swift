/// The layout of a JSON text, so that additions look like the existing text.
///
/// The default, without an existing text: two spaces, flat values on one line, and at most 120 columns.
package struct JSONStyle: Equatable, Sendable {
  var newline = "\n"
  var indent = "  "
  /// Between a name and its value.
  var colon = ": "
  /// Between two items on one line.
  var comma = ", "
  /// Inside the braces of an object on one line.
  var objectPadding = " "
  /// Inside the brackets of a list of plain values on one line.
  var listPadding = ""
  /// Inside the brackets of a list of lists and objects on one line.
  var nestedPadding = " "
  /// Whether the whole text is on one line, of any length.
  var isOneLine = false
  /// The maximum number of columns before a line is broken.
  var width = 120

  package init() {}
}

extension JSONStyle {
  /// Takes the most frequent layout of the text.
  init(of layout: JSONLayout, in bytes: [UInt8]) {
    var habits = Habits(bytes: bytes)
    habits.look(at: layout)
    colon = habits.most(\.colon) ?? colon
    comma = habits.most(\.comma) ?? (colon.hasSuffix(":") ? "," : ", ")
    indent = habits.most(\.indent) ?? indent
    objectPadding = habits.most(\.objectPadding) ?? objectPadding
    listPadding = habits.most(\.listPadding) ?? listPadding
    nestedPadding = habits.most(\.nestedPadding) ?? objectPadding
    if let lineBreak = bytes.firstIndex(of: 0x0A), lineBreak > 0, bytes[lineBreak - 1] == 0x0D { newline = "\r\n" }
    isOneLine = !layout.items.isEmpty && !bytes[layout.range].contains(0x0A)
  }
}

/// Counts of layout variants in a text.
private struct Habits {
  typealias Counts = [String: Int]

  let bytes: [UInt8]
  var indent, colon, comma, objectPadding, listPadding, nestedPadding: Counts

  init(bytes: [UInt8]) {
    self.bytes = bytes
    (indent, colon, comma, objectPadding, listPadding, nestedPadding) = ([:], [:], [:], [:], [:], [:])
  }

  /// Returns the most frequent variant; the shortest one if there are several.
  func most(_ counts: KeyPath<Habits, Counts>) -> String? {
    self[keyPath: counts].max { ($0.value, $1.key.count, $1.key) < ($1.value, $0.key.count, $0.key) }?.key
  }

  /// Counts the variants in a value. Recursion ends at the reader's depth limit.
  mutating func look(at layout: JSONLayout) {
    for (index, item) in layout.items.enumerated() {
      if let name = item.name { count(\.colon, blanks(name.upperBound..<item.value.range.lowerBound)) }
      let gap = layout.gap(before: index)
      if index > 0 {
        count(\.comma, blanks(gap))
      } else if let padding = blanks(gap) {
        let isNested = [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(bytes[item.start])
        count(item.name != nil ? \.objectPadding : isNested ? \.nestedPadding : \.listPadding, padding)
      } else {
        let outer = bytes.indentation(at: layout.range.lowerBound)
        let inner = bytes.indentation(at: item.start)
        if inner.count > outer.count, inner.hasPrefix(outer) {
          count(\.indent, String(inner.dropFirst(outer.count)))
        }
      }
      look(at: item.value)
    }
  }

  private mutating func count(_ counts: WritableKeyPath<Habits, Counts>, _ text: String?) {
    if let text { self[keyPath: counts][text, default: 0] += 1 }
  }

  /// Returns nil if there is a line break among the blanks.
  private func blanks(_ range: Range<Int>) -> String? {
    bytes[range].contains(0x0A) ? nil : String(decoding: bytes[range], as: UTF8.self)
  }
}

extension [UInt8] {
  /// Returns the offset at which the line of a byte begins.
  func lineStart(at offset: Int) -> Int { self[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 }

  /// Returns the blanks at the beginning of the line of a byte.
  func indentation(at offset: Int) -> String {
    let line = self[lineStart(at: offset)...]
    return String(decoding: line.prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
  }

  /// Returns the number of characters from the beginning of the line to a byte.
  func column(of offset: Int) -> Int { self[lineStart(at: offset)..<offset].count { $0 & 0xC0 != 0x80 } }
}
