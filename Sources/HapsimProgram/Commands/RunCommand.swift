import HapsimInputs
import HapsimFiles
import HAPCommandLine

extension Command {
  /// `hapsim run`
  static let run = Command(
    "run", "serve accessories from their profiles until stopped",
    operands: .some(label: "PROFILE…", count: 0...10_000), options: RunOptions.definitions,
    discussion: [
      "PROFILE is a file, or the name of a profile that comes with hapsim; a file takes precedence. Without PROFILE, hapsim lists those profiles.",
      "Each profile becomes a separate accessory server. It is announced on the local network, and any HomeKit controller can "
        + "pair with it by its setup code or QR code. SIGINT and SIGTERM stop hapsim cleanly.",
      "Identity, pairings and values are stored in the state folder, so that controllers find the same accessory after a restart. Several "
        + "hapsim processes may share a folder, but an accessory can run only once.",
    ],
    examples: [
      ("hapsim run garage-kilgo", "serves a garage door for a phone on the same network"),
      (
        "hapsim run lock --interface lo --setup-code 031-45-154 --ephemeral",
        "serves a lock for a test on this machine, with a known code and no stored state"
      ),
      (
        "hapsim run --scenario Examples/scenarios/coming-home.yaml --virtual-time --ephemeral",
        "runs a scenario of one evening without waiting; the exit status shows whether all expectations were met"
      ),
    ]
  ) { (arguments, console) throws(UsageError) in
    if arguments.operands.isEmpty, !arguments.has(RunOptions.scenarioOption) {
      console.complain("hapsim run: \(RunOptions.noProfile)")
      for line in ShippedProfiles.installed.lines(width: console.output.textWidth) { console.print(line) }
      return .usage
    }
    let options = try RunOptions(arguments, environment: console.environment)
    return runProfiles(options, console)
  }
}
