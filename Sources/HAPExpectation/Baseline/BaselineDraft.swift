import HAPReport
import HAPWire

/// A baseline drafted from a run: one entry for each failed case. A person adds the reasons.
package struct BaselineDraft: Equatable, Sendable {
  package var entries: [Entry] = []

  package struct Entry: Equatable, Sendable {
    package var id: String
    package var verdict: Verdict
    package var message: String
    /// The reason; empty until a person writes it. haptest refuses a baseline with an empty reason.
    package var reason: String
  }

  /// Creates entries from a report. Cases that failed as an earlier baseline expects keep their reason.
  package init(of report: RunReport) {
    for reported in report.cases {
      guard let verdict = Self.verdict(of: reported) else { continue }
      let outcome = reported.outcome
      // A flaky case fails with varying counts, and secrets are redacted in the report.
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
    // The verdict before the baseline was applied.
    case .xfail:
      Set(reported.outcome.repetitions).count > 1 ? .flaky : reported.outcome.repetitions.first ?? .fail
    default: nil
    }
  }

  /// The file's contents, one entry per line.
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
