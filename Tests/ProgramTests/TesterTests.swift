import Foundation
import HAPCommandLine
import HAPStore
import HAPWire
import Testing
import WorldPrograms

/// Checked: the first test fails if it has the code, and the other tests fail without the pairing.
@Suite("haptest against a running hapsim, in a simulated world") struct TesterTests {
  @Test("Without a code, only the cases without a code run") func withoutCode() throws {
    let run = try Run()
    defer { run.end() }
    #expect(try run.test(["--select", "http,pair-verify,discovery"]) == .well, "\(run.lines.text)")
    let verdicts = try run.verdicts()
    #expect(verdicts["HTTP-05"] == "pass" && verdicts["PV-01"] == "skip" && verdicts["DISC-04"] == "pass")
  }

  @Test("An accessory paired with another controller stays unchanged") func othersAccessory() throws {
    let run = try Run()
    defer { run.end() }
    _ = try run.pair()
    #expect(try run.test(["--code", Run.code]) == .well, "\(run.lines.text)")
    let verdicts = try run.verdicts()
    #expect(verdicts["PS-01"] == "skip" && verdicts["RD-01"] == "skip" && verdicts["DISC-01"] == "pass")
    #expect(try run.pairingCount() == 1)
  }

  @Test("With a pairing of hapctl, the run uses that admin, and keeps the pairing") func pairingOfHapctl() throws {
    let run = try Run()
    defer { run.end() }
    let state = run.folder.appending(path: "ctl").path
    let store = try ControllerStore(folder: state)
    try store.keep(try run.pair())
    let words = ["--pairing", "it", "--state", state, "--select", "database,read,pair-setup,pairings"]
    #expect(try run.test(words) == .well, "\(run.lines.text)")
    let verdicts = try run.verdicts()
    #expect(verdicts["RD-01"] == "pass" && verdicts["PS-01"] == "skip")
    #expect(try run.pairingCount() == 1)
  }
}

/// A lock served by hapsim, and haptest on the same host.
private struct Run {
  static let code = "031-45-154"
  let folder: URL
  let lines = Lines()
  private let laboratory = SimulatedLaboratory()
  private let program: ServedProgram

  init() throws {
    folder = try Laboratory.newFolder()
    let profile = Laboratory.profiles.appending(path: "lock.hasaccessory").path
    program = try ServedProgram(["run", profile, "--setup-code", Self.code], in: laboratory)
  }

  private var report: String { folder.appending(path: "report.json").path }

  func test(_ words: [String]) throws -> ExitCode {
    let target = try #require(program.place).description
    let console = Console(out: { lines.add($0) }, error: { lines.add($0) })
    return laboratory.test(
      [target] + words + ["--interface", "lo", "--seed", "1", "--report-json", report], console)
  }

  func verdicts() throws -> [String: String] { try Laboratory.verdicts(of: URL(filePath: report)) }

  func pair() throws -> ControllerPairing {
    let program = program
    return try laboratory.world.run { try await program.pair() }
  }

  func pairingCount() throws -> Int? {
    let program = program
    let status = try laboratory.world.run { try await program.perform([("command", .text("status"))]) }
    return status["accessories"]?.elements?.first?["pairings"]?.elements?.count
  }

  func end() {
    #expect(laboratory.world.foreignJobCount == 0)
    laboratory.world.end()
    try? FileManager.default.removeItem(at: folder)
  }
}
