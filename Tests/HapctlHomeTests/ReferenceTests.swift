import Foundation
import HAPCommandLine
import HAPHubLink
import HAPTestSupport
import Testing

@testable import HapctlHome

/// Compares `docs/reference/hapctl-home.md` and the help with the list of commands.
@Suite("hapctl home: help and reference")
struct ReferenceTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let page = root.appending(path: "docs/reference/hapctl-home.md")

  /// The sections of the page, one for each command.
  private var sections: String {
    HomeVerb.all.map { verb in
      let usage = "hapctl home \(verb.name)\(verb.usage.isEmpty ? "" : " " + verb.usage)"
      let title = verb.summary.prefix(1).uppercased() + verb.summary.dropFirst() + "."
      var text = "### `hapctl home \(verb.name)`\n`\(usage) [options]`\n\n\(title)\n\n"
      for paragraph in verb.discussion { text += paragraph.escaped + "\n\n" }
      if !verb.options.isEmpty {
        text += "| option | |\n|---|---|\n"
        for option in verb.options.map(\.definition) {
          text += "| `\(option.label.replacing("|", with: "\\|"))` | \(option.summary.replacing("|", with: "\\|")) |\n"
        }
        text += "\n"
      }
      // Not a code block: the tests of the documentation run those.
      text += verb.examples.map { "- `\($0.line)` \($0.meaning)\n" }.joined()
      return text + "\n`--json`: \(verb.json).\n"
    }.joined(separator: "\n")
  }

  /// With `HAPTEST_WRITE_DOCS=1`, the test writes the sections.
  @Test("The sections of the reference are those of the commands")
  func reference() throws {
    var text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- commands -->\n")).upperBound
    let end = try #require(text.range(of: "<!-- end of commands -->")).lowerBound
    text.replaceSubrange(start..<end, with: sections)
    if ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] == "1" {
      try text.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    #expect(
      try String(contentsOf: Self.page, encoding: .utf8) == text,
      "docs/reference/hapctl-home.md is out of date: run Scripts/generate-command-reference")
  }

  @Test("Each command has help with its usage, its options and an example, and an error without its operands")
  func help() throws {
    let bench = HomeBench()
    for verb in HomeVerb.all {
      let help = bench.run(verb.words + ["--help"])
      #expect(help.exit == .well && help.out.hasPrefix("usage: hapctl home \(verb.name)"), "\(verb.name)")
      for option in verb.options + HomeOptions.all {
        #expect(help.out.contains("--\(option.definition.name)"), "\(verb.name)")
      }
      #expect(!verb.examples.isEmpty && !verb.json.isEmpty, "\(verb.name)")
      for example in verb.examples { #expect(example.line.hasPrefix("hapctl home \(verb.name)"), "\(example.line)") }
      #expect(verb.summary.first?.isUppercase == false && !verb.summary.hasSuffix("."), "\(verb.name)")
      if verb.count.lowerBound > 0 { #expect(bench.run(verb.words).exit == .usage, "\(verb.name)") }
      #expect(bench.run(verb.words + ["--nonsense"]).exit == .usage, "\(verb.name)")
    }
  }

  @Test("A group shows its commands; an unknown word suggests the nearest")
  func groups() throws {
    let bench = HomeBench()
    #expect(
      bench("room", "--help").out.hasPrefix(
        "usage: hapctl home room COMMAND [options]\n\nList, add, remove and rename rooms.\n"))
    #expect(bench("--help").out.contains("  show  ") && bench("--help").out.contains("show a home, or an object of it"))
    #expect(bench("help", "room").out == bench("room", "--help").out)
    #expect(bench("room", "help", "add").out == bench("room", "add", "--help").out)
    #expect(bench("room").exit == .usage && bench("room").error.hasPrefix("usage: hapctl home room"))
    #expect(bench("rom").error.hasPrefix("hapctl home: unknown command rom; did you mean room?\n"))
    #expect(bench("room", "ad").error.hasPrefix("hapctl home room: unknown command ad; did you mean add?\n"))
    #expect(bench("room", "--version").exit == .usage)
    #expect(bench.run(["list"], environment: [:]).error.contains("give --folder DIR"))
    #expect(bench.run(["list", "--folder", "/x"], environment: [:]).exit == .well)
  }

  @Test("No command has two options or groups of one name")
  func names() {
    for verb in HomeVerb.all {
      let names = (verb.options + HomeOptions.all).map(\.definition.name)
      #expect(Set(names).count == names.count, "\(verb.name)")
    }
    #expect(Set(HomeVerb.all.map(\.name)).count == HomeVerb.all.count)
  }
}

extension String {
  /// The text with the characters that Markdown would take as marks.
  fileprivate var escaped: String {
    replacing("|", with: "\\|").replacing("*", with: "\\*").replacing("<", with: "\\<")
  }
}
