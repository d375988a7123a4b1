import Foundation
import HAPCommandLine
import HAPReport
import HAPWire
import Synchronization
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

private final class Sink: Sendable { let text = Mutex("") }

@Suite("The conclusion of hapsim judge") struct TrialConclusionTests {
  /// A run of the judge: its findings, and its problems.
  private struct Row {
    var found: [(Verdict, RequirementLevel)]
    var options: [String] = []
    var hasPassed = true
    var isWritable = true
    var conclusion: RunConclusion
    var reasons: [String]
  }

  private static let rows: [Row] = [
    Row(
      found: [(.pass, .must)], conclusion: .conforms,
      reasons: ["the controller conforms to the tested requirements"]),
    Row(found: [(.fail, .must)], conclusion: .failures, reasons: ["rules were broken"]),
    Row(found: [(.fail, .should)], conclusion: .failures, reasons: ["rules were broken"]),
    Row(
      found: [(.fail, .should), (.pass, .must)], options: ["--level", "must"], conclusion: .conforms,
      reasons: ["no rule was broken; 1 recommendation was"]),
    Row(found: [(.fail, .must)], options: ["--level", "must"], conclusion: .failures, reasons: ["rules were broken"]),
    Row(found: [(.pass, .must)], hasPassed: false, conclusion: .failures, reasons: ["the scenario failed"]),
    Row(found: [(.skip, .must)], hasPassed: false, conclusion: .failures, reasons: ["the scenario failed"]),
    Row(
      found: [(.fail, .must)], hasPassed: false, conclusion: .failures,
      reasons: ["the scenario failed", "rules were broken"]),
    Row(
      found: [(.pass, .must)], isWritable: false, conclusion: .reportNotWritten,
      reasons: ["a report could not be written"]),
    Row(
      found: [(.fail, .must)], isWritable: false, conclusion: .failures,
      reasons: ["rules were broken", "a report could not be written"]),
    Row(
      found: [(.skip, .must)], conclusion: .nothingRan,
      reasons: ["no controller did anything that a rule covers"]),
  ]

  private func events(_ found: [(Verdict, RequirementLevel)], _ header: RunHeader) -> [RunEvent] {
    let outcomes = found.enumerated().map { index, found in
      CaseOutcome(
        CaseDescription(
          id: "rule-\(index)", name: "", area: "requests", level: found.1, requirement: "", section: ""), found.0)
    }
    return [.began(header), .planned(outcomes.map { PlannedCase($0.description) })] + outcomes.map { .caseEnded($0) }
      + [.ended(RunSummary(duration: .zero, counts: [:]))]
  }

  /// The output and the exit status of a conclusion, printed in this process.
  private func told(_ row: Row, json: Bool, reports: String) throws -> (text: String, errors: String, exit: ExitCode) {
    let words =
      row.options + [
        "--report-json", "\(reports)/report.json", "--markdown", "\(reports)/report.md",
        "--junit", row.isWritable ? "\(reports)/junit.xml" : "/nowhere/junit.xml",
      ]
    let header = RunHeader(version: "1", target: "controllers", seed: 0, program: .hapsimJudge)
    let judgement = TrialConclusion(
      try JudgeOptions(Arguments(parsing: words, options: JudgeOptions.definitions + RunOptions.definitionsOfJudge)),
      header, secrets: [])
    let (out, errors) = (Sink(), Sink())
    let console = Console(
      out: { text in out.text.withLock { $0 += text } }, error: { text in errors.text.withLock { $0 += text } })
    let lines = LineOutput(console, program: "hapsim")
    let exit = judgement.tell(events(row.found, header), hasPassed: row.hasPassed, json: json, lines, console)
    lines.finish()
    return (out.text.withLock { $0 }, errors.text.withLock { $0 }, exit)
  }

  @Test("The JSON line, the last line and the reports match the exit status", arguments: rows.indices)
  func conclusion(row index: Int) throws {
    let row = Self.rows[index]
    let folder = ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let status = row.conclusion.exitStatus

    let json = try told(row, json: true, reports: folder.path)
    let line = try JSONNode.parse(Array(json.text.utf8))
    #expect(json.exit.rawValue == status)
    #expect(line["conclusion"]?.stringValue == row.conclusion.rawValue)
    #expect(line["exitStatus"]?.integerValue == Int128(status))
    #expect(try line["reasons"]?.asList().map { try $0.asString() } == row.reasons)
    #expect(json.errors.isEmpty == row.isWritable, "\(json.errors)")

    let text = try told(row, json: false, reports: folder.path)
    #expect(text.exit == json.exit)
    #expect(text.text.hasSuffix("Exit \(status): \(row.reasons.joined(separator: ", and ")).\n"), "\(text.text)")

    let report = try JSONNode.parse(Array(Data(contentsOf: URL(filePath: "\(folder.path)/report.json"))))
    #expect(report["conclusion"]?.stringValue == row.conclusion.rawValue)
    let page = try String(contentsOfFile: "\(folder.path)/report.md", encoding: .utf8)
    #expect(page.contains("hapsim judge: \(row.conclusion.meaning(of: .hapsimJudge))\n"), "\(page.prefix(200))")
  }
}
