import Foundation
import Testing

/// `Scripts/fuzz-changed` selects the fuzz targets of `make nightly`. This test runs it in a copy of the sources with
/// one commit.
///
/// Checked: these tests fail with indirect imports left out of the script.
struct FuzzSelectionTests {
  private static let copied = [
    "Sources", "Fuzz", "Scripts", "Tests/HAPTestSupport", "Package.swift", "Defects", "Suites", "Faults",
  ]

  /// A copy of the files that the script reads.
  private final class Copy {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-changed-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("Tests"), withIntermediateDirectories: true)
      for name in copied {
        try FileManager.default.copyItem(
          at: Checkout.folder.appendingPathComponent(name), to: folder.appendingPathComponent(name))
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func git(_ words: String...) throws {
      let git = ["git", "-C", folder.path, "-c", "user.name=test", "-c", "user.email=test@example.invalid"]
      _ = try Checkout.output(of: git + words)
    }

    /// Returns the targets that the script prints.
    func targets(since revision: String) throws -> [String] {
      let printed = try Checkout.output(of: [folder.appendingPathComponent("Scripts/fuzz-changed").path, revision])
      return String(decoding: printed, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Returns the targets that the script prints after a file was changed or moved, and reverts the change.
    func targets(changing file: String, movingTo place: String? = nil) throws -> [String] {
      let changed = folder.appendingPathComponent(file)
      if let place {
        try git("mv", file, place)
      } else {
        try (String(contentsOf: changed, encoding: .utf8) + "\n// changed\n").write(
          to: changed, atomically: true, encoding: .utf8)
      }
      defer { try? git("reset", "-q", "--hard") }
      return try targets(since: "HEAD")
    }
  }

  @Test("A changed module selects the targets that import it, directly or indirectly") func module() throws {
    let copy = try Copy()
    try copy.git("init", "-q")
    try copy.git("add", ".")
    try copy.git("commit", "-q", "-m", "copy")
    #expect(try copy.targets(since: "HEAD").isEmpty)
    let reader = "Sources/HAPAppleArchive/ArchiveReader.swift"
    #expect(try copy.targets(changing: reader) == ["import", "archive"])
    #expect(try copy.targets(changing: "Fuzz/Files/LintTarget.swift") == ["lint"])
    #expect(try copy.targets(changing: "Defects/read.yaml").contains("defects"))
    #expect(try !copy.targets(changing: "Defects/read.yaml").contains("archive"))
    #expect(try copy.targets(changing: "Sources/hapctl/main.swift").isEmpty)
    #expect(try copy.targets(changing: reader, movingTo: "Sources/HapctlAccessories/A.swift") == ["import", "archive"])
  }

  /// The names of the targets, sorted.
  private static func declared() throws -> [String] {
    try text("Fuzz/Targets/FuzzTarget.swift").components(separatedBy: "package func run")[0].split(separator: "\n")
      .filter { $0.hasPrefix("  case ") }.map { $0.dropFirst(7).filter { $0 != "`" } }.sorted()
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Checkout.folder.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("An unknown revision and --all select each target", arguments: ["unknown-revision", "--all"])
  func unknown(argument: String) throws {
    let declared = try Self.declared()
    #expect(try Copy().targets(since: argument).sorted() == declared)
    #expect(declared.contains("tlv") && declared.contains("mattermessages"))
  }

  @Test("Each target has a corpus and a description, and the scripts name no target themselves") func known() throws {
    let declared = try Self.declared()
    let corpora = try FileManager.default.contentsOfDirectory(
      atPath: Checkout.folder.appendingPathComponent("Fuzz/Corpus").path)
    #expect(corpora.sorted() == declared)
    let page = try Self.text("docs/internals/fuzzing.md").components(separatedBy: "```sh")[0]
    let described = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      String(line.dropFirst(3).prefix { $0 != "`" })
    }
    #expect(described.sorted() == declared)
    for script in ["Scripts/fuzz", "Scripts/fuzz-merge"] {
      let lines = try Self.text(script)
      #expect(lines.contains("Scripts/fuzz-changed --all") && !lines.contains("mattermessages"), "\(script)")
    }
  }
}
