import HAPCommandLine
import HAPWire

extension Program {
  /// The `haptest` program with its commands.
  package static let haptest = Program(
    name: "haptest", version: projectVersion,
    summary: "Checks HomeKit accessories over IP against the rules of HAP, and explains how to fix each failure",
    commands: [
      .run, .stability, .list, .explain, .lint, .diff, .matrix, .rerun, .claims, .baseline, .fuzz, .validate,
    ],
    exitCodes: [
      ("0", "the accessory conforms"), ("1", "it does not conform"), ("2", "wrong usage"),
      ("3", "the accessory cannot be reached, or was lost"), ("4", "nothing was selected"),
      ("5", "a case passed that the baseline expects to fail"), ("6", "the tester itself failed"),
    ],
    nearest: { nearestName(to: $0, in: $1) })
}
