import Foundation
import HAPCommandLine
import HAPLoop
import HAPWorld
import Testing
import WorldPrograms

/// These tests fail if `shellWords` ignores quotes, or if a child's lines arrive in the agenda's random order.
@Suite("Programs of a simulated host") struct WorldProgramTests {
  @Test("haptest starts hapsim in the world, and two runs of one seed are equal") func programs() {
    let profile = URL(filePath: #filePath).appending(path: "../../../../Profiles/light-white.hasaccessory").standardized
    let words = [
      "--exec", "hapsim run '\(profile.path)' --commands --interface lo --state /state --control off", "--interface",
      "lo",
      "--seed", "1", "--select", "read,DISC-09,DISC-17", "--quiet",
    ]
    let results = (0..<2).map { _ in SimulatedTest(words, seed: 5).run(Self.silent) }
    #expect(results.allSatisfy { $0.code == .well && $0.foreignJobCount == 0 })
    #expect(results[0].traceHash == results[1].traceHash)
    #expect(results[0].time > .seconds(1))
  }

  @Test("A run against a bridge also ends, and the bridge's state is on its host's disk") func bridge() {
    let profile = URL(filePath: #filePath).appending(path: "../../../../Profiles/bridge-two-lights.hasaccessory")
      .standardized
    let words = [
      "--exec", "hapsim run '\(profile.path)' --commands --interface lo --state /state --control off", "--interface",
      "lo",
      "--seed", "1", "--select", "read,services,database", "--quiet",
    ]
    let result = SimulatedTest(words).run(Self.silent)
    #expect(result.code == .well)
    #expect(result.foreignJobCount == 0)
  }

  @Test("A program that is not installed ends with status 127") func unknownProgram() {
    let lines = Lines()
    let console = Console(out: { lines.add($0) }, error: { lines.add($0) })
    let code = SimulatedTest(["--exec", "accessory --port 1", "--interface", "lo", "--seed", "1"]).run(console).code
    #expect(code == .cannotRun)
    #expect(lines.text.contains("it ended with status 127") || lines.text.contains("ended with status 127"))
    #expect(lines.text.contains("accessory: no program of this name is installed in the simulated world"))
  }

  @Test(
    "A command is split into words as by the shell",
    arguments: [
      ("hapsim run lamp", ["hapsim", "run", "lamp"]), ("  a   b ", ["a", "b"]), ("", []),
      ("a 'b c' \"d e\"", ["a", "b c", "d e"]), ("a '' b", ["a", "", "b"]),
      (#"a\ b "c\"d" 'e\f'"#, ["a b", "c\"d", #"e\f"#]),
      ("a'b'\"c\"", ["abc"]), ("'open", nil), ("a\\", nil),
    ] as [(String, [String]?)]) func words(_ command: String, _ words: [String]?)
  {
    #expect(shellWords(command) == words)
  }

  private static let silent = Console(out: { _ in }, error: { _ in })
}

private final class Lines: @unchecked Sendable {  // confined to the world's thread
  private(set) var text = ""
  func add(_ line: String) { text += line }
}
