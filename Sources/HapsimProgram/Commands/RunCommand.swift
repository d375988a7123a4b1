import HapsimInputs
import HapsimFiles
import HAPCommandLine

extension Command {
  /// `hapsim run`
  static let run = Command(
    "run", "serve accessories from their profiles until told to stop",
    operands: .some(label: "PROFILE…", count: 0...10_000), options: RunOptions.definitions,
    discussion: [
      "PROFILE is a file, or the name of a profile that comes with hapsim; a file of that name wins. Without PROFILE, hapsim lists those profiles.",
      "Each profile becomes an accessory server of its own. It is announced on the local network, and any HomeKit controller can "
        + "pair with it by its setup code or the QR code shown. SIGINT and SIGTERM stop it in good order.",
      "Identity, pairings and values are kept in the state folder, so that controllers find the same accessory again. Several "
        + "hapsims may share a folder, but an accessory runs once.",
    ],
    examples: [
      ("hapsim run garage-kilgo", "a garage door for the phone on the same network"),
      (
        "hapsim run lock --interface lo --setup-code 031-45-154 --ephemeral",
        "a lock for a test on this machine: known code, nothing kept"
      ),
      (
        "hapsim run --scenario Examples/scenarios/coming-home.yaml --virtual-time --ephemeral",
        "an evening at once, with its profiles; the exit code tells whether everything came as expected"
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
