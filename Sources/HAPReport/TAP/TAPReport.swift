import HAPWire

/// The run in the Test Anything Protocol, version 14, with YAML diagnostics for cases that did not simply pass.
///
/// An expected failure is a TODO. An unexpected pass is "not ok", because it makes the run fail.
package enum TAPReport {
  package static func text(of report: RunReport, redaction: Redaction) -> String {
    let report = report.redactedWithoutTranscripts(by: redaction)
    let cases = report.cases
    var lines = ["TAP version 14", "1..\(cases.count)"]
    if let header = report.header {
      lines.append("# \(header.program.rawValue) \(header.version) \(header.target) seed \(header.seed)".oneLine)
    }
    for (index, reported) in cases.enumerated() { lines += self.lines(of: reported, number: index + 1) }
    lines.append("# \(report.tally.text)")
    if let lost = report.lost {
      lines.append("Bail out! The accessory was lost: \(lost.reason)".oneLine)
    } else if report.isInterrupted {
      lines.append("Bail out! The run was interrupted.")
    } else if report.summary == nil {
      lines.append("Bail out! The run did not finish.")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(of reported: ReportedCase, number: Int) -> [String] {
    let outcome = reported.outcome
    let isOK: Bool
    var directive = ""
    switch reported.verdict {
    case .pass, .nonStrict, .info: isOK = true
    case .fail, .error, .flaky, .xpass: isOK = false
    case .xfail:
      isOK = false
      directive = " # TODO \((outcome.expected ?? outcome.message).oneLine.tapEscaped)"
    case .blocked, .skip, nil:
      isOK = true
      directive = " # SKIP \(outcome.message.oneLine.tapEscaped)"
    }
    let title = reported.description.title.oneLine.tapEscaped
    return ["\(isOK ? "ok" : "not ok") \(number) - \(title)\(directive)"] + diagnostics(of: reported)
  }

  private static func diagnostics(of reported: ReportedCase) -> [String] {
    let outcome = reported.outcome
    guard let verdict = reported.verdict, verdict != .skip, verdict != .pass || !outcome.notes.isEmpty else {
      return []
    }
    var lines = ["  ---", "  verdict: \(verdict.rawValue)", "  level: \(reported.description.level.rawValue)"]
    func add(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { lines.append("  \(name): \(text.yamlQuoted)") }
    }
    func add(_ name: String, _ texts: [String]) {
      if texts.isEmpty { return }
      lines.append("  \(name):")
      for text in texts { lines.append("    - \(text.yamlQuoted)") }
    }
    add("requirement", reported.description.requirement)
    add("section", reported.description.section)
    add("message", outcome.message)
    add("baseline", outcome.expected)
    add("sent", outcome.sent)
    add("accepted", outcome.accepted)
    add("got", outcome.got)
    add("deviations", outcome.deviations)
    add("variants", outcome.variants.filter(\.verdict.isBad).map { "\($0.verdict.label) \($0.name): \($0.message)" })
    add("notes", outcome.notes)
    if verdict == .fail || verdict == .flaky {
      add("why", reported.description.impact)
      add("cause", reported.description.cause)
      add("fix", reported.description.fix)
    }
    lines.append("  duration_ms: \(outcome.duration.milliseconds)")
    return lines + ["  ..."]
  }
}

extension Duration {
  /// The whole milliseconds.
  fileprivate var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds.multipliedReportingOverflow(by: 1000).partialValue &+ attoseconds / 1_000_000_000_000_000
  }
}

extension String {
  /// The text with "#" escaped, because "#" begins a directive.
  fileprivate var tapEscaped: String {
    unicodeScalars.map { $0 == "#" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
  }

  /// The text as a double-quoted scalar of YAML 1.2, in one line.
  fileprivate var yamlQuoted: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isInvisible || (0xFFFE...0xFFFF).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
