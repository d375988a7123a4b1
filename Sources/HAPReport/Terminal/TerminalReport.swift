import HAPWire

/// Lines for a run in progress on a terminal: one for a case, more for a failed case.
package struct TerminalReport: Sendable {
  private let style: TerminalStyle
  private let width: Int
  private let redaction: Redaction
  private let isQuiet: Bool
  private let failingOn: Set<Verdict>
  /// The report, without transcripts.
  private var report = RunReport()

  /// - Parameters:
  ///   - isColoured: whether the terminal supports colours; otherwise the lines are plain.
  ///   - width: the characters in a line. The line of a case is not broken, and may be longer.
  ///   - isQuiet: whether to print only failures and the conclusion.
  ///   - verdicts: further verdicts that count as failures, in addition to `fail`, `flaky`, `error` and `xpass`.
  package init(
    isColoured: Bool, width: Int = 100, redaction: Redaction, isQuiet: Bool = false,
    failingOn verdicts: Set<Verdict> = []
  ) {
    self.isQuiet = isQuiet
    failingOn = verdicts
    style = TerminalStyle(isColoured: isColoured)
    self.width = max(width, 40)
    self.redaction = redaction
  }

  /// Returns the lines to print for an event; often none.
  package mutating func lines(for event: RunEvent) -> [String] {
    switch event {
    case .began(let header):
      report.take(.began(header.redacted(by: redaction)))
      return isQuiet ? [] : lines(of: header.redacted(by: redaction))
    case .planned(let cases):
      report.take(
        .planned(cases.map { PlannedCase($0.description, skipReason: $0.skipReason.map { redaction($0) }) }))
      if isQuiet { return [] }
      let skipped = cases.count { $0.skipReason != nil }
      let skips = skipped > 0 ? ", \(skipped) of them skipped" : ""
      return ["\(counted(cases.count, "case"))\(skips).", ""]
    case .caseBegan:
      report.take(event)
      return []
    case .caseEnded(let outcome):
      var outcome = outcome
      outcome.transcript = []
      outcome = outcome.redacted(by: redaction)
      report.take(.caseEnded(outcome))
      return isQuiet && !isFailure(outcome.verdict) ? [] : lines(of: outcome)
    case .note(let note):
      return isQuiet ? [] : ["\(style.faint("·")) \(redaction(note).oneLine)"]
    case .lost(let reason, let lastSent, let bytes):
      report.take(event)
      return lines(ofLoss: redaction(reason), lastSent: redaction(lastSent), bytes: redaction(bytes))
    case .interrupted:
      report.take(event)
      return ["", style.bold("Interrupted.")]
    case .ended(let summary):
      var summary = summary
      summary.leftovers = summary.leftovers.map { redaction($0) }
      report.take(.ended(summary))
      return conclusion()
    }
  }

  /// Returns the progress line of a terminal, which is overwritten: a bar, the progress, the failures and the current case.
  package func progress(width: Int) -> String {
    let all = report.plan.count
    let done = min(all, report.outcomes.count + report.plan.count { $0.skipReason != nil && !ended($0) })
    let room = 20
    let full = all == 0 ? 0 : done * room / all
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: room - full)
    let bad = Tally(report.outcomes.map { ReportedCase(result: .ended($0.verdict), outcome: $0) })
    var text = "\(bar) \(done)/\(all)"
    for verdict in Verdict.worstFirst where verdict.isBad && bad[verdict] > 0 {
      text += " · \(verdict.counted(bad[verdict]))"
    }
    if let id = report.running.last {
      let name = report.plan.first { $0.description.id == id }?.description.name ?? ""
      text += " · \(id) \(name)"
    }
    return text.oneLine.clipped(to: width)
  }

  private func ended(_ planned: PlannedCase) -> Bool { report.outcome(of: planned.description.id) != nil }

  private func lines(of header: RunHeader) -> [String] {
    var lines = [
      style.bold("\(header.program.rawValue) \(header.version) · \(header.target)".oneLine) + " · seed \(header.seed)"
    ]
    if !header.facts.isEmpty {
      let facts = header.facts.map { "\($0.name) \($0.value)".oneLine }.joined(separator: " · ")
      lines += facts.wrapped(to: width).map(style.faint)
    }
    return lines
  }

  // MARK: A case

  /// The column of a case's name, and the column of its details.
  private static let margin = 12
  private static let detailMargin = 18

  private func lines(of outcome: CaseOutcome) -> [String] {
    let description = outcome.description
    let label = style.coloured(outcome.verdict.label.padded(to: Self.margin - 1), as: outcome.verdict)
    var line = "\(label) \(style.bold(description.id))\(description.name.isEmpty ? "" : " ")\(description.name.oneLine)"
    // An outcome with a duration of zero was not measured.
    if outcome.verdict != .skip, outcome.duration != .zero { line += style.faint("  \(outcome.duration.briefly)") }
    if outcome.repetitions.count > 1 {
      line += style.faint(
        "  \(outcome.repetitions.count { !$0.isBad }) of \(outcome.repetitions.count) repetitions without failure")
    }
    switch outcome.verdict {
    case .fail, .flaky, .error, .xpass: return [line] + details(of: outcome) + [""]
    case .skip, .blocked, .info, .xfail, .nonStrict, .pass:
      let remark = outcome.verdict == .xfail ? outcome.expected ?? outcome.message : outcome.message
      let deviations = outcome.verdict == .nonStrict ? outcome.deviations.filter { $0 != remark } : []
      let said = ([remark] + deviations).filter { !$0.isEmpty }
      return [said.isEmpty ? line : "\(line): \(said.map(\.oneLine).joined(separator: "; "))"]
    }
  }

  private func isFailure(_ verdict: Verdict) -> Bool { verdict.isBad || failingOn.contains(verdict) }

  private func details(of outcome: CaseOutcome) -> [String] {
    let description = outcome.description
    var lines = indented(description.requirement, "")
    lines += indented("\(description.section), \(description.level.rawValue)", "").map(style.faint)
    lines += indented(outcome.message.withShortHex(), "", isBold: true)
    for fact in FailureText.facts(of: outcome) { lines += indented(fact.text, fact.title) }
    return lines
  }

  /// Returns `  fix       do this`, with further lines aligned below the first word.
  private func indented(_ text: String, _ title: String, isBold: Bool = false) -> [String] {
    if text.isEmpty { return [] }
    let blank = String(repeating: " ", count: Self.detailMargin)
    return text.lines.map(\.visible).joined(separator: "\n").wrapped(to: width - Self.detailMargin).enumerated()
      .map { index, line in
        let head = index == 0 && !title.isEmpty ? "  \(style.faint(title.padded(to: Self.detailMargin - 2)))" : blank
        return head + (isBold ? style.bold(line) : line)
      }
  }

  // MARK: The end

  private func lines(ofLoss reason: String, lastSent: String, bytes: [UInt8]) -> [String] {
    var lines = ["", style.coloured("LOST".padded(to: Self.margin - 1), as: .fail) + " " + style.bold(reason.oneLine)]
    lines += indented(lastSent, "sent last")
    let shown = bytes.prefix(256)
    lines += HexDump.lines(shown).map { String(repeating: " ", count: Self.detailMargin) + $0 }
    if bytes.count > shown.count { lines += indented("… \(bytes.count - shown.count) more bytes", "") }
    return lines
  }

  private func conclusion() -> [String] {
    let cases = report.cases
    let tally = Tally(cases)
    var lines = ["", style.bold("\(tally.text) in \(report.summary?.duration.briefly ?? "an unknown time").")]
    for reported in worstFirst(cases) {
      let text = "\(reported.description.title): \(reported.outcome.message)".oneLine.withShortHex()
      lines.append("  \(style.coloured(reported.label.padded(to: Self.margin - 3), as: reported.verdict)) \(text)")
    }
    for leftover in report.summary?.leftovers ?? [] {
      lines.append("  \(style.coloured("LEFT OVER", as: .error)) \(leftover.oneLine)")
    }
    for (cause, ids) in report.blocked {
      lines += group(ids, "not judged, because \(cause) fails", as: .blocked)
    }
    if isQuiet { return lines }
    for (reason, ids) in skips(cases) { lines += group(ids, reason.oneLine, as: .skip) }
    return lines
  }

  /// Returns `  SKIP      3 no multicast (DISC-01, DISC-02, DISC-03)`, with further lines aligned below the number.
  private func group(_ ids: [String], _ reason: String, as verdict: Verdict) -> [String] {
    let text = "\(ids.count) \(reason) (\(ids.prefix(6).joined(separator: ", "))\(ids.count > 6 ? ", …" : ""))"
    return text.wrapped(to: width - Self.margin).enumerated().map { index, line in
      let head =
        index == 0
        ? "  \(style.coloured(verdict.label.padded(to: Self.margin - 3), as: verdict)) "
        : String(repeating: " ", count: Self.margin)
      return head + line
    }
  }

  /// Returns failures by verdict, then MUST before SHOULD, then in the order of the plan.
  private func worstFirst(_ cases: [ReportedCase]) -> [ReportedCase] {
    Verdict.worstFirst.filter(isFailure).flatMap { verdict in
      let these = cases.filter { $0.verdict == verdict }
      return these.filter { $0.description.level == .must } + these.filter { $0.description.level != .must }
    }
  }

  /// Returns skipped cases by reason, in the order of the first case of each reason.
  private func skips(_ cases: [ReportedCase]) -> [(reason: String, ids: [String])] {
    var skips: [(reason: String, ids: [String])] = []
    for reported in cases where reported.verdict == nil || reported.verdict == .skip && !isFailure(.skip) {
      let reason = reported.outcome.message
      if let place = skips.firstIndex(where: { $0.reason == reason }) {
        skips[place].ids.append(reported.description.id)
      } else {
        skips.append((reason, [reported.description.id]))
      }
    }
    return skips
  }
}

func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
