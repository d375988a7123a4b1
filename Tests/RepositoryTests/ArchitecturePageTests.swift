import Foundation
import Testing

/// Checked: these tests fail with a path of a file that does not exist in the table.
struct ArchitecturePageTests {
  @Test("Each path in the table \"To change something\" exists") func paths() throws {
    let page = try String(
      contentsOf: Checkout.folder.appendingPathComponent("docs/internals/architecture.md"), encoding: .utf8)
    let start = try #require(page.range(of: "## To change something")).upperBound
    let end = try #require(page.range(of: "\n## ", range: start..<page.endIndex)).lowerBound
    let rows = page[start..<end].split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
    #expect(rows.count >= 25)
    for row in rows {
      let cells = row.split(separator: "|")
      let paths = cells[1].split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
      #expect(!paths.isEmpty, "no path in \(row)")
      for path in paths {
        let file = Checkout.folder.appendingPathComponent(path).path
        #expect(FileManager.default.fileExists(atPath: file), "\(path) does not exist")
      }
    }
  }
}
