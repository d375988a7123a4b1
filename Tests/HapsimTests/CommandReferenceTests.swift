import Foundation
import HAPCommandLine
import HAPCommands
import Testing
@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

/// `docs/command-reference.md` against `Program.hapsim`.
@Suite struct CommandReference {
  /// The text under each heading of the second level, by the heading.
  private func sections() throws -> [(heading: String, text: String)] {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/command-reference.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    return ("\n" + text).components(separatedBy: "\n## ").dropFirst().map { section in
      let parts = section.split(separator: "\n", maxSplits: 1)
      return (String(parts[0]), String(parts.last ?? ""))
    }
  }

  /// The options that a section's tables begin rows with, "--port N".
  private func rows(_ text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("| `-") }.map { row in
      row.dropFirst(2).replacing("\\|", with: "\u{1}").prefix { $0 != "|" }.replacing("\u{1}", with: "|")
        .replacing("`", with: "").trimmingCharacters(in: .whitespaces)
    }
  }

  @Test("Every command has its section, with every option in the order of help and an example")
  func commands() throws {
    let sections = try sections()
    #expect(
      sections.map(\.heading)
        == Program.hapsim.commands.map { command in
          guard case .some(let label, _) = command.operands else { return "`hapsim \(command.name)`" }
          return "`hapsim \(command.name) \(label)`"
        })
    for (section, command) in zip(sections, Program.hapsim.commands) {
      // The options of `run` are those of `fleet`, `record` and `judge` as well, and are told once.
      let told = ["fleet", "record", "judge"].contains(command.name) ? Command.run.options.map(\.name) : ["help"]
      let labels = command.options.filter { !told.contains($0.name) }.map { $0.label.replacing("…", with: "") }
      #expect(rows(section.text) == labels, "\(command.name)")
      #expect(section.text.contains("\nhapsim \(command.name)"), "\(command.name) has no example")
    }
  }

  @Test("Every command of standard input is in its table with its members")
  func standardInput() throws {
    let run = try #require(try sections().first { $0.heading.hasPrefix("`hapsim run") })
    for (name, members) in SimulatorCommand.vocabulary {
      let row = try #require(
        run.text.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") }, "\(name) is missing")
      #expect(members.allSatisfy { row.contains("`\($0)`") }, "\(name)")
    }
  }

  @Test("Every command of hapsim ctl is in its table, as its usage shows it")
  func controlWords() throws {
    let section = try #require(try sections().first { $0.heading.hasPrefix("`hapsim ctl") })
    let shown = section.text.components(separatedBy: "`").map { $0.replacing("\\|", with: "|") }
    for usage in ControlWords.usage { #expect(shown.contains(usage)) }
  }

  @Test("Every command that prints facts has --json; the others write a file")
  func json() {
    let without = Program.hapsim.commands.filter { !$0.options.map(\.name).contains("json") }.map(\.name)
    #expect(without == ["new", "edit", "import"])
  }
}
