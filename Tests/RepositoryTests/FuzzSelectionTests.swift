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

  @Test("An unknown revision selects each target") func unknown() throws {
    let file = Checkout.folder.appendingPathComponent("Fuzz/Targets/FuzzTarget.swift")
    let declared = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "package func run")[0]
      .split(separator: "\n").filter { $0.hasPrefix("  case ") }
    #expect(try Copy().targets(since: "unknown-revision").count == declared.count)
    #expect(!declared.isEmpty)
  }
}
