import Foundation
import HAPCommandLine
import HAPWire
import Testing
import WorldPrograms

/// Checked: these tests fail without the flaky verdict; without the start after a crash while the tester paired;
/// without the attempt of each phase.
@Suite("haptest against an accessory that is broken for a time, in a simulated world") struct BrokenForATimeTests {
  @Test("A crash that does not repeat is reported as one flaky case") func crashOnce() throws {
    let defect = """
      area: read
      defects:
        - id: dies-of-read
          breaks: RD-01
          what: A read makes the accessory crash.
          rules:
            - when: { request: GET /characteristics }
              exit: true

      """
    let result = try test(own: defect, "dies-of-read", runs: 1, select: "RD-01,RD-02,RD-03,RD-04")
    #expect(result.verdicts.values.sorted() == ["flaky", "pass", "pass", "pass"], "\(result.output)")
    #expect(result.output.contains("the accessory crashed: its process ended with status 1 while this case ran"))
    #expect(result.output.contains("it did not when the cases ran alone"))
  }

  @Test("A crash that repeats fails the case") func crashAlways() throws {
    let result = try test("http-dies-of-brackets", runs: .max, select: "HTTP-25,HTTP-26,RD-01")
    #expect(result.verdicts == ["HTTP-25": "pass", "HTTP-26": "fail", "RD-01": "pass"], "\(result.output)")
  }

  @Test("After a crash in the tester's own Pair Setup, the command is started again") func crashWhilePairing() throws {
    let defect = """
      area: pair-setup
      defects:
        - id: dies-of-pair-setup
          breaks: PS-01
          what: M1 makes the accessory crash.
          rules:
            - when: { request: POST /pair-setup }
              exit: true

      """
    let result = try test(own: defect, "dies-of-pair-setup", runs: 2, select: "RD-01")
    #expect(result.verdicts == ["RD-01": "pass"], "\(result.output)")
    #expect(result.output.contains("the command was started again"))
    let dead = try test(own: defect, "dies-of-pair-setup", runs: .max, select: "RD-01,RD-02")
    #expect(dead.verdicts == ["RD-01": "skip", "RD-02": "skip"], "\(dead.output)")
  }

  @Test("An accessory that refuses Pair Setup for a while is tested afterwards", arguments: [3, 4]) func refusals(
    count: Int
  ) throws {
    let defect = """
      area: pair-setup
      defects:
        - id: refuses-pair-setup
          breaks: PS-01
          what: The first M1 messages are answered by 503.
          rules:
            - when: { request: POST /pair-setup, nth: "-\(count)", per: accessory }
              answer: { status: 503 }

      """
    // CN-01 runs in another phase than RD-01.
    let result = try test(own: defect, "refuses-pair-setup", runs: .max, select: "RD-01,CN-01")
    #expect(result.verdicts.values.contains("pass"), "\(result.output)")
  }

  private struct Result {
    var verdicts: [String: String]
    var output: String
  }

  /// Runs cases against an accessory that has a defect in its first runs.
  /// - Parameter own: a file of defects that contains the defect.
  private func test(own: String? = nil, _ defect: String, runs: Int, select: String) throws -> Result {
    let folder = try Laboratory.newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let report = folder.appending(path: "report.json")
    var extra = ["--defect", defect]
    if let own {
      let file = folder.appending(path: "own.yaml")
      try own.write(to: file, atomically: true, encoding: .utf8)
      extra += ["--defects", file.path]
    }
    let profile = Laboratory.profiles.appending(path: "kitchen-sink.hasaccessory").path
    let laboratory = SimulatedLaboratory()
    defer { laboratory.world.end() }
    let started = Counter()
    laboratory.world.installHapsim(on: laboratory.disk, as: "wavering") { [extra] run in
      started.count += 1
      return run.arguments + (started.count <= runs ? extra : [])
    }
    let words = [
      "--exec", "wavering run '\(profile)' --commands --interface lo --state /state --control off", "--interface", "lo",
      "--seed", "1", "--select", select, "--report-json", report.path,
    ]
    let lines = Lines()
    _ = laboratory.test(words, Console(out: { lines.add($0) }, error: { lines.add($0) }))
    return Result(verdicts: try Laboratory.verdicts(of: report), output: lines.text)
  }
}

private final class Counter {
  var count = 0
}
