import Testing

@testable import HAPSuite

@Suite("Sections that cases name") struct SectionTableTests {
  @Test(
    "They are read as by who selects cases; tables and other documents stand for themselves",
    arguments: [
      ("HAP R2 §5.6.2, §5.14, table 6-7", ["table 6-7", "§5.6.2", "§5.14"]), ("HAP R2 §5.6–5.7", ["§5.6", "§5.7"]),
      ("HAP R2 §5.6, 9.3.", ["§5.6", "§9.3"]), ("RFC 9112 §2.2", ["RFC 9112 §2.2"]), ("practice of bridges", []),
    ])
  func sections(_ text: String, _ wanted: [String]) { #expect(SectionTable.sections(in: text) == wanted) }
}
