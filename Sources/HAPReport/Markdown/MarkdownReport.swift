import HAPWire

/// The run as Markdown for the pages of CI systems: conclusion, counts, failures in full, and the rest folded.
package enum MarkdownReport {
  /// - Parameters:
  ///   - conclusion: the conclusion of the exit status; `nil`: the conclusion of the report alone.
  ///   - sizeLimit: the limit on the page in bytes. GitHub accepts 1 MiB in a job's summary. Cases beyond it are omitted and counted.
  package static func text(
    of report: RunReport, redaction: Redaction, conclusion: RunConclusion? = nil,
    sizeLimit: Int = 900_000
  ) -> String {
    let report = report.redactedWithoutTranscripts(by: redaction)
    let cases = report.cases
    var page = Page(limit: sizeLimit)
    page.add(head(report, conclusion ?? report.conclusion()))
    let bad = cases.filter { $0.verdict?.isBad == true }
    if !bad.isEmpty { page.add("\n## Failures\n") }
    for reported in bad { page.add(details(of: reported), isCase: true) }
    let folded: [(String, [ReportedCase])] = [
      ("Not run", cases.filter { $0.verdict == nil }),
      ("Blocked: not judged, because another case fails", cases.filter { $0.verdict == .blocked }),
      ("Failed as the baseline expects", cases.filter { $0.verdict == .xfail }),
      ("Non-strict: accepted deviations", cases.filter { $0.verdict == .nonStrict }),
      ("For information", cases.filter { $0.verdict == .info }),
      ("Skipped", cases.filter { $0.verdict == .skip }),
    ]
    for (cause, ids) in report.blocked {
      page.add("\n\(counted(ids.count, "case")) not judged, because \(cause) fails: \(ids.joined(separator: ", ")).\n")
    }
    for (title, cases) in folded where !cases.isEmpty {
      page.add("\n<details><summary>\(title) (\(cases.count))</summary>\n\n")
      for reported in cases { page.add(line(of: reported), isCase: true) }
      page.add("\n</details>\n")
    }
    return page.whole
  }

  /// A page up to its limit. The end of a fold is never omitted.
  private struct Page {
    var limit: Int
    var text = ""
    var leftOut = 0

    init(limit: Int) { self.limit = limit }

    mutating func add(_ part: String, isCase: Bool = false) {
      if isCase, text.utf8.count + part.utf8.count > limit {
        leftOut += 1
      } else {
        text += part
      }
    }

    var whole: String {
      leftOut == 0
        ? text
        : text
          + "\n\(counted(leftOut, "case")) omitted here, to limit the size of the page. The other reports have all cases.\n"
    }
  }

  private static func head(_ report: RunReport, _ conclusion: RunConclusion) -> String {
    let sign = conclusion == .conforms ? "✅" : "❌"
    let program = report.header?.program ?? .haptest
    var text = "# \(sign) \(program.rawValue): \(conclusion.meaning(of: program))\n\n"
    if let header = report.header {
      text += "**\(header.target.oneLine.markdownEscaped)**"
      if let duration = report.summary?.duration { text += " in \(duration.briefly)" }
      text += ", seed \(header.seed), \(program.rawValue) \(header.version.oneLine.markdownEscaped)\n\n"
      if !header.facts.isEmpty {
        text += header.facts.map { "\($0.name) \($0.value)".oneLine.markdownEscaped }.joined(separator: " · ") + "\n\n"
      }
    }
    if let lost = report.lost {
      text += "> **The accessory was lost:** \(lost.reason.oneLine.markdownEscaped). "
      text += "Sent last: \(lost.lastSent.oneLine.markdownEscaped) (\(counted(lost.bytes.count, "byte")))\n\n"
    }
    if report.isInterrupted { text += "> **The run was interrupted.**\n\n" }
    for leftover in report.summary?.leftovers ?? [] {
      text += "> **Left over:** \(leftover.oneLine.markdownEscaped)\n\n"
    }
    let tally = report.tally
    var columns = Verdict.worstFirst.filter { tally[$0] > 0 }.map { (name: $0.label, count: tally[$0]) }
    if tally.notRun > 0 { columns.append((name: "NOT RUN", count: tally.notRun)) }
    columns.append((name: "all", count: tally.all))
    text += "| " + columns.map(\.name).joined(separator: " | ") + " |\n"
    text += String(repeating: "| ---: ", count: columns.count) + "|\n"
    text += "| " + columns.map { String($0.count) }.joined(separator: " | ") + " |\n"
    return text
  }

  private static func details(of reported: ReportedCase) -> String {
    let outcome = reported.outcome
    let description = outcome.description
    func line(_ text: String) -> String { text.oneLine.markdownEscaped }
    var text = "\n### \(reported.label) \(line(description.id)) \(line(description.name))\n\n"
    text += "\(line(description.requirement)) *\(line(description.section)), \(description.level.rawValue)*\n\n"
    if !outcome.message.isEmpty { text += "**\(line(outcome.message))**\n\n" }
    var rows: [(String, [String])] = [
      ("Baseline", outcome.expected.map { [$0] } ?? []), ("Sent", outcome.sent.map { [$0] } ?? []),
      ("Accepted", outcome.accepted), ("Got", outcome.got.map { [$0] } ?? []),
      (
        "Variants",
        outcome.variants.filter(\.verdict.isBad).map { "\($0.verdict.label) \($0.name): \($0.message)" }
      ),
      (
        "Repetitions",
        outcome.repetitions.count > 1 ? [outcome.repetitions.map(\.label).joined(separator: ", ")] : []
      ),
    ]
    if reported.verdict == .fail || reported.verdict == .flaky {
      rows += [
        ("Why it matters", description.impact.map { [$0] } ?? []),
        ("Usual cause", description.cause.map { [$0] } ?? []),
        ("How to fix", description.fix.map { [$0] } ?? []),
      ]
    }
    text += "| | |\n| --- | --- |\n"
    for (title, lines) in rows where !lines.isEmpty {
      text += "| \(title) | \(lines.map(line).joined(separator: "<br>")) |\n"
    }
    return text + "| More | `\(description.more.oneLine)` |\n"
  }

  private static func line(of reported: ReportedCase) -> String {
    let outcome = reported.outcome
    let remarks = ([outcome.message] + outcome.deviations + [outcome.expected ?? ""]).filter { !$0.isEmpty }
    let name =
      "**\(reported.description.id.oneLine.markdownEscaped)** \(reported.description.name.oneLine.markdownEscaped)"
    return
      "- \(name)\(remarks.isEmpty ? "" : ": ")\(remarks.map { $0.oneLine.markdownEscaped }.joined(separator: "; "))\n"
  }
}
