import HapsimObservation
import HapsimInputs
import HapsimFiles
import HAPCommandLine

extension Command {
  /// `hapsim judge`
  static let judge = Command(
    "judge", "serve accessories, test their controllers, and report rule violations",
    operands: .some(label: "PROFILE…", count: 0...10_000),
    options: JudgeOptions.definitions + RunOptions.definitionsOfJudge,
    discussion: [
      "The trial begins after Pair Verify: connections are lost, the accessory restarts, answers are late, events are sent twice, c# changes and connections are refused. "
        + "--scenario FILE runs a different trial, --fault switches on a fault, and --no-trial only watches. The report is printed at the end of the trial, or when the process is stopped.",
      "The exit status is 0 if no rule was violated, 1 if one was or if the scenario failed, and 4 if no controller connected. All other options are those of hapsim run, except --duration.",
    ],
    examples: [
      (
        "hapsim judge Profiles/lock.hasaccessory --junit report.xml",
        "tests the app with which you pair and operate the lock"
      ),
      ("hapsim judge --list", "lists the rules"),
    ]
  ) { (arguments, console) throws(UsageError) in
    if arguments[JudgeOptions.listFlag] {
      listRules(json: arguments[CommonOptions.json], console)
      return .well
    }
    let options = try RunOptions(ofJudge: arguments, environment: console.environment)
    do throws(FileError) { try options.judging?.checkPaths() } catch {
      console.complain("hapsim judge: \(error.message)")
      return .cannotRun
    }
    return runProfiles(options, console)
  }
}

extension RunOptions {
  /// The options of `hapsim judge`.
  init(ofJudge arguments: Arguments, environment: (String) -> String?) throws(UsageError) {
    let judging = try JudgeOptions(arguments)
    try self.init(arguments, environment: environment)
    self.judging = judging
    try judging.check(self)
  }
}
