/// The program that made a run.
package enum ReportProgram: String, CaseIterable, Equatable, Sendable {
  case haptest
  case hapsimJudge = "hapsim judge"

  /// The subject that the program tests.
  package var subject: String {
    switch self {
    case .haptest: "accessory"
    case .hapsimJudge: "controller"
    }
  }

  /// The name without blanks, for class names.
  var token: String { String(rawValue.map { $0 == " " ? "-" : $0 }) }
}
