import Foundation

/// The files of this package, relative to this file.
package enum Repository {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A JSON file's top value.
  package static func json<Top>(_ path: String, as type: Top.Type = Top.self) throws -> Top {
    let bytes = try Data(contentsOf: root.appending(path: path))
    guard let top = try JSONSerialization.jsonObject(with: bytes) as? Top else { throw CocoaError(.coderInvalidValue) }
    return top
  }
}

/// A file of the repository with generated parts.
package enum GeneratedFile {
  /// Returns whether a file is as the generator makes it of itself. With `HAPTEST_WRITE_DOCS=1` in the environment, the file
  /// is written, and the result is true.
  package static func isCurrent(_ path: String, _ make: (String) throws -> String) throws -> Bool {
    let file = Repository.root.appending(path: path)
    let old = try String(contentsOf: file, encoding: .utf8)
    let new = try make(old)
    guard ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] == "1" else { return old == new }
    if old != new { try Data(new.utf8).write(to: file) }
    return true
  }

  /// A table in Markdown.
  package static func table(_ heads: [String], _ rows: [[String]]) -> String {
    ([heads, heads.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}

extension String {
  /// The file lacks the marks of a generated part.
  package struct MarkMissing: Error { package let mark: String }

  /// Replaces the text between `<!-- name -->` and `<!-- end of name -->`.
  package func between(_ name: String, _ text: String) throws -> String {
    try replacing(from: "<!-- \(name) -->\n", to: "<!-- end of \(name) -->", with: text + "\n")
  }

  /// Replaces the text between the first `start` and the next `end`.
  package func replacing(from start: String, to end: String, with text: String) throws -> String {
    guard let start = range(of: start), let end = range(of: end, range: start.upperBound..<endIndex) else {
      throw MarkMissing(mark: start)
    }
    return replacingCharacters(in: start.upperBound..<end.lowerBound, with: text)
  }
}
