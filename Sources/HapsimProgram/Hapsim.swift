import HapsimFiles
import HAPCommandLine
import HAPWire

extension Program {
  /// The program `hapsim` with all its commands.
  package static let hapsim = Program(
    name: "hapsim", version: projectVersion,
    summary: "Simulates HomeKit accessories over IP: any HomeKit controller can discover, pair with and control them",
    commands: [
      .run, .fleet, .record, .judge, .ctl, .validate, .new, .edit, .import, .types, .behaviours, .quirks, .defects,
      .faults,
      .replay,
      .pairings,
      .reset,
    ],
    exitCodes: usualExitCodes + [
      ("4", "judge: no controller did anything that a rule covers"), ("6", "judge: the judge itself failed"),
    ],
    nearest: { nearestName(to: $0, in: $1) })
}
