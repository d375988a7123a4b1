import HAPCommandLine
import HAPJudge
import HAPLoop
import HAPReport
import HAPSimulator
import HAPWire

/// What was found about controllers, told and written when a run ends.
struct Judgement {
  let options: JudgeOptions
  let header: RunHeader
  /// That no report is to show.
  let secrets: [String]

  init(_ judging: JudgeOptions, of accessories: [PreparedAccessory], _ options: RunOptions, _ console: Console) {
    self.options = judging
    secrets = accessories.map(\.setupCode.text)
    let names = accessories.map(\.name)
    var facts = [("accessory", names.joined(separator: ", "))]
    if let scenario = options.scenario { facts.append(("scenario", scenario)) }
    if !options.faults.isEmpty { facts.append(("faults", options.faults.map(\.text).joined(separator: " "))) }
    header = RunHeader(
      version: hapsimVersion, target: "controllers of \(names.joined(separator: ", "))", facts: facts,
      seed: options.seed ?? 0, time: WallClock.stamp, arguments: options.profiles, program: .hapsimJudge)
  }

  /// - Parameters:
  ///   - hasPassed: false: the scenario failed.
  ///   - json: whether standard output is JSON lines.
  func tell(
    _ events: [RunEvent], hasPassed: Bool, json: Bool, _ lines: LineOutput, _ console: Console
  ) -> ExitCode {
    let report = RunReport(events)
    let redaction = Redaction(texts: secrets)
    if json {
      lines.write(line(report), isDroppable: false)
    } else {
      var text = TerminalReport(
        isColoured: console.output.hasColour, width: console.output.textWidth, redaction: redaction)
      for event in events { for line in text.lines(for: event) { lines.write(line, isDroppable: false) } }
    }
    var isWritten = true
    func write(_ path: String?, _ text: () -> String) {
      guard let path else { return }
      do throws(FileError) { try writeFile(path, Array(text().utf8), overwriting: true) } catch {
        console.complain("hapsim judge: \(error.message)")
        isWritten = false
      }
    }
    write(options.junit) { JUnitReport.text(of: report, redaction: redaction) }
    write(options.report) { JSONReport.text(of: report, redaction: redaction) }
    write(options.markdown) { MarkdownReport.text(of: report, redaction: redaction, failingOn: []) }
    var (code, meaning) = hasPassed ? ending(report) : (.problem, "the scenario failed")
    if !isWritten, code == .well { (code, meaning) = (.cannotRun, "a report could not be written") }
    if !json { lines.write("Exit \(code.rawValue): \(meaning).", isDroppable: false) }
    return code
  }

  /// A rule was broken just now.
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

  private func ending(_ report: RunReport) -> (ExitCode, String) {
    let broken = report.outcomes.filter { $0.verdict == .fail }
    if options.isMustAlone, !broken.isEmpty, broken.allSatisfy({ $0.description.level != .must }) {
      return (.well, "no rule was broken; \(broken.count) recommendation\(broken.count == 1 ? " was" : "s were")")
    }
    let conclusion = report.conclusion()
    let meaning =
      switch conclusion {
      case .failures: "rules were broken"
      case .nothingRan: "nobody did anything that a rule is about"
      default: conclusion.meaning(of: .hapsimJudge)
      }
    return (ExitCode(rawValue: conclusion.exitStatus) ?? .ownFault, meaning)
  }

  /// `{"event":"judged",…}`
  private func line(_ report: RunReport) -> String {
    JSONWriter.text { json in
      json.object { json in
        json.key("event")
        json.string("judged")
        json.key("conclusion")
        json.string(report.conclusion().rawValue)
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
