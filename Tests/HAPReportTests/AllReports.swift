import HAPReport

/// Each report of a run that is one text.
enum AllReports {
  static func texts(of report: RunReport, redaction: Redaction = Fixture.redaction) -> [(name: String, text: String)] {
    [
      ("JSON", JSONReport.text(of: report, redaction: redaction))
    ]
  }
}
