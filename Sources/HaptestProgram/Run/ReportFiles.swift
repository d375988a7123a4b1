import HAPCommandLine
import HAPReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The reports that a command line asks for, written when the run is over, however it ended.
struct ReportFiles: Sendable {
  static let junit = Option("junit", "FILE", "write a JUnit XML report")
  static let json = Option("report-json", "FILE", "write a JSON report, for haptest diff and matrix, too")
  static let html = Option("html", "FILE", "write a page that works from disk")
  static let tap = Option("tap", "FILE", "write TAP 14")
  static let markdown = Option("markdown", "FILE", "write Markdown")
  static let evidence = Option(
    "evidence", "DIR", "keep each case's transcript, packets and session keys in a folder; secrets are in them")
  static let all = [junit, json, html, tap, markdown, evidence]

  private let junit, json, html, tap, markdown, evidence: String?

  init(_ arguments: Arguments) throws(UsageError) {
    junit = try arguments.value(Self.junit)
    json = try arguments.value(Self.json)
    html = try arguments.value(Self.html)
    tap = try arguments.value(Self.tap)
    markdown = try arguments.value(Self.markdown)
    evidence = try arguments.value(Self.evidence)
  }

  /// Checks all paths before the run, so that none of its work is lost.
  func check() throws(Refusal) {
    let files = [junit, json, html, tap, markdown].compactMap { $0 }
    let problems = outputProblems(files: files, folders: evidence.map { [$0] } ?? [])
    guard problems.isEmpty else { throw Refusal(.cannotRun, lines: problems.map(\.message)) }
  }

  /// Writes all reports. A report that can't be written changes the ending; then those that have a conclusion are written again.
  /// - Parameter complain: receives why a report could not be written.
  /// - Returns: the ending, with that in it.
  func write(
    _ report: RunReport, _ redaction: Redaction, _ ending: RunEnding, epoch: Duration, complain: (String) -> Void
  ) -> RunEnding {
    var found = problems(writing: [
      (junit, { JUnitReport.text(of: report, redaction: redaction) }),
      (tap, { TAPReport.text(of: report, redaction: redaction) }),
    ]).map(\.message)
    found += writeConclusions(report, redaction, ending.conclusion)
    if let evidence { found += keep(report, in: evidence, epoch) }
    guard !found.isEmpty else { return ending }
    for problem in found { complain(problem) }
    let worse = ending.withReportNotWritten
    // A second failure of the same file has been reported.
    _ = writeConclusions(report, redaction, worse.conclusion)
    return worse
  }

  /// - Returns: what couldn't be written.
  private func writeConclusions(
    _ report: RunReport, _ redaction: Redaction, _ conclusion: RunConclusion
  ) -> [String] {
    problems(writing: [
      (json, { Self.jsonText(of: report, redaction, conclusion) }),
      (html, { HTMLReport.text(of: report, redaction: redaction, conclusion: conclusion) }),
      (markdown, { MarkdownReport.text(of: report, redaction: redaction, conclusion: conclusion) }),
    ]).map(\.message)
  }

  static func jsonText(of report: RunReport, _ redaction: Redaction, _ conclusion: RunConclusion) -> String {
    JSONReport.text(of: report.withTranscriptsOfBadCases, redaction: redaction, conclusion: conclusion)
  }

  /// A folder for each case that ran, for its owner alone.
  private func keep(_ report: RunReport, in folder: String, _ epoch: Duration) -> [String] {
    var problems: [String] = []
    _ = mkdir(folder, 0o700)
    for outcome in report.outcomes where outcome.verdict != .skip {
      let place = "\(folder)/\(outcome.description.id)"
      _ = mkdir(place, 0o700)
      var files = CaseEvidence.files(of: outcome, header: report.header, epoch: epoch)
      files.append(("case.json", EvidenceFile.text(of: outcome, header: report.header)))
      for (name, bytes) in files {
        do throws(FileError) {
          let path = "\(place)/\(name)"
          if fileExists(path) { try replaceFile(path, bytes) } else { try writePrivateFile(path, bytes) }
        } catch { problems.append(error.message) }
      }
    }
    return problems
  }
}
