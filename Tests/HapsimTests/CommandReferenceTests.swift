import Foundation
import HAPCommandLine
import HAPVocabulary
import Testing
@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

/// Compares `docs/reference/command-reference.md` with `Program.hapsim`.
@Suite struct CommandReference {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs/reference/command-reference.md")

  /// The text under each heading of the second level, by the heading.
  private func sections() throws -> [(heading: String, text: String)] {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    return ("\n" + text).components(separatedBy: "\n## ").dropFirst().map { section in
      let parts = section.split(separator: "\n", maxSplits: 1)
      return (String(parts[0]), String(parts.last ?? ""))
    }
  }

  /// The options at the start of rows in a section's tables, such as "--port N".
  private func rows(_ text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("| `-") }.map { row in
      row.dropFirst(2).replacing("\\|", with: "\u{1}").prefix { $0 != "|" }.replacing("\u{1}", with: "|")
        .replacing("`", with: "").trimmingCharacters(in: .whitespaces)
    }
  }

  @Test("Each command has its section, with each option in the order of help and an example")
  func commands() throws {
    let sections = try sections()
    #expect(
      sections.map(\.heading)
        == Program.hapsim.commands.map { command in
          guard case .some(let label, _) = command.operands else { return "`hapsim \(command.name)`" }
          return "`hapsim \(command.name) \(label)`"
        })
    for (section, command) in zip(sections, Program.hapsim.commands) {
      // `fleet`, `record` and `judge` share the options of `run`, which are documented once.
      let told = ["fleet", "record", "judge"].contains(command.name) ? Command.run.options.map(\.name) : ["help"]
      let labels = command.options.filter { !told.contains($0.name) }.map { $0.label.replacing("…", with: "") }
      #expect(rows(section.text) == labels, "\(command.name)")
      #expect(section.text.contains("\nhapsim \(command.name)"), "\(command.name) has no example")
    }
  }

  /// The commands of standard input, one row for each.
  private var commandTable: String {
    let rows = CommandForm.all.map { form in
      // The purpose is listed before the target.
      let places = ["service", "accessory"]
      let names = form.members.map(\.name)
      let members = names.filter { !places.contains($0) } + places.filter(names.contains)
      return "| `\(form.name.rawValue)` | \(members.map { "`\($0)`" }.joined(separator: ", ")) | \(form.does) |\n"
    }
    return "| command | members | |\n|---|---|---|\n" + rows.joined()
  }

  /// The arguments of `hapsim ctl`: commands with equal arguments share a row.
  private var wordTable: String {
    var rows: [(words: [String], usages: [String], isOnByDefault: Bool)] = []
    for form in CommandForm.all {
      let words = form.words.map { $0.isRequired ? $0.label : "[\($0.label)]" }
      if let index = rows.firstIndex(where: { $0.words == words }) {
        rows[index].usages.append(form.usage)
      } else {
        rows.append((words, [form.usage], form.words.contains { $0.kind == .flag && !$0.isRequired }))
      }
    }
    let lines = rows.map { row in
      let usages = row.usages.map { "`\($0.replacing("|", with: "\\|"))`" }.joined(separator: ", ")
      return "| \(usages) | \(row.isOnByDefault ? "`on` by default " : "")|\n"
    }
    return "| words | |\n|---|---|\n" + lines.joined()
  }

  /// With `HAPSIM_WRITE_PAGES=1`, the test writes the tables into the page (`Scripts/generate-command-reference`).
  @Test("The tables of commands and of arguments of hapsim ctl match CommandForm")
  func tables() throws {
    var text = try String(contentsOf: Self.page, encoding: .utf8)
    for (name, table) in [("commands", commandTable), ("words", wordTable)] {
      let start = try #require(text.range(of: "<!-- table of \(name) -->\n")).upperBound
      let end = try #require(text.range(of: "<!-- end of table -->\n", range: start..<text.endIndex)).lowerBound
      text.replaceSubrange(start..<end, with: table)
    }
    if ProcessInfo.processInfo.environment["HAPSIM_WRITE_PAGES"] != nil {
      try text.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    #expect(
      try String(contentsOf: Self.page, encoding: .utf8) == text,
      "docs/reference/command-reference.md is out of date: run Scripts/generate-command-reference")
  }

  @Test("Each command that prints facts has --json; the others write a file")
  func json() {
    let without = Program.hapsim.commands.filter { !$0.options.map(\.name).contains("json") }.map(\.name)
    #expect(without == ["new", "edit", "import"])
  }
}
