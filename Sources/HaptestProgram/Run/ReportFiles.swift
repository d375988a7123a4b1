import HAPCommandLine
import HAPReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A format of report files. Options, checks and writing follow from this list.
enum ReportFormat: CaseIterable, Sendable {
  case junit, json, html, tap, markdown

  var option: Option<String> {
    switch self {
    case .junit: Option("junit", "FILE", "write a JUnit XML report")
    case .json: Option("report-json", "FILE", "write a JSON report, also for haptest diff and matrix")
    case .html: Option("html", "FILE", "write a self-contained HTML page")
    case .tap: Option("tap", "FILE", "write TAP 14")
    case .markdown: Option("markdown", "FILE", "write Markdown")
    }
  }

  /// Whether the report contains the conclusion of the run.
  fileprivate var hasConclusion: Bool {
    switch self {
    case .junit, .tap: false
    case .json, .html, .markdown: true
    }
  }

  fileprivate func text(of report: RunReport, _ redaction: Redaction, _ conclusion: RunConclusion) -> String {
    switch self {
    case .junit: JUnitReport.text(of: report, redaction: redaction)
    case .json: ReportFiles.jsonText(of: report, redaction, conclusion)
    case .html: HTMLReport.text(of: report, redaction: redaction, conclusion: conclusion)
    case .tap: TAPReport.text(of: report, redaction: redaction)
    case .markdown: MarkdownReport.text(of: report, redaction: redaction, conclusion: conclusion)
    }
  }
}

/// The reports requested on the command line. They are written when the run is over, however it ended.
struct ReportFiles: Sendable {
  private static let evidence = Option(
    "evidence", "DIR", "write each case's transcript, packets and session keys to a folder; they contain secrets")
  static let all = ReportFormat.allCases.map(\.option) + [evidence]

  private let files: [(format: ReportFormat, path: String)]
  private let evidence: String?

  init(_ arguments: Arguments) throws(UsageError) {
    var files: [(format: ReportFormat, path: String)] = []
    for format in ReportFormat.allCases {
      if let path = try arguments.value(format.option) { files.append((format, path)) }
    }
    self.files = files
    evidence = try arguments.value(Self.evidence)
  }

  /// Checks all paths before the run, so that its results are not lost.
  func check() throws(Refusal) {
    let problems = outputProblems(files: files.map(\.path), folders: evidence.map { [$0] } ?? [])
    guard problems.isEmpty else { throw Refusal(.cannotRun, lines: problems.map(\.message)) }
  }

  /// Writes all reports. If a report cannot be written, the ending changes, and the reports with a conclusion are written again.
  /// - Parameter complain: receives the reason for a report that could not be written.
  /// - Returns: the final ending.
  func write(
    _ report: RunReport, _ redaction: Redaction, _ ending: RunEnding, epoch: Duration, complain: (String) -> Void
  ) -> RunEnding {
    var found = write(report, redaction, ending.conclusion, withConclusion: false)
    found += write(report, redaction, ending.conclusion, withConclusion: true)
    if let evidence { found += keep(report, in: evidence, epoch) }
    guard !found.isEmpty else { return ending }
    for problem in found { complain(problem) }
    let worse = ending.withReportNotWritten
    // A second failure of the same file has already been reported.
    _ = write(report, redaction, worse.conclusion, withConclusion: true)
    return worse
  }

  /// Writes the files of the formats that have a conclusion, or of the others.
  /// - Returns: the files that could not be written.
  private func write(
    _ report: RunReport, _ redaction: Redaction, _ conclusion: RunConclusion, withConclusion: Bool
  ) -> [String] {
    let chosen = files.filter { $0.format.hasConclusion == withConclusion }
    return problems(
      writing: chosen.map { file in (file.path, { file.format.text(of: report, redaction, conclusion) }) }
    ).map(\.message)
  }

  static func jsonText(of report: RunReport, _ redaction: Redaction, _ conclusion: RunConclusion) -> String {
    JSONReport.text(of: report.withTranscriptsOfBadCases, redaction: redaction, conclusion: conclusion)
  }

  /// Writes a folder for each case that ran, readable only by its owner.
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
