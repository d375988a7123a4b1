import HAPCommandLine
import HAPModel

/// What `hapsim judge` was asked for besides what `hapsim run` is.
package struct JudgeOptions: Equatable, Sendable {
  package static let forOption = Option<Duration>(
    "for", "TIME", "end after so long: 90s, 10min (default: when the trial or the scenario is over)",
    read: { (text: String) throws(UsageError) in try duration(text) })
  package static let withinOption = Option<Duration>(
    "within", "TIME",
    "how long a controller has to come back, to subscribe again and to read the database again (default: 15s)",
    read: { (text: String) throws(UsageError) in
      let duration = try duration(text)
      guard duration >= .milliseconds(100) else { throw UsageError("it is 100ms at least") }
      return duration
    })
  package static let noTrialFlag = Flag("no-trial", "do nothing to the controller but watch it")
  package static let junitOption = Option<String>("junit", "FILE", "write a JUnit XML report")
  package static let reportOption = Option<String>(
    "report-json", "FILE", "write a JSON report, of the form of haptest's")
  package static let markdownOption = Option<String>("markdown", "FILE", "write a report in Markdown")
  package static let mustFlag = Flag(
    "must", "let recommendations that are broken be no failure: the exit code is of rules alone")
  package static let listFlag = Flag("list", "list the rules, and judge nobody")

  /// In the order of help.
  package static let definitions: [OptionDefinition] = [
    listFlag.definition, noTrialFlag.definition, withinOption.definition, forOption.definition,
    junitOption.definition, reportOption.definition, markdownOption.definition, mustFlag.definition,
  ]

  /// nil: until the trial or the scenario is over, or somebody stops it.
  package var duration: Duration?
  package var patience = Duration.seconds(15)
  /// Whether things are done to the accessories that a controller has to take well.
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
    isMustAlone = arguments[Self.mustFlag]
    guard hasTrial || !arguments.has(RunOptions.scenarioOption) else {
      throw UsageError("--no-trial and --scenario exclude each other: a scenario is a trial")
    }
  }

  /// - Throws: when a report can't be written where it is to go.
  package func checkPaths() throws(FileError) {
    let problems = outputProblems(files: [junit, report, markdown].compactMap { $0 })
    if let problem = problems.first { throw problem }
  }

  /// What can't go together with a trial: its steps and the judge's deadlines are of the machine's time, and it has faults.
  package func check(_ options: RunOptions) throws(UsageError) {
    guard options.pace == .running(scale: 1) else {
      throw UsageError("hapsim judge goes by the machine's time: --time-scale and --virtual-time are not for it")
    }
    guard !hasTrial || options.scenario != nil || options.capture == nil else {
      throw UsageError(
        "--capture and the trial exclude each other, since a replay would be without its faults; --no-trial, or --scenario FILE"
      )
    }
  }

  private static func duration(_ text: String) throws(UsageError) -> Duration {
    guard let duration = Duration(text), duration > .zero else {
      throw UsageError("it is a time, such as 90s or 10min")
    }
    return duration
  }
}
