/// Who made a run.
package enum ReportProgram: String, CaseIterable, Equatable, Sendable {
  case haptest
  case hapsimJudge = "hapsim judge"

  /// What it judges.
  package var subject: String {
    switch self {
    case .haptest: "accessory"
    case .hapsimJudge: "controller"
    }
  }

  /// Without blanks, for names of classes.
  var token: String { String(rawValue.map { $0 == " " ? "-" : $0 }) }
}
