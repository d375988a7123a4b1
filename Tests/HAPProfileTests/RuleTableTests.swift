import Foundation
import Testing

@testable import HAPProfile

/// Compares `docs/reference/profile-format.md` with `ProfileRule`.
struct RuleTableTests {
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("docs/reference/profile-format.md")

  @Test(
    "The rules table of docs/reference/profile-format.md has each rule once, in order, with its severity and a meaning")
  func table() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- rules -->"))
    let end = try #require(text.range(of: "<!-- end of rules -->"))
    let rows = text[start.upperBound..<end.lowerBound].split(separator: "\n").dropFirst(2).map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(rows.allSatisfy { $0.count == 3 && $0[2].hasSuffix(".") })
    #expect(
      rows.map { "\($0[0]) \($0[1])" } == ProfileRule.allCases.map { "`\($0.rawValue)` \($0.severity.rawValue)" })
  }
}
