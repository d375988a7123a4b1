/// A case in a report, with its result, or without one if it has not ended.
package struct ReportedCase: Equatable, Sendable {
  package enum Result: Equatable, Sendable {
    case ended(Verdict)
    /// The case was planned and has not ended.
    case notRun
  }

  package var result: Result
  /// The outcome. If the case has not ended, it has the verdict `skip` and the reason.
  package var outcome: CaseOutcome

  package var description: CaseDescription { outcome.description }

  /// A label such as "FAIL" or "NOT RUN".
  package var label: String {
    switch result {
    case .ended(let verdict): verdict.label
    case .notRun: "NOT RUN"
    }
  }

  /// A keyword such as "fail" or "not-run", for the JSON report and the page.
  package var word: String {
    switch result {
    case .ended(let verdict): verdict.rawValue
    case .notRun: "not-run"
    }
  }

  package var verdict: Verdict? { if case .ended(let verdict) = result { verdict } else { nil } }
}

extension RunReport {
  /// The planned cases in order, then unplanned cases in the order in which they ended.
  package var cases: [ReportedCase] {
    let planned = Set(plan.map(\.description.id))
    return plan.map(reported)
      + outcomes.filter { !planned.contains($0.description.id) }
      .map { ReportedCase(result: .ended($0.verdict), outcome: $0) }
  }

  private func reported(_ planned: PlannedCase) -> ReportedCase {
    if let outcome = outcome(of: planned.description.id) {
      return ReportedCase(result: .ended(outcome.verdict), outcome: outcome)
    }
    if let reason = planned.skipReason {
      return ReportedCase(result: .ended(.skip), outcome: CaseOutcome(planned.description, .skip, message: reason))
    }
    let began = running.contains(planned.description.id)
    return ReportedCase(
      result: .notRun,
      outcome: CaseOutcome(
        planned.description, .skip, message: "\(began ? "it was running when" : "not run:") \(whyItEnded)"))
  }

  private var whyItEnded: String {
    if lost != nil { return "the accessory was lost" }
    if isInterrupted { return "the run was interrupted" }
    return "the run ended early"
  }

  /// The cases by area, in the order of the first case of each area.
  package var areas: [(name: String, cases: [ReportedCase])] {
    var areas: [(name: String, cases: [ReportedCase])] = []
    var places: [String: Int] = [:]
    for reported in cases {
      let name = reported.description.area
      if let place = places[name] {
        areas[place].cases.append(reported)
      } else {
        places[name] = areas.count
        areas.append((name, [reported]))
      }
    }
    return areas
  }

  /// Blocked cases grouped by the case that blocks them: the largest group first, then in the order of the plan.
  package var blocked: [(cause: String, ids: [String])] {
    var groups: [(cause: String, ids: [String])] = []
    for reported in cases where reported.verdict == .blocked {
      let cause = reported.outcome.blockedBy ?? ""
      if let place = groups.firstIndex(where: { $0.cause == cause }) {
        groups[place].ids.append(reported.description.id)
      } else {
        groups.append((cause, [reported.description.id]))
      }
    }
    return groups.enumerated().sorted { ($1.element.ids.count, $0.offset) < ($0.element.ids.count, $1.offset) }.map(
      \.element)
  }

  /// The number of cases by verdict, including skipped cases.
  package var tally: Tally { Tally(cases) }
}

/// The number of cases by verdict.
package struct Tally: Equatable, Sendable {
  private var counts: [Verdict: Int] = [:]
  package private(set) var notRun = 0
  package private(set) var all = 0

  package init(_ cases: some Sequence<ReportedCase>) {
    for reported in cases { add(reported.verdict) }
  }

  /// - Parameter verdict: `nil`: the case has not run.
  private mutating func add(_ verdict: Verdict?) {
    all += 1
    if let verdict { counts[verdict, default: 0] += 1 } else { notRun += 1 }
  }

  package subscript(_ verdict: Verdict) -> Int { counts[verdict] ?? 0 }

  /// The number of cases that reached a verdict about the accessory, or an error.
  package var ran: Int { all - notRun - self[.skip] - self[.blocked] }

  /// A summary such as "3 failed, 1 error, 210 passed, 4 skipped, 2 not run", the worst first.
  package var text: String {
    var parts = Verdict.worstFirst.compactMap { self[$0] == 0 ? nil : $0.counted(self[$0]) }
    if notRun > 0 { parts.append("\(notRun) not run") }
    return parts.isEmpty ? "no cases" : parts.joined(separator: ", ")
  }
}

extension Verdict {
  /// The verdicts in the order in which reports list them.
  package static let worstFirst: [Verdict] = [
    .fail, .flaky, .error, .xpass, .blocked, .xfail, .nonStrict, .pass, .info, .skip,
  ]

  /// Returns a text such as "3 failed".
  package func counted(_ count: Int) -> String {
    switch self {
    case .pass: "\(count) passed"
    case .nonStrict: "\(count) non-strict"
    case .info: "\(count) for information"
    case .fail: "\(count) failed"
    case .error: "\(count) \(count == 1 ? "error" : "errors")"
    case .blocked: "\(count) blocked"
    case .skip: "\(count) skipped"
    case .xfail: "\(count) failed as expected"
    case .xpass: "\(count) passed unexpectedly"
    case .flaky: "\(count) flaky"
    }
  }

  /// Whether the verdict counts as a failure of the run.
  package var isBad: Bool {
    switch self {
    case .fail, .error, .xpass, .flaky: true
    case .pass, .nonStrict, .info, .skip, .blocked, .xfail: false
    }
  }
}
