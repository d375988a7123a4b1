import Foundation
import Testing

@testable import HAPJudge

@Suite("docs/guides/judging.md")
struct RulePageTests {
  @Test("The page documents exactly the existing rules")
  func rules() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/guides/judging.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter {
      $0.hasPrefix("| `") && ($0.contains("` | must |") || $0.contains("` | should |"))
    }
    let wanted = ControllerJudge.descriptions.map {
      "| `\($0.name)` | \($0.level.rawValue) | \($0.requirement) | \($0.source) |"
    }
    #expect(rows.sorted().map(String.init) == wanted.sorted())
  }
}
