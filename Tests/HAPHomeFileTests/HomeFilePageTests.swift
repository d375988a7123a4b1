import Foundation
import HAPHome
import Testing

@testable import HAPHomeFile

@Suite("The page about .hashome")
struct HomeFilePageTests {
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../docs/reference/hashome.md").standardizedFileURL

  private static func text() throws -> String { try String(contentsOf: page, encoding: .utf8) }

  @Test("The example of the page can be applied, and a second time changes nothing")
  func example() throws {
    let blocks = try Self.text().components(separatedBy: "```yaml\n").dropFirst()
    #expect(blocks.count == 1)
    let yaml = try #require(blocks.first?.components(separatedBy: "\n```").first)
    var bench = try HomeFileBench.filled()
    // The devices of the tests have other IDs.
    let text = yaml.replacing("00:00:02", with: "00:00:04").replacing("America/Los_Angeles", with: "Test/City")
    #expect(try bench.apply(text).count > 20)
    #expect(bench.home.triggers.map(\.isEnabled) == [true, false, false])
  }

  @Test("Each event and condition of the page can be read")
  func tables() throws {
    var count = 0
    for line in try Self.text().split(separator: "\n") where line.hasPrefix("| `{ ") {
      let cell = line.components(separatedBy: " | ")[0]
      for (index, part) in cell.components(separatedBy: "`").enumerated() where index % 2 == 1 {
        let node = part.replacing("PATH", with: "A/B").replacing("VALUE", with: "5").replacing("[C…]", with: "[]")
          .replacing(": C }", with: ": { unknown: true } }")
        let isCondition = try Self.isCondition(String(line))
        let member =
          isCondition
          ? "when: [], if: \(node)" : node.contains("after:") ? "when: [], end: [\(node)]" : "when: [\(node)]"
        let file = "home: H\ntriggers: { T: { \(member) } }"
        #expect(throws: Never.self, "\(file)") { try HomeFile.read(Array(file.utf8)) }
        count += 1
      }
    }
    #expect(count >= 19)
  }

  private static func isCondition(_ line: String) throws -> Bool {
    let parts = try text().components(separatedBy: "### Conditions")
    return parts[1].contains(line)
  }

  @Test("The page names all members of the document")
  func members() throws {
    let text = try Self.text()
    for member in HomeFileReader.members + FormNotation.triggerMembers {
      #expect(text.contains("`\(member)`"), "\(member)")
    }
  }
}
