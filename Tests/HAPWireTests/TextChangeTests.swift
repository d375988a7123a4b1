@testable import HAPWire
import Testing

/// The origin of a place when the bytes of `range` become `text`, followed by "new" for inserted text.
private func origin(_ old: String, _ range: Range<Int>, _ text: String, _ line: Int, _ column: Int) -> String {
  let change = TextChange(of: utf8(old), range, to: utf8(text))
  let (place, isNew) = change.origin(of: JSONPlace(line: line, column: column))
  return "\(place)" + (isNew ? " new" : "")
}

@Suite("Mapping places of a changed text to the original text") struct TextChangeTests {
  @Test("Unchanged text before and after the change keeps its place")
  func unchanged() {
    #expect(origin("ab\ncd\nef", 4..<4, "1\n2", 1, 2) == "1:2")
    #expect(origin("ab\ncd\nef", 4..<4, "1\n2", 2, 1) == "2:1")
    #expect(origin("ab\ncd\nef", 4..<4, "1\n2", 3, 2) == "2:2")
    #expect(origin("ab\ncd\nef", 4..<4, "1\n2", 4, 2) == "3:2")
    #expect(origin("ab\ncd\nef", 3..<6, "", 2, 1) == "3:1")
    #expect(origin("ab\ncd\nef", 3..<6, "", 1, 2) == "1:2")
  }

  @Test("New text maps to the place of the change")
  func new() {
    #expect(origin("[1\n]", 2..<2, ",\n  22", 1, 3) == "1:3 new")
    #expect(origin("[1\n]", 2..<2, ",\n  22", 2, 4) == "1:3 new")
    #expect(origin("[7, 1]", 1..<2, "8", 1, 2) == "1:2 new")
    #expect(origin("[7, 1]", 1..<2, "888", 1, 4) == "1:2 new")
    #expect(origin("", 0..<0, "abc", 1, 3) == "1:1 new")
  }

  @Test("Columns count characters, and a place that doesn't exist maps to the next one, or the end")
  func characters() {
    #expect(origin("\"äö\" 1", 5..<5, "ü", 1, 7) == "1:6")
    #expect(origin("\"äö\" 1", 5..<5, "ü", 9, 9) == "1:7")
    #expect(origin("ab\n\ncd", 4..<4, "X", 1, 9) == "2:1")
  }

  @Test("A document returns its last change")
  func document() throws {
    var document = try JSONDocument(utf8("[1,\n 2]"))
    #expect(document.lastChange == nil)
    document.remove(.element(of: .root, 0))
    #expect(document.lastChange?.origin(of: JSONPlace(line: 1, column: 2)).place == JSONPlace(line: 2, column: 2))
    try document.append(.integer(3), to: .root)
    #expect(document.lastChange?.origin(of: JSONPlace(line: 1, column: 5)).place == JSONPlace(line: 1, column: 3))
  }
}
