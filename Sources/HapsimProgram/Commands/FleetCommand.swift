import HapsimInputs
import HAPCommandLine

extension Command {
  /// `hapsim fleet`
  static let fleet = Command(
    "fleet", "serve many accessories: so many of each profile, as a file says",
    operands: .some(label: "FILE", count: 1...1), options: RunOptions.definitionsOfFleet,
    discussion: [
      "The file is YAML: groups with a profile, a count, names, behaviours with what is drawn for each copy, and faults that a share of them has. docs/fleets.md tells of it. "
        + "All other options are those of hapsim run.",
      "With --shard I/N each of N machines serves its share of one fleet. Copies are made of the text of --identity, or of the file's: whoever has it has their keys.",
    ],
    examples: [
      (
        "hapsim fleet Examples/fleets/office-floor.yaml --ephemeral --bonjour off",
        "an office floor, for a load test that knows addresses from --json"
      ),
      (
        "hapsim fleet fleet.yaml --shard 2/8 --identity \"$FLEET_IDENTITY\"",
        "the third of eight machines"
      ),
    ]
  ) { (arguments, console) throws(UsageError) in
    let options = try RunOptions(arguments, isFleet: true, environment: console.environment)
    return runProfiles(options, console)
  }
}
