import HapsimInputs
import HapsimFiles
import HAPPreparation
import HAPCommandLine
import HAPJudge
import HAPReport
import HAPWire

/// The findings about controllers, which are printed and written at the end of a run.
struct TrialConclusion {
  let options: JudgeOptions
  let header: RunHeader
  /// Texts that no report may contain.
  let secrets: [String]

  init(_ options: JudgeOptions, _ header: RunHeader, secrets: [String]) {
    self.options = options
    self.header = header
    self.secrets = secrets
  }

  init(_ judging: JudgeOptions, of accessories: [PreparedAccessory], _ options: RunOptions) {
    let names = accessories.map(\.name)
    var facts = [("accessory", names.joined(separator: ", "))]
    if let scenario = options.scenario { facts.append(("scenario", scenario)) }
    if !options.faults.isEmpty { facts.append(("faults", options.faults.map(\.text).joined(separator: " "))) }
    self.init(
      judging,
      RunHeader(
        version: projectVersion, target: "controllers of \(names.joined(separator: ", "))", facts: facts,
        seed: options.seed ?? 0, time: WallClock.stamp, arguments: options.profiles, program: .hapsimJudge),
      secrets: accessories.map(\.setupCode.text))
  }

  /// Writes the reports and prints the conclusion, which determines the exit status.
  /// - Parameters:
  ///   - hasPassed: false: the scenario failed.
  ///   - json: whether standard output is JSON lines.
  func tell(
    _ events: [RunEvent], hasPassed: Bool, json: Bool, _ lines: LineOutput, _ console: Console
  ) -> ExitCode {
    let report = RunReport(events)
    let redaction = Redaction(texts: secrets)
    let ending = write(report, redaction, ending(of: report, hasPassed: hasPassed), console)
    if json {
      lines.write(line(report, ending), isDroppable: false)
    } else {
      var text = TerminalReport(
        isColoured: console.output.hasColour, width: console.output.textWidth, redaction: redaction)
      for event in events { for line in text.lines(for: event) { lines.write(line, isDroppable: false) } }
      lines.write(ending.line, isDroppable: false)
    }
    return ExitCode(rawValue: ending.conclusion.exitStatus) ?? .ownFault
  }

  /// Writes the reports. If a report can't be written, the conclusion changes, and the reports that contain a
  /// conclusion are written again.
  private func write(
    _ report: RunReport, _ redaction: Redaction, _ ending: RunEnding, _ console: Console
  ) -> RunEnding {
    func writeConclusions(_ conclusion: RunConclusion) -> [FileError] {
      problems(writing: [
        (options.report, { JSONReport.text(of: report, redaction: redaction, conclusion: conclusion) }),
        (options.markdown, { MarkdownReport.text(of: report, redaction: redaction, conclusion: conclusion) }),
      ])
    }
    var found = problems(writing: [(options.junit, { JUnitReport.text(of: report, redaction: redaction) })])
    found += writeConclusions(ending.conclusion)
    guard !found.isEmpty else { return ending }
    for problem in found { console.complain("hapsim judge: \(problem.message)") }
    let worse = ending.withReportNotWritten
    // A second failure of the same file has already been reported.
    _ = writeConclusions(worse.conclusion)
    return worse
  }

  /// Prints a violation when it is found.
  func tell(_ rule: RuleDescription, _ text: String, json: Bool, _ lines: LineOutput, _ terminal: Terminal) {
    if json {
      let line = JSONWriter.text { json in
        json.object { json in
          for (key, value) in [
            ("event", "broken"), ("rule", rule.name), ("level", rule.level.rawValue), ("message", text),
          ] {
            json.key(key)
            json.string(value)
          }
        }
      }
      lines.write(line, isDroppable: true)
    } else {
      lines.write(terminal.styled("broken: \(rule.name): \(text.oneLine)", .red), isDroppable: true)
    }
  }

  private func ending(of report: RunReport, hasPassed: Bool) -> RunEnding {
    let broken = report.outcomes.count { $0.verdict == .fail }
    let conclusion = report.conclusion(mustOnly: options.isMustAlone)
    let meaning =
      switch conclusion {
      case .conforms where broken > 0: "no rule was broken; \(broken) recommendation\(broken == 1 ? " was" : "s were")"
      case .failures: "rules were broken"
      case .nothingRan: "no controller did anything that a rule covers"
      default: conclusion.meaning(of: .hapsimJudge)
      }
    if hasPassed { return RunEnding(conclusion, reasons: [meaning]) }
    return RunEnding(.failures, reasons: ["the scenario failed"] + (conclusion == .failures ? [meaning] : []))
  }

  /// Returns `{"event":"judged",…}`.
  private func line(_ report: RunReport, _ ending: RunEnding) -> String {
    JSONWriter.text { json in
      json.object { json in
        json.key("event")
        json.string("judged")
        json.key("conclusion")
        json.string(ending.conclusion.rawValue)
        json.key("exitStatus")
        json.integer(Int(ending.conclusion.exitStatus))
        json.key("reasons")
        json.array { json in for reason in ending.reasons { json.string(reason) } }
        func names(_ key: String, _ verdict: Verdict) {
          json.key(key)
          json.array { json in
            for outcome in report.outcomes where outcome.verdict == verdict { json.string(outcome.description.id) }
          }
        }
        names("kept", .pass)
        names("untried", .skip)
        json.key("broken")
        json.array { json in
          for outcome in report.outcomes where outcome.verdict == .fail {
            json.object { json in
              json.key("rule")
              json.string(outcome.description.id)
              json.key("level")
              json.string(outcome.description.level.rawValue)
              json.key("message")
              json.string(outcome.message)
            }
          }
        }
      }
    }
  }
}
