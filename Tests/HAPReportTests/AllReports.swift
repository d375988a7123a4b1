import HAPReport

/// All text reports of a run.
enum AllReports {
  static func texts(of report: RunReport, redaction: Redaction = Fixture.redaction) -> [(name: String, text: String)] {
    let matrix = ReportMatrix([(nil, report), (Fixture.setupCode, report)], redaction: redaction)
    return [
      ("JSON", JSONReport.text(of: report, redaction: redaction)),
      ("HTML", HTMLReport.text(of: report, redaction: redaction)),
      ("JUnit", JUnitReport.text(of: report, redaction: redaction)),
      ("TAP", TAPReport.text(of: report, redaction: redaction)),
      ("Markdown", MarkdownReport.text(of: report, redaction: redaction)),
      ("GitHub", GitHubAnnotations.lines(of: report, redaction: redaction).joined(separator: "\n")),
      ("matrix in Markdown", matrix.markdown),
      ("matrix in HTML", matrix.html),
    ]
  }
}
