import Foundation
import HAPCommandLine
import HAPReport
import Synchronization
import Testing

@testable import HaptestProgram

/// haptest's output and exit status, run in this process.
struct Transcript: Equatable {
  var out = ""
  var error = ""
  var exit = ExitCode.well
}

private final class Sink: Sendable {
  let text = Mutex("")
}

/// Runs haptest on a separate thread: a command blocks until it is done, which is forbidden on a thread of the
/// concurrency runtime.
func haptest(_ words: String..., environment: [String: String] = [:]) async -> Transcript {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      let (out, error) = (Sink(), Sink())
      let console = Console(
        out: { text in out.text.withLock { $0 += text } }, error: { text in error.text.withLock { $0 += text } },
        environment: { environment[$0] })
      let exit = Program.haptest.run(words, console: console)
      continuation.resume(
        returning: Transcript(out: out.text.withLock { $0 }, error: error.text.withLock { $0 }, exit: exit))
    }
  }
}

/// A temporary folder for one test, removed with its owner.
final class ScratchFolder {
  let path = FileManager.default.temporaryDirectory.appending(path: "haptest-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String, _ text: String) throws -> String {
    let path = "\(path)/\(name)"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }
}

@Suite struct HaptestCommandLineTests {
  private func stored(_ name: String) throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Help/\(name).txt")
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test(
    "The help of haptest and of each command is its stored copy; after a change: haptest COMMAND --help > the copy")
  func help() async throws {
    #expect(await haptest("--help").out == (try stored("haptest")))
    for command in Program.haptest.commands {
      #expect(await haptest(command.name, "--help").out == (try stored(command.name)), "\(command.name)")
    }
  }

  @Test(
    "A selection without cases exits with 4 and a suggestion",
    arguments: [
      (["list", "--select", "PS-2a9"], "PS-29"), (["list", "--select", "pair-setupp"], "pair-setup"),
      (["explain", "PS-1"], "PS-01"), (["explain", "HTP-05"], "HTTP-05"),
      (["run", "127.0.0.1:9", "--select", "XX-*"], "XX-*"),
      (["list", "--select", "PS-01", "--exclude", "PS-*"], "no case is selected"),
    ])
  func nothingSelected(_ words: [String], _ hint: String) async {
    let transcript = await run(words)
    #expect(transcript.exit == .nothingSelected)
    #expect(transcript.error.contains(hint), "\(transcript.error)")
  }

  private func run(_ words: [String]) async -> Transcript {
    switch words.count {
    case 2: await haptest(words[0], words[1])
    case 3: await haptest(words[0], words[1], words[2])
    case 4: await haptest(words[0], words[1], words[2], words[3])
    default: await haptest(words[0], words[1], words[2], words[3], words[4])
    }
  }

  @Test("A selection is the union of its terms without the excluded cases")
  func selection() async {
    let both = await haptest("list", "--select", "PS-01,PS-02", "--exclude", "PS-02")
    #expect(both.exit == .well)
    #expect(both.out.contains("PS-01") && !both.out.contains("PS-02"))
  }

  @Test("list and explain describe a case")
  func telling() async {
    let listed = await haptest("list", "--select", "PS-01", "--json")
    #expect(listed.out.contains(#""id":"PS-01""#))
    let told = await haptest("explain", "ps-01")
    #expect(told.out.contains("PS-01") && told.out.contains("Level: must"))
    let json = await haptest("explain", "ps-01", "rd-01", "--json").out
    for text in [#"[{"id":"PS-01""#, #""id":"RD-01""#, #""level":"must""#, #""stacks":{"#, #""file":"read.yaml""#] {
      #expect(json.contains(text))
    }
  }

  // MARK: Malformed files: a place and a reason, and no run

  @Test("A malformed suite is reported with file, line and column, and no case runs")
  func brokenSuite() async throws {
    let folder = try ScratchFolder()
    let path = try folder.file(
      "own.yaml",
      """
      area: own
      title: Own
      cases:
        - id: OWN-01
          name: a-case
          requirement: Something.
          level: must
          section: none
          steps:
            - sned: { path: /accessories }
      """)
    let validated = await haptest("validate", path)
    #expect(validated.exit == .problem)
    #expect(validated.out.contains("own.yaml:10:9") && validated.out.contains("did you mean \"send\"?"))
    let json = await haptest("validate", path, "--json")
    #expect(json.exit == .problem)
    for text in [#""problems":[{"file":"#, #""path":"cases[0].steps[0]"#, #""line":10,"column":9"#] {
      #expect(json.out.contains(text), "\(json.out)")
    }
    let run = await haptest("run", "127.0.0.1:9", "--suites", path)
    #expect(run.exit == .usage)
    #expect(run.error.contains("own.yaml:10:9"))
  }

  @Test(
    "A malformed claims, hooks or baseline file is reported with its place, and no case runs",
    arguments: [
      ("--claims", #"{"format": 1, "claims": {"brigde": true}}"#, "did you mean \"bridge\"?"),
      ("--claims", #"{"format": 2, "claims": {}}"#, "2 is not in 1...1"),
      ("--hooks", #"{"format": 1, "hooks": {"rebot": "true"}}"#, "did you mean \"reboot\"?"),
      ("--hooks", "[", ":1:"),
      (
        "--baseline", #"{"format": 1, "entries": [{"id": "PS-1", "verdict": "fail", "message": "*", "reason": "x"}]}"#,
        "PS-01"
      ),
      (
        "--baseline", #"{"format": 1, "entries": [{"id": "PS-01", "verdict": "pass", "message": "*", "reason": "x"}]}"#,
        "pass"
      ),
    ])
  func brokenFile(_ option: String, _ text: String, _ hint: String) async throws {
    let folder = try ScratchFolder()
    let path = try folder.file("file.json", text)
    let transcript = await haptest("run", "127.0.0.1:9", option, path)
    #expect(transcript.exit == .usage, "\(transcript)")
    #expect(transcript.error.contains("file.json:1:"), "\(transcript.error)")
    #expect(transcript.error.contains(hint), "\(transcript.error)")
  }

  @Test(
    "Contradictory options are refused before anything is sent",
    arguments: [
      ["run"], ["run", "127.0.0.1:9", "--code", "1234"], ["run", "127.0.0.1:9", "--shard", "2/2"],
      ["run", "127.0.0.1:9", "--shard", "x/1/4"], ["run", "127.0.0.1:9", "--code", "٠٣١-٤"],
      ["run", "127.0.0.1:9", "--fail-on", "luck"], ["run", "127.0.0.1:9", "--txt", "sf"], ["validate"],
      ["claims", "make", "127.0.0.1:9"], ["lint", "127.0.0.1:9"],
    ])
  func badOptions(_ words: [String]) async {
    let transcript: Transcript
    switch words.count {
    case 1: transcript = await haptest(words[0])
    case 2: transcript = await haptest(words[0], words[1])
    case 3: transcript = await haptest(words[0], words[1], words[2])
    default: transcript = await haptest(words[0], words[1], words[2], words[3])
    }
    #expect(transcript.exit == .usage, "\(transcript)")
  }

  @Test("An unreachable accessory ends the run with 3")
  func unreachable() async {
    let transcript = await haptest("run", "127.0.0.1:1", "--txt", "sf=1")
    #expect(transcript.exit == .cannotRun)
    #expect(transcript.error.contains("127.0.0.1:1 can't be reached"))
  }

  @Test("A child process that ends at once is reported, with its last output")
  func deadChild() async {
    let transcript = await haptest("run", "--exec", "echo no luck today; exit 7", "--txt", "sf=1")
    #expect(transcript.exit == .cannotRun)
    #expect(transcript.error.contains("no luck today"), "\(transcript.error)")
  }

  // MARK: lint, diff, replay

  private static let database = #"""
    {"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[
    {"iid":2,"type":"14","perms":["pw"],"format":"bool"},
    {"iid":3,"type":"20","perms":["pr"],"format":"string","value":"Makers"},
    {"iid":4,"type":"21","perms":["pr"],"format":"string","value":"M-1"},
    {"iid":5,"type":"23","perms":["pr"],"format":"string","value":"Lamp"},
    {"iid":6,"type":"30","perms":["pr"],"format":"string","value":"SERIAL"},
    {"iid":7,"type":"52","perms":["pr"],"format":"string","value":"1.0"}]},
    {"iid":8,"type":"A2","characteristics":[{"iid":9,"type":"37","perms":["pr"],"format":"string","value":"1.1.0"}]},
    {"iid":10,"type":"43","characteristics":[{"iid":11,"type":"25","perms":["pr","pw","ev"],"format":"bool","value":VALUE}]}]}]}
    """#

  @Test("lint passes a valid database, and fails an invalid one with its findings")
  func lint() async throws {
    let folder = try ScratchFolder()
    let good = try folder.file("good.json", Self.database.replacing("VALUE", with: "true"))
    let fine = await haptest("lint", good)
    #expect(fine.exit == .well, "\(fine)")
    let bad = try folder.file("bad.json", Self.database.replacing("VALUE", with: "\"on\""))
    let found = await haptest("lint", bad)
    #expect(found.exit == .problem)
    #expect(found.out.contains("ADB-19"), "\(found.out)")
    let one = await haptest("lint", bad, "--rules", "ADB-03")
    #expect(one.exit == .well)
    #expect(await haptest("lint", bad, "--rules", "ADB-333").exit == .nothingSelected)
    #expect(await haptest("lint", "\(folder.path)/gone.json").exit == .cannotRun)
  }

  @Test("Each command that prints facts has --json; the others write a file")
  func json() {
    let without = Program.haptest.commands.filter { !$0.options.map(\.name).contains("json") }.map(\.name)
    #expect(without.sorted() == ["baseline", "claims", "matrix"])
  }

  @Test("diff and matrix refuse a malformed report, with its place")
  func noReport() async throws {
    let folder = try ScratchFolder()
    let path = try folder.file("report.json", "{\n\"format\": 7 }")
    for words in [["diff", path, path], ["matrix", path, "x=\(path)"]] {
      let transcript = await haptest(words[0], words[1], words[2])
      #expect(transcript.exit == .usage)
      #expect(transcript.error.contains("report.json:2"), "\(transcript.error)")
    }
  }

  @Test("replay refuses malformed evidence, and cases that the suites lack")
  func replay() async throws {
    let folder = try ScratchFolder()
    #expect(await haptest("rerun", folder.path, "127.0.0.1:1").exit == .cannotRun)
    _ = try folder.file("case.json", #"{"format": 1, "id": "ZZ-99", "seed": 1, "version": "\#(projectVersion)"}"#)
    #expect(await haptest("rerun", folder.path, "127.0.0.1:1").exit == .nothingSelected)
    let path = try folder.file("own.json", #"{"format": 1, "id": "PS-01", "seed": 1, "version": "\#(projectVersion)"}"#)
    let unreachable = await haptest("rerun", path, "127.0.0.1:1", "--txt", "sf=1")
    #expect(unreachable.exit == .cannotRun)
    #expect(unreachable.error.contains("haptest rerun: 127.0.0.1:1") && !unreachable.error.contains("haptest run"))
  }

  @Test("Evidence has the turn of its case; evidence without a turn, from older versions, is the first")
  func evidence() throws {
    let description = CaseDescription(
      id: "PS-01", name: "x", area: "pair-setup", level: .must, requirement: "", section: "")
    var outcome = CaseOutcome(description, .fail)
    outcome.turn = 7
    let read = try EvidenceFile(EvidenceFile.text(of: outcome, header: nil))
    #expect(read.id == "PS-01" && read.turn == 7)
    #expect(try EvidenceFile(Array(#"{"format": 1, "id": "PS-01", "seed": 1}"#.utf8)).turn == 0)
  }
}
