import HapsimInputs
import HAPCommandLine

extension Command {
  private static let outputOption = Option<String>(
    "output", "FILE", "the scenario; one that is there is not written over",
    read: { (text: String) throws(UsageError) in text })
  private static let expectFlag = Flag(
    "expect-controllers", "make what controllers write something to expect, instead of something to do")

  /// `hapsim record`
  static let record = Command(
    "record", "serve accessories, and write what happens to them as a scenario",
    operands: .some(label: "PROFILE…", count: 0...10_000),
    options: [outputOption.definition, expectFlag.definition] + RunOptions.definitions,
    discussion: [
      "Commands and what controllers write become steps at the simulated time at which they came; `hapsim run --scenario` lets them happen again, "
        + "without the controllers. All other options are those of hapsim run."
    ],
    examples: [
      (
        "hapsim record Profiles/garage-kilgo.hasaccessory --output evening.yaml",
        "what the phone does with the door this evening"
      )
    ]
  ) { (arguments, console) throws(UsageError) in
    var options = try RunOptions(arguments, environment: console.environment)
    guard let output = try arguments.value(outputOption) else { throw UsageError("--output FILE is missing") }
    options.recording = output
    options.recordsExpectations = arguments[expectFlag]
    return runProfiles(options, console)
  }
}
