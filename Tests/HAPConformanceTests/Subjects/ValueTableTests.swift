import Testing

@testable import HAPExpectation

/// Comparison of the values of two readings.
@Suite struct ValueTableTests {
  private func database(_ value: String) throws -> ValueTable {
    try #require(
      ValueTable(
        Array(
          #"{"accessories":[{"aid":1,"services":[{"iid":8,"characteristics":[{"iid":9,"value":\#(value)},{"iid":10}]}]}]}"#
            .utf8)))
  }

  private func answer(_ value: String) throws -> ValueTable {
    try #require(
      ValueTable(Array(#"{"characteristics":[{"aid":1,"iid":9,"value":\#(value)},{"aid":1,"iid":10,"value":5}]}"#.utf8))
    )
  }

  @Test(
    "Values in both tables are compared by HAP's rules",
    arguments: [("true", "1", 0), ("1", "1", 0), ("1", "2", 1), (#""a""#, #""b""#, 1)])
  func compared(_ first: String, _ second: String, _ count: Int) throws {
    let old = try database(first)
    #expect(try old.differences(from: answer(second), whereAlso: old).count == count)
  }

  @Test("A value that changes by itself is ignored")
  func unstable() throws {
    #expect(try database("1").differences(from: answer("2"), whereAlso: database("3")) == [])
    #expect(try database("1").differences(from: answer("2"), whereAlso: database("1")) == ["1.9 was 1, is now 2"])
  }

  @Test("Other texts are no value tables", arguments: ["", "[]", "{}", "{\"x\":1}", "nonsense"])
  func others(_ text: String) { #expect(ValueTable(Array(text.utf8)) == nil) }
}
