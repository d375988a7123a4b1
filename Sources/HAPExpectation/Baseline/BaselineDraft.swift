import HAPReport
import HAPWire

/// A baseline made of a run: an entry for each case that failed, whose reason a person writes.
package struct BaselineDraft: Equatable, Sendable {
  package var entries: [Entry] = []

  package struct Entry: Equatable, Sendable {
    package var id: String
    package var verdict: Verdict
    package var message: String
    /// Empty: to be written. A baseline with an empty reason is refused.
    package var reason: String
  }

  /// Cases that failed as an earlier baseline says keep their reason.
  package init(of report: RunReport) {
    for reported in report.cases {
      guard let verdict = Self.verdict(of: reported) else { continue }
      let outcome = reported.outcome
      // How often a flaky case fails differs from run to run; a secret is not in the report.
      let message =
        verdict == .flaky || outcome.message.isEmpty
        ? "*"
        : outcome.message.split(separator: Redaction.mark, omittingEmptySubsequences: false).joined(separator: "*")
      entries.append(
        Entry(id: outcome.description.id, verdict: verdict, message: message, reason: outcome.expected ?? ""))
    }
  }

  private static func verdict(of reported: ReportedCase) -> Verdict? {
    switch reported.verdict {
    case .fail, .flaky, .error: reported.verdict
    // What it was before the baseline was applied.
    case .xfail:
      Set(reported.outcome.repetitions).count > 1 ? .flaky : reported.outcome.repetitions.first ?? .fail
    default: nil
    }
  }

  /// As a file, one entry a line.
  package var fileText: String {
    let lines = entries.map { entry in
      let members = [
        ("id", entry.id), ("verdict", entry.verdict.rawValue), ("message", entry.message), ("reason", entry.reason),
      ]
      return "    {"
        + members.map { name, value in "\"\(name)\": \(JSONWriter.text { $0.string(value) })" }
        .joined(separator: ", ") + "}"
    }
    let list = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n  ]"
    return "{\n  \"format\": 1,\n  \"entries\": \(list)\n}\n"
  }
}
