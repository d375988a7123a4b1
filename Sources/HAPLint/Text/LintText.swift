import HAPWire

/// The findings of a lint, for people and for programs.
package enum LintText {
  /// Returns whether the database fails: whether a MUST or SHOULD rule is violated.
  package static func isFailure(_ findings: [LintFinding]) -> Bool { findings.contains { $0.severity.isFailure } }

  /// Returns the answer to "Would iOS accept it?" in one line. It relies only on reports, because nothing else is known outside Apple.
  package static func answer(_ findings: [LintFinding]) -> String {
    let rejected = findings.filter { $0.ios == .rejects }
    guard let first = rejected.first else { return "No finding is known to make iOS reject this." }
    let kinds = Set(rejected.map(\.rule)).count
    let more = kinds == 1 ? "" : ", and \(kinds - 1) more of other kinds"
    return "iOS is reported to reject this: \(first.message)\(more)."
  }

  /// Returns "iOS rejects", "iOS tolerates" or "iOS: unknown".
  package static func tag(_ reaction: IOSReaction) -> String {
    switch reaction {
    case .rejects: "iOS rejects"
    case .tolerates: "iOS tolerates"
    case .unknown: "iOS: unknown"
    }
  }

  /// Returns the answer, the findings below their accessory, service and characteristic, and a count, without colours or line wrapping.
  package static func report(_ findings: [LintFinding]) -> String {
    var lines = [answer(findings)]
    var heading = Heading()
    for finding in findings {
      let next = Heading(finding)
      if next != heading {
        if next.accessory != heading.accessory || next.isWhole { lines.append("") }
        lines += next.lines(after: heading)
        heading = next
      }
      lines += self.lines(finding, indented: heading.depth)
    }
    lines.append("")
    lines.append(count(findings))
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns "2 must, 1 should, 3 non-strict"; "No findings." without any.
  package static func count(_ findings: [LintFinding]) -> String {
    let counts = LintSeverity.allCases.compactMap { severity in
      let number = findings.count { $0.severity == severity }
      return number == 0 ? nil : "\(number) \(severity.rawValue)"
    }
    return counts.isEmpty ? "No findings." : counts.joined(separator: ", ")
  }

  private static func lines(_ finding: LintFinding, indented depth: Int) -> [String] {
    let indent = String(repeating: "  ", count: depth)
    let place = finding.place.map { " at \($0)" } ?? ""
    var lines = ["\(indent)\(finding.severity.rawValue): \(finding.summary) [\(finding.caseID) \(finding.rule)]"]
    lines.append("\(indent)  \(tag(finding.ios))\(finding.source.map { " (\($0))" } ?? "")")
    if let fix = finding.fix { lines.append("\(indent)  fix: \(fix)") }
    if !finding.path.isEmpty { lines.append("\(indent)  \(finding.path)\(place)") }
    if finding.path.isEmpty, !place.isEmpty { lines.append("\(indent) \(place)") }
    return lines
  }

  private struct Heading: Equatable {
    var accessory = ""
    var service = ""
    var characteristic = ""

    init() {}

    init(_ finding: LintFinding) {
      accessory = finding.subject.accessory
      service = finding.subject.service
      characteristic = finding.subject.characteristic
    }

    var isWhole: Bool { accessory.isEmpty }

    var depth: Int { [accessory, service, characteristic].count { !$0.isEmpty } }

    /// Returns the levels that differ from the previous heading.
    func lines(after last: Heading) -> [String] {
      var lines: [String] = []
      if isWhole { return lines }
      let isOtherAccessory = accessory != last.accessory
      if isOtherAccessory { lines.append(accessory) }
      let isOtherService = isOtherAccessory || service != last.service
      if isOtherService, !service.isEmpty { lines.append("  \(service)") }
      if !characteristic.isEmpty, isOtherService || characteristic != last.characteristic {
        lines.append("    \(characteristic)")
      }
      return lines
    }
  }

  // MARK: For programs

  /// Returns an object: `answer`, `failed`, `counts` by severity, and `findings` in the order of the text.
  package static func json(_ findings: [LintFinding]) -> String {
    JSONWriter.text { json in
      json.object { json in
        json.key("answer")
        json.string(answer(findings))
        json.key("failed")
        json.bool(isFailure(findings))
        json.key("counts")
        json.object { json in
          for severity in LintSeverity.allCases {
            json.key(severity.rawValue)
            json.integer(findings.count { $0.severity == severity })
          }
        }
        json.key("findings")
        json.array { json in for finding in findings { write(finding, &json) } }
      }
    }
  }

  private static func write(_ finding: LintFinding, _ json: inout JSONWriter) {
    json.object { json in
      func text(_ name: String, _ value: String?) {
        guard let value else { return }
        json.key(name)
        json.string(value)
      }
      text("case", finding.caseID)
      text("rule", finding.rule)
      text("severity", finding.severity.rawValue)
      text("ios", finding.ios.rawValue)
      text("source", finding.source)
      text("path", finding.path)
      if let place = finding.place {
        json.key("line")
        json.integer(place.line)
        json.key("column")
        json.integer(place.column)
      }
      text("message", finding.message)
      text("fix", finding.fix)
    }
  }
}
