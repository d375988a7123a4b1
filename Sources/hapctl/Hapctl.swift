import HAPCommandLine
import HAPWire

extension Program {
  /// The program `hapctl` with all its commands.
  static let hapctl = Program(
    name: "hapctl", version: hapctlVersion,
    summary: "Finds HomeKit accessories over IP, pairs with them, and reads, writes and watches them",
    commands: [
      .discover, .pair, .unpair, .identify, .list, .keys, .accessories, .get, .put, .watch, .export, .pairings,
      .resource, .shell, .proxy, .misbehave,
    ],
    nearest: { nearestName(to: $0, in: $1) })
}

/// The version of the next release.
let hapctlVersion = "0.1.0"
