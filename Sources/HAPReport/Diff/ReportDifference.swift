import HAPWire

/// What two runs have not in common.
package struct ReportDifference: Equatable, Sendable {
  package struct Change: Equatable, Sendable {
    package var id: String
    package var name: String
    /// As reports show them: "PASS", "NOT RUN"; empty: the case isn't there.
    package var old: String
    package var new: String
    package var message: String
  }

  /// They went wrong, and hadn't before.
  package private(set) var newFailures: [Change] = []
  /// They went wrong, and no longer do.
  package private(set) var fixed: [Change] = []
  /// They don't end the same way each time, in either run.
  package private(set) var flaky: [Change] = []
  /// Anything else that ended otherwise, or went wrong in another way.
  package private(set) var changed: [Change] = []
  package private(set) var appeared: [Change] = []
  package private(set) var vanished: [Change] = []
  /// How many cases one of the runs did not select. Nothing is known of them.
  package private(set) var notSelected = 0

  package var isEmpty: Bool {
    [newFailures, fixed, flaky, changed, appeared, vanished].allSatisfy(\.isEmpty)
  }

  /// Whether the new run is worse: it has new failures, or cases that are flaky in it.
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

  /// Whether the verdict says that what was wrong no longer is. One that is skipped isn't fixed.
  private static func isGood(_ verdict: Verdict) -> Bool {
    switch verdict {
    case .pass, .nonStrict, .info: true
    case .fail, .error, .skip, .blocked, .xfail, .xpass, .flaky: false
    }
  }

  package func text(redaction: Redaction) -> String {
    let rest =
      notSelected == 0 ? "" : "\(counted(notSelected, "case")) not compared: one of the runs did not select them.\n"
    if isEmpty { return "The two runs ended alike.\n" + rest }
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
