import HAPCommandLine
import HAPModel

/// The options of `hapsim judge` that `hapsim run` doesn't have.
package struct JudgeOptions: Equatable, Sendable {
  package static let forOption = Option<Duration>(
    "for", "TIME", "stop after this time: 90s, 10min (default: at the end of the trial or the scenario)",
    read: { (text: String) throws(UsageError) in try duration(text) })
  package static let withinOption = Option<Duration>(
    "within", "TIME",
    "the time for a controller to reconnect, to subscribe again and to read the database again (default: 15s)",
    read: { (text: String) throws(UsageError) in
      let duration = try duration(text)
      guard duration >= .milliseconds(100) else { throw UsageError("expected at least 100ms") }
      return duration
    })
  package static let noTrialFlag = Flag("no-trial", "only watch the controllers, without a trial")
  package static let junitOption = Option<String>("junit", "FILE", "write a JUnit XML report")
  package static let reportOption = Option<String>(
    "report-json", "FILE", "write a JSON report, in haptest's format")
  package static let markdownOption = Option<String>("markdown", "FILE", "write a report in Markdown")
  package static let levelOption = Option<Level>(
    "level", "must|should",
    "the level of the rules whose violations affect the exit status; must ignores SHOULD violations (default: should)",
    read: { (text: String) throws(UsageError) in
      guard let level = Level(rawValue: text) else { throw UsageError("expected must or should") }
      return level
    })
  package static let listFlag = Flag("list", "list the rules, and exit")

  package enum Level: String, Sendable { case must, should }

  /// The options, in the order of help.
  package static let definitions: [OptionDefinition] = [
    listFlag.definition, noTrialFlag.definition, withinOption.definition, forOption.definition,
    junitOption.definition, reportOption.definition, markdownOption.definition, levelOption.definition,
  ]

  /// The duration; nil: until the end of the trial or the scenario, or until stopped.
  package var duration: Duration?
  package var patience = Duration.seconds(15)
  /// Whether a trial tests how the controllers react.
  package var hasTrial = true
  package var junit: String?
  package var report: String?
  package var markdown: String?
  package var isMustAlone = false

  package init(_ arguments: Arguments) throws(UsageError) {
    duration = try arguments.value(Self.forOption)
    patience = try arguments.value(Self.withinOption) ?? patience
    hasTrial = !arguments[Self.noTrialFlag]
    junit = try arguments.value(Self.junitOption)
    report = try arguments.value(Self.reportOption)
    markdown = try arguments.value(Self.markdownOption)
    isMustAlone = try arguments.value(Self.levelOption) == .must
    guard hasTrial || !arguments.has(RunOptions.scenarioOption) else {
      throw UsageError("--no-trial and --scenario exclude each other: a scenario is a trial")
    }
  }

  /// - Throws: if a report can't be written to its path.
  package func checkPaths() throws(FileError) {
    let problems = outputProblems(files: [junit, report, markdown].compactMap { $0 })
    if let problem = problems.first { throw problem }
  }

  /// Rejects options that conflict with a trial. Its steps and the judge's deadlines use real time, and it has faults.
  package func check(_ options: RunOptions) throws(UsageError) {
    guard options.pace == .running(scale: 1) else {
      throw UsageError("hapsim judge uses real time: --time-scale and --virtual-time can't be used")
    }
    guard !hasTrial || options.scenario != nil || options.capture == nil else {
      throw UsageError(
        "--capture and the trial exclude each other, because a replay lacks the trial's faults; use --no-trial or --scenario FILE"
      )
    }
  }

  private static func duration(_ text: String) throws(UsageError) -> Duration {
    guard let duration = Duration(text), duration > .zero else {
      throw UsageError("expected a time, such as 90s or 10min")
    }
    return duration
  }
}
