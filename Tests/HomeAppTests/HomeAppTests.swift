import AppStage
import ArriveHome
import Foundation
import HAPHomeKitTesting
import HomeCatalog
import HomeSetup
import KilgoGarage
import Testing

/// The example apps of Examples/Home: each script gives the stored transcript and the stored home.
///
/// With `HAPTEST_WRITE_DOCS=1`, the test writes them.
@MainActor @Suite("Example apps") struct HomeAppTests {
  private struct Run {
    var transcript: [String] = []
    var home: [String] = []
  }

  nonisolated private static let apps: [(String, SimulatedRun.MakeApp)] = [
    ("arrive-home-app", { _ in ArriveHomeApp() }), ("catalog", { CatalogApp(calendar: $0) }),
    ("kilgo", { _ in KilgoApp() }), ("setup-app", { _ in SetupApp() }),
  ]

  private func run(_ name: String) async throws -> Run {
    let app = try #require(Self.apps.first { $0.0 == name })
    var run = Run()
    try await AppProgram.play(
      name, print: { run.transcript.append($0) }, atEnd: { run.home = try $0.document() }, makeApp: app.1)
    return run
  }

  /// The first line that differs; nil: the texts are equal.
  private func difference(_ stored: [String], _ lines: [String]) -> String? {
    guard stored != lines else { return nil }
    let index = zip(stored, lines).prefix { $0 == $1 }.count
    func line(_ lines: [String]) -> String { index < lines.count ? "\"\(lines[index])\"" : "the end" }
    return "line \(index + 1): stored is \(line(stored)), but the run has \(line(lines))"
  }

  @Test(
    "An app has the stored transcript and home; HAPTEST_WRITE_DOCS=1 writes them",
    arguments: apps.map(\.0))
  func transcript(_ name: String) async throws {
    let run = try await run(name)
    for (file, lines) in [("transcript", run.transcript), ("home.hashome", run.home)] {
      let url = AppProgram.folder(of: name).appending(path: file)
      if ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] == "1" {
        try lines.map { $0 + "\n" }.joined().write(to: url, atomically: true, encoding: .utf8)
      }
      let text = try String(contentsOf: url, encoding: .utf8)
      let stored = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
      let found = difference(stored, lines)
      #expect(found == nil, "Examples/Home/\(name)/\(file), \(found ?? "")")
    }
  }

  @Test("Two runs of a script give the same lines") func repetition() async throws {
    let (first, second) = (try await run("kilgo"), try await run("kilgo"))
    #expect(difference(first.transcript, second.transcript) == nil)
    #expect(difference(first.home, second.home) == nil)
  }

  @Test("The code of an app imports HomeKit by Apple's name, and has no condition for Linux") func sources() throws {
    let folders = [
      "arrive-home-app": "ArriveHome", "catalog": "HomeCatalog", "kilgo": "KilgoGarage", "setup-app": "HomeSetup",
    ]
    for (name, folder) in folders {
      let url = AppProgram.folder(of: name).appending(path: folder)
      let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
      #expect(files.count >= 1)
      for file in files {
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("import HomeKit\n"), "\(file.lastPathComponent)")
        for line in ["#if", "import HAP"] { #expect(!text.contains(line), "\(file.lastPathComponent): \(line)") }
      }
    }
  }
}
