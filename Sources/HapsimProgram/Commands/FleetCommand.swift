import HapsimInputs
import HAPCommandLine

extension Command {
  /// `hapsim fleet`
  static let fleet = Command(
    "fleet", "serve many accessories, as a fleet file defines them",
    operands: .some(label: "FILE", count: 1...1), options: RunOptions.definitionsOfFleet,
    discussion: [
      "FILE is YAML: groups with a profile, a count, names, behaviours with random values for each copy, and faults for a share of the copies. docs/guides/fleets.md describes it. "
        + "The options are those of hapsim run, except --setup-id, --name, --capture and --count.",
      "With --shard I/N, each of N machines serves a share of one fleet. Keys, device IDs and setup codes of the copies are derived from the text of --identity, or else from the member identity of FILE. Anyone with the text has the keys.",
    ],
    examples: [
      (
        "hapsim fleet Examples/fleets/office-floor.yaml --ephemeral --bonjour off",
        "serves an office floor, for a load test that reads the addresses from --json"
      ),
      (
        "hapsim fleet fleet.yaml --shard 2/8 --identity \"$FLEET_IDENTITY\"",
        "serves the share of the third of eight machines"
      ),
    ]
  ) { (arguments, console) throws(UsageError) in
    let options = try RunOptions(arguments, isFleet: true, environment: console.environment)
    return runProfiles(options, console)
  }
}
