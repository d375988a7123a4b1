import HAPCommandLine
import HAPWire

extension Program {
  /// All that `haptest` can be asked for.
  package static let haptest = Program(
    name: "haptest", version: haptestVersion,
    summary: "Checks HomeKit accessories over IP against the rules of HAP, and explains how to fix each failure",
    commands: [
      .run, .stability, .list, .explain, .lint, .diff, .matrix, .replay, .claims, .baseline, .fuzz, .validate,
    ],
    exitCodes: [
      ("0", "the accessory conforms"), ("1", "it doesn't"), ("2", "wrong usage"),
      ("3", "the accessory can't be reached, or was lost"), ("4", "nothing was selected"),
      ("5", "a case passed that the baseline says fails"), ("6", "the tester itself failed"),
    ],
    nearest: { nearestName(to: $0, in: $1) })
}

/// Until a release is made: the next one.
package let haptestVersion = "0.1.0"
