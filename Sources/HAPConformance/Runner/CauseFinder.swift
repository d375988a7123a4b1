import HAPReport
import HAPSuite

/// Finds the case that is the cause when another case fails.
///
/// A case that fails in a procedure that it only uses is *blocked* if a case that tests this procedure fails in the same run. The failure
/// is held back until all cases that may be its cause have ended.
struct CauseFinder {
  /// A case that may be the cause of a failure.
  struct Cause: Equatable {
    var id: String
    /// Whether the case runs to find a cause, although it was not selected.
    var runsOnDemand: Bool
  }

  /// Cases that have not ended.
  struct Pending {
    /// Cases of the plan.
    var planned: Set<String> = []
    /// Cases that can run although they were not selected.
    var onDemand: Set<String> = []
  }

  /// A failed case that waits for the cases that may be its cause.
  struct Held {
    var outcome: CaseOutcome
    /// The failed variants of the case, each with the cases that may be its cause, the likeliest first.
    var failures: [(ending: CaseExecution.Ending, causes: [Cause])]
  }

  private let owners: [Procedure: [String]]
  /// The held cases, in the order in which they failed.
  private(set) var held: [Held] = []
  private var ended: [String: CaseOutcome] = [:]

  init(owners: [Procedure: [String]]) { self.owners = owners }

  /// Adds a case that ended.
  /// - Returns: the cases that are concluded now, in order.
  mutating func take(
    _ result: CaseExecution.Result, of definition: CaseDefinition, pending: Pending
  ) -> [CaseOutcome] {
    let failures = result.failures.map { ($0, causes(of: $0, in: definition)) }
    guard !result.isCrash, !failures.isEmpty, failures.contains(where: { !$0.1.isEmpty }) else {
      return note(result.outcome, pending: pending)
    }
    held.append(Held(outcome: result.outcome, failures: failures))
    return release(pending: pending)
  }

  /// Concludes the held cases that wait for no pending case.
  private mutating func release(pending: Pending) -> [CaseOutcome] {
    var judged: [CaseOutcome] = []
    while true {
      guard let index = held.firstIndex(where: { open($0, pending).isEmpty }) else { break }
      let outcome = judge(held.remove(at: index))
      ended[outcome.description.id] = outcome
      judged.append(outcome)
    }
    return judged
  }

  private mutating func note(_ outcome: CaseOutcome, pending: Pending) -> [CaseOutcome] {
    ended[outcome.description.id] = outcome
    return [outcome] + release(pending: pending)
  }

  /// Concludes the first held case, although cases that may be its cause have not ended.
  mutating func releaseFirst(pending: Pending) -> [CaseOutcome] {
    guard !held.isEmpty else { return [] }
    return note(judge(held.removeFirst()), pending: pending)
  }

  /// Returns the first unselected case that a held case waits for.
  func missing(_ pending: Pending) -> String? {
    held.lazy.flatMap { open($0, pending) }.first(where: pending.onDemand.contains)
  }

  /// Returns the cases that must end before a held case can be concluded. Empty: it can be concluded.
  private func open(_ held: Held, _ pending: Pending) -> [String] {
    var open: [String] = []
    for (_, causes) in held.failures {
      for cause in causes {
        if root(cause.id) != nil { break }
        guard ended[cause.id] == nil else { continue }
        // A held case has run, but may turn out to be blocked itself.
        if hasRun(cause.id) || pending.planned.contains(cause.id)
          || cause.runsOnDemand && pending.onDemand.contains(cause.id)
        {
          open.append(cause.id)
        }
      }
    }
    return open
  }

  /// Returns the cases that may be the cause: owners of the procedures in use, then those in the definition's `after`.
  private func causes(of ending: CaseExecution.Ending, in definition: CaseDefinition) -> [Cause] {
    var causes: [Cause] = []
    for procedure in (ending.failure?.procedures ?? []) + definition.causes.uses
    where !definition.causes.owns.contains(procedure) {
      causes += (owners[procedure] ?? []).map { Cause(id: $0, runsOnDemand: !procedure.isTransport) }
    }
    causes += definition.causes.after.map { Cause(id: $0.id, runsOnDemand: true) }
    return causes.filter { cause in
      // A lasting case may itself make other cases fail, so only cases that ran before it can be its cause.
      cause.id != definition.id && (!definition.causes.isLasting || hasRun(cause.id))
    }
  }

  private func hasRun(_ id: String) -> Bool {
    ended[id] != nil || held.contains { $0.outcome.description.id == id }
  }

  /// Concludes a held case. It is blocked if each failed variant has a failing cause; otherwise the first variant without one is decisive.
  private func judge(_ held: Held) -> CaseOutcome {
    var outcome = held.outcome
    var first: String?
    for (ending, causes) in held.failures {
      guard let cause = causes.lazy.compactMap({ root($0.id) }).first else {
        if outcome.verdict == .fail { outcome.decide(by: ending) }
        return outcome
      }
      first = first ?? cause
    }
    guard let first else { return outcome }
    let message = ended[first]?.message ?? ""
    outcome.notes.append("it failed: \(outcome.message)")
    outcome.verdict = .blocked
    outcome.blockedBy = first
    outcome.message = "not judged: \(first) fails" + (message.isEmpty ? "" : ": \(message)")
    return outcome
  }

  /// Returns the failed case at the end of a chain of causes; nil if the cause did not fail.
  private func root(_ id: String) -> String? {
    switch ended[id]?.verdict {
    case .fail, .flaky, .xfail: id
    case .blocked: ended[id]?.blockedBy
    case .pass, .nonStrict, .info, .error, .skip, .xpass, nil: nil
    }
  }
}
