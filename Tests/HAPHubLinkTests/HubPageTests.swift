import Foundation
import HAPHome
import Testing

@testable import HAPHubLink

/// The tables of docs/reference/hub-socket.md are generated from the code. With `HAPTEST_WRITE_DOCS=1` set, this suite
/// writes them.
@Suite("The page about the hub's socket") struct HubPageTests {
  private static let writes = ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] == "1"
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs/reference/hub-socket.md")

  @Test("It has the tables of requests, answers, events and commands") func tables() throws {
    let old = try String(contentsOf: Self.page, encoding: .utf8)
    var new = old
    for (mark, table) in [
      ("requests", Self.requests), ("answers", Self.table("answer", HubAnswerName.all)),
      ("events", Self.table("event", HubEventName.all)), ("commands", Self.commands),
    ] {
      new = try Self.between(mark, of: new, table)
    }
    if Self.writes { return try Data(new.utf8).write(to: Self.page) }
    #expect(old == new, "docs/reference/hub-socket.md is out of date; run HubPageTests with HAPTEST_WRITE_DOCS=1")
  }

  private static func members(_ members: [HubMember]) -> String {
    members.map { "`\($0.name)`\($0.isOptional ? " (optional)" : ""): \($0.value)" }.joined(separator: "<br>")
  }

  private static func table<Name: RawRepresentable<String>>(_ kind: String, _ forms: [HubForm<Name>]) -> String {
    let rows = forms.map { "| `\($0.name.rawValue)` | \(members($0.members)) | \($0.does) |" }
    return (["| `\(kind)` | members | meaning |", "|---|---|---|"] + rows).joined(separator: "\n")
  }

  private static var requests: String {
    let rows = HubRequestName.all.map {
      "| `\($0.name.rawValue)` | \(members($0.members)) | `\($0.name.answer.rawValue)` | \($0.does) |"
    }
    return (["| `request` | members | answer | effect |", "|---|---|---|---|"] + rows).joined(separator: "\n")
  }

  private static var commands: String {
    let rows = HomeCommandForm.all.map { form in
      let members = form.members.map { "`\($0.name)`\($0.presence == .optional ? " (optional)" : "")" }
      return "| `\(form.name.rawValue)` | \(members.joined(separator: ", ")) | \(form.does) |"
    }
    return (["| `command` | members | effect |", "|---|---|---|"] + rows).joined(separator: "\n")
  }

  private static func between(_ mark: String, of text: String, _ table: String) throws -> String {
    let start = try #require(text.range(of: "<!-- \(mark) -->\n"))
    let end = try #require(text.range(of: "<!-- end of \(mark) -->"))
    return text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: table + "\n")
  }

  @Test("Its examples are lines of the protocol") func examples() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    var blocks: [[String]] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        isInside.toggle()
        // Each line of a block of text is a line of the protocol; a block of JSON is one line.
        if isInside { blocks.append([line]) }
      } else if isInside {
        blocks[blocks.count - 1].append(line)
      }
    }
    let lines = blocks.flatMap { block in
      block[0] == "```json" ? [block.dropFirst().joined(separator: "\n")] : block.filter { $0.hasPrefix("{") }
    }
    #expect(lines.count >= 15)
    for line in lines {
      let bytes = Array(line.utf8)
      if (try? HubRequestLine(bytes)) != nil { continue }
      do throws(HomeError) { _ = try HubMessage(bytes) } catch { Issue.record("\(line): \(error)") }
    }
  }

  @Test("The table of answers names the requests of each answer", arguments: HubRequestName.allCases)
  func answers(_ name: HubRequestName) {
    let form = HubAnswerName.allCases.first { $0 == name.answer }?.form
    let others = HubRequestName.allCases.filter { $0.answer == name.answer }
    if name.answer != .done {
      for other in others { #expect(form?.does.contains("`\(other.rawValue)`") == true, "\(other)") }
    }
  }
}

@Suite("Seeds of the fuzz target hublink") struct HubSeedTests {
  @Test("The seeds are lines of the protocol, besides two with wrong names") func seeds() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz/Corpus/hublink")
    var refused: [String] = []
    for file in try FileManager.default.contentsOfDirectory(
      at: folder.standardizedFileURL, includingPropertiesForKeys: nil)
    where file.lastPathComponent.hasPrefix("seed-") {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let bytes = Array(line.utf8)
        if (try? HubRequestLine(bytes)) == nil, (try? HubMessage(bytes)) == nil { refused.append(String(line)) }
      }
    }
    #expect(refused.count == 2 && refused.contains { $0.contains("add-rom") }, "\(refused)")
  }
}
