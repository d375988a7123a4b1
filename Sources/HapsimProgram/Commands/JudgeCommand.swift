import HapsimObservation
import HapsimInputs
import HapsimFiles
import HAPCommandLine

extension Command {
  /// `hapsim judge`
  static let judge = Command(
    "judge", "serve accessories, put their controllers to the test, and report what these did wrong",
    operands: .some(label: "PROFILE…", count: 0...10_000),
    options: JudgeOptions.definitions + RunOptions.definitionsOfJudge,
    discussion: [
      "Once a controller has verified, connections are lost, the accessory starts anew, answers are late, events come twice, c# changes and connections are refused; "
        + "--scenario FILE tries something else, --fault lets go wrong what you choose, and --no-trial just watches. The report comes when the trial is over, or when the process is told to stop.",
      "The exit code is 0 where no rule was broken, 1 where one was, 4 where no controller came. All other options are those of hapsim run.",
    ],
    examples: [
      (
        "hapsim judge Profiles/lock.hasaccessory --junit report.xml",
        "pair your app with it, use it, and read the report"
      ),
      ("hapsim judge --list", "the rules"),
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
  /// Those of `hapsim judge`.
  init(ofJudge arguments: Arguments, environment: (String) -> String?) throws(UsageError) {
    let judging = try JudgeOptions(arguments)
    try self.init(arguments, environment: environment)
    self.judging = judging
    try judging.check(self)
  }
}
