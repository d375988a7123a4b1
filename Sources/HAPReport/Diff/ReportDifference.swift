import HAPWire

/// The differences between two runs.
package struct ReportDifference: Equatable, Sendable {
  package struct Change: Equatable, Sendable {
    package var id: String
    package var name: String
    /// The result as reports show it: "PASS", "NOT RUN"; empty: the run does not have the case.
    package var old: String
    package var new: String
    package var message: String
  }

  /// Cases that fail only in the new run.
  package private(set) var newFailures: [Change] = []
  /// Cases that fail only in the old run.
  package private(set) var fixed: [Change] = []
  /// Cases that are flaky in either run.
  package private(set) var flaky: [Change] = []
  /// Other cases with a different result, or with a different failure.
  package private(set) var changed: [Change] = []
  package private(set) var appeared: [Change] = []
  package private(set) var vanished: [Change] = []
  /// The number of cases that one of the runs did not select. They are not compared.
  package private(set) var notSelected = 0

  package var isEmpty: Bool {
    [newFailures, fixed, flaky, changed, appeared, vanished].allSatisfy(\.isEmpty)
  }

  /// Whether the new run is worse: it has new failures or flaky cases.
  package var isWorse: Bool { !newFailures.isEmpty || flaky.contains { $0.new == Verdict.flaky.label } }

  package init(from old: RunReport, to new: RunReport) {
    let before = Dictionary(old.cases.map { ($0.description.id, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Set(new.cases.map(\.description.id))
    for reported in new.cases {
      let change = Change(before[reported.description.id], reported)
      guard let past = before[reported.description.id] else {
        if old.header?.isPartial == true {
          notSelected += 1
          continue
        }
        appeared.append(change)
        if reported.verdict?.isBad == true { newFailures.append(change) }
        continue
      }
      let isSame = past.result == reported.result && past.outcome.message == reported.outcome.message
      let wasBad = past.verdict?.isBad == true
      let isBad = reported.verdict?.isBad == true
      if past.verdict == .flaky || reported.verdict == .flaky {
        flaky.append(change)
      } else if isBad && !wasBad {
        newFailures.append(change)
      } else if wasBad && reported.verdict.map(Self.isGood) == true {
        fixed.append(change)
      } else if past.result != reported.result || (isBad && !isSame) {
        changed.append(change)
      }
    }
    let gone = old.cases.filter { !after.contains($0.description.id) }
    if new.header?.isPartial == true {
      notSelected += gone.count
    } else {
      vanished = gone.map { Change($0, nil) }
    }
  }

  /// Returns whether the verdict shows that a failure is fixed. A skipped case is not fixed.
  private static func isGood(_ verdict: Verdict) -> Bool {
    switch verdict {
    case .pass, .nonStrict, .info: true
    case .fail, .error, .skip, .blocked, .xfail, .xpass, .flaky: false
    }
  }

  package func text(redaction: Redaction) -> String {
    let rest =
      notSelected == 0 ? "" : "\(counted(notSelected, "case")) not compared: one of the runs did not select them.\n"
    if isEmpty { return "The two runs have the same results.\n" + rest }
    let parts = [
      ("New failures", newFailures), ("Fixed", fixed), ("Flaky", flaky), ("Changed", changed), ("Appeared", appeared),
      ("Vanished", vanished),
    ]
    var lines: [String] = []
    for (title, changes) in parts where !changes.isEmpty {
      lines.append("\(title): \(changes.count)")
      for change in changes {
        let way = [change.old, change.new].filter { !$0.isEmpty }
        let arrow = way.count == 2 && way[0] == way[1] ? way[0] : way.joined(separator: " → ")
        let message = redaction(change.message).oneLine
        lines.append("  \(change.id) \(change.name)  \(arrow)".oneLine + (message.isEmpty ? "" : ": \(message)"))
      }
      lines.append("")
    }
    return lines.dropLast().joined(separator: "\n") + "\n" + (rest.isEmpty ? "" : "\n" + rest)
  }
}

extension ReportDifference.Change {
  fileprivate init(_ old: ReportedCase?, _ new: ReportedCase?) {
    let description = new?.description ?? old?.description
    id = description?.id ?? ""
    name = description?.name ?? ""
    self.old = old?.label ?? ""
    self.new = new?.label ?? ""
    message = new?.outcome.message ?? ""
  }
}
