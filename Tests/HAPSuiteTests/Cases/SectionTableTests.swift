import Testing

@testable import HAPSuite

@Suite("Sections in cases") struct SectionTableTests {
  @Test(
    "Sections are parsed for selection; tables and other documents are kept whole",
    arguments: [
      ("HAP R2 §5.6.2, §5.14, table 6-7", ["table 6-7", "§5.6.2", "§5.14"]), ("HAP R2 §5.6–5.7", ["§5.6", "§5.7"]),
      ("HAP R2 §5.6, 9.3.", ["§5.6", "§9.3"]), ("RFC 9112 §2.2", ["RFC 9112 §2.2"]), ("practice of bridges", []),
    ])
  func sections(_ text: String, _ wanted: [String]) { #expect(SectionTable.sections(in: text) == wanted) }
}
