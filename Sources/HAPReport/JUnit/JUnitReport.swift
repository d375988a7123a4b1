import HAPWire

/// The run as JUnit XML for CI systems: a suite for each area, and a suite "run" with an error if the run did not finish.
///
/// The structure is the common subset of readers: suites hold properties, then cases. A case has at most one of failure, error and
/// skipped, then system-out.
package enum JUnitReport {
  package static func text(of report: RunReport, redaction: Redaction) -> String {
    let report = report.redactedWithoutTranscripts(by: redaction)
    let program = report.header?.program ?? .haptest
    var suites = report.areas.map { Suite(name: $0.name, cases: $0.cases.map { Case($0, by: program) }) }
    if let end = end(of: report) { suites.append(Suite(name: "run", cases: [end])) }
    let cases = suites.flatMap(\.cases)
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text +=
      "<testsuites name=\"\(program.rawValue)\" tests=\"\(cases.count)\" failures=\"\(cases.count(of: "failure"))\""
    text += " errors=\"\(cases.count(of: "error"))\" time=\"\((report.summary?.duration ?? .zero).thousandths)\">\n"
    for suite in suites { text += xml(of: suite, report.header) }
    return text + "</testsuites>\n"
  }

  private struct Suite {
    var name: String
    var cases: [Case]
  }

  fileprivate struct Case {
    var className: String
    var name: String
    var duration = Duration.zero
    /// The element "failure", "error" or "skipped", with message, type and text; `nil`: the case passed.
    var end: (element: String, message: String, type: String, text: String)?
    var output = ""
  }

  /// Returns a case that reports an incomplete run; `nil` if the run is complete.
  private static func end(of report: RunReport) -> Case? {
    let message: String
    if let lost = report.lost {
      message = "the accessory was lost: \(lost.reason); sent last: \(lost.lastSent)"
    } else if report.isInterrupted {
      message = "the run was interrupted"
    } else if report.summary == nil {
      message = "the run did not finish"
    } else {
      return nil
    }
    return Case(
      className: "\((report.header?.program ?? .haptest).token).run", name: "the run finishes",
      end: ("error", message, "error", message))
  }

  private static func xml(of suite: Suite, _ header: RunHeader?) -> String {
    let time = suite.cases.reduce(.zero) { $0 + $1.duration }
    var text = "  <testsuite name=\"\(suite.name.xmlEscaped)\" tests=\"\(suite.cases.count)\""
    text += " failures=\"\(suite.cases.count(of: "failure"))\" errors=\"\(suite.cases.count(of: "error"))\""
    text += " skipped=\"\(suite.cases.count(of: "skipped"))\" time=\"\(time.thousandths)\""
    if let header, let stamp = timestamp(header.time) { text += " timestamp=\"\(stamp)\"" }
    text += ">\n"
    if let header {
      let facts = header.facts.map { ("\(header.program.subject).\($0.name)", $0.value) }
      let properties = [("target", header.target), ("seed", String(header.seed)), ("version", header.version)] + facts
      text += "    <properties>\n"
      for (name, value) in properties {
        text += "      <property name=\"\(name.xmlEscaped)\" value=\"\(value.xmlEscaped)\"/>\n"
      }
      text += "    </properties>\n"
    }
    for one in suite.cases { text += xml(of: one) }
    return text + "  </testsuite>\n"
  }

  private static func xml(of one: Case) -> String {
    var text = "    <testcase classname=\"\(one.className.xmlEscaped)\" name=\"\(one.name.xmlEscaped)\""
    text += " time=\"\(one.duration.thousandths)\""
    if one.end == nil, one.output.isEmpty { return text + "/>\n" }
    text += ">\n"
    if let end = one.end {
      text += "      <\(end.element) message=\"\(end.message.oneLine.xmlEscaped)\""
      text += end.element == "skipped" ? "/>\n" : " type=\"\(end.type)\">\(end.text.xmlLines)</\(end.element)>\n"
    }
    if !one.output.isEmpty { text += "      <system-out>\(one.output.xmlLines)</system-out>\n" }
    return text + "    </testcase>\n"
  }

  /// Returns "2026-11-21T13:00:00" without a zone, because readers expect that and assume UTC; `nil` for an invalid time.
  private static func timestamp(_ time: String) -> String? {
    let stamp = Array(time.utf8.prefix(19))
    guard stamp.count == 19 else { return nil }
    for (byte, pattern) in zip(stamp, "0000-00-00T00:00:00".utf8) {
      guard pattern == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == pattern else { return nil }
    }
    return String(decoding: stamp, as: UTF8.self)
  }
}

extension [JUnitReport.Case] {
  fileprivate func count(of element: String) -> Int { count { $0.end?.element == element } }
}

extension String {
  /// Keeps line ends unescaped, so that a person can read the file.
  fileprivate var xmlLines: String { lines.map(\.xmlEscaped).joined(separator: "\n") }
}

extension JUnitReport.Case {
  fileprivate init(_ reported: ReportedCase, by program: ReportProgram) {
    let outcome = reported.outcome
    className = "\(program.token).\(reported.description.area)"
    name = reported.description.title
    duration = outcome.duration
    let said = outcome.message.isEmpty ? reported.label : outcome.message
    switch reported.verdict {
    case .fail, .flaky: end = ("failure", said, reported.word, FailureText.lines(of: outcome).joined(separator: "\n"))
    case .xpass:
      end = (
        "failure", "passed, and the baseline expects a failure: \(outcome.expected ?? "")", "xpass",
        FailureText.lines(of: outcome).joined(separator: "\n")
      )
    case .error: end = ("error", said, "error", FailureText.lines(of: outcome).joined(separator: "\n"))
    case .blocked, .skip, nil: end = ("skipped", said, "", "")
    case .xfail: end = ("skipped", "failed as expected: \(outcome.expected ?? said)", "", "")
    case .nonStrict, .info, .pass: break
    }
    var remarks = outcome.deviations.map { "accepted deviation: \($0)" } + outcome.notes
    if reported.verdict == .nonStrict || reported.verdict == .info {
      remarks.insert("\(reported.label): \(said)", at: 0)
    }
    output = remarks.joined(separator: "\n")
  }
}
