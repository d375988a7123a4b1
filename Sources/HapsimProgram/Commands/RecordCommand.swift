import HapsimInputs
import HAPCommandLine

extension Command {
  private static let outputOption = Option<String>(
    "output", "FILE", "write the scenario to FILE, which must not exist",
    read: { (text: String) throws(UsageError) in text })
  private static let expectFlag = Flag(
    "expect-controllers", "record controllers' writes as expectations instead of actions")

  /// `hapsim record`
  static let record = Command(
    "record", "serve accessories, and record commands and writes as a scenario",
    operands: .some(label: "PROFILE…", count: 0...10_000),
    options: [outputOption.definition, expectFlag.definition] + RunOptions.definitions,
    discussion: [
      "Commands and controllers' writes become steps at the simulated time of their arrival. 'hapsim run --scenario' repeats them "
        + "without the controllers. All other options are those of hapsim run."
    ],
    examples: [
      (
        "hapsim record Profiles/garage-kilgo.hasaccessory --output evening.yaml",
        "records the phone's commands to the door"
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
