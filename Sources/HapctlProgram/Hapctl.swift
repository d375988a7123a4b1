import HAPCommandLine
import HAPWire
import HapctlAccessories
import HapctlHub

extension Program {
  /// The program `hapctl` with all its commands.
  package static let hapctl = Program(
    name: "hapctl", version: hapctlVersion,
    summary: "Finds HomeKit accessories over IP, pairs with them, and reads, writes and watches them",
    commands: Command.ofAccessories + [.hub(version: hapctlVersion)],
    nearest: { nearestName(to: $0, in: $1) })
}

/// The version of the next release.
let hapctlVersion = "0.1.0"
