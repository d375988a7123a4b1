import HAPCommandLine
import HAPWire

extension Program {
  /// All that `hapctl` can be asked for.
  static let hapctl = Program(
    name: "hapctl", version: hapctlVersion,
    summary: "Pairs with HomeKit accessories over IP, and reads, writes and watches them",
    commands: [.pair, .unpair, .identify, .list, .keys, .accessories, .get, .put, .watch, .export, .shell, .proxy],
    nearest: { nearestName(to: $0, in: $1) })
}

/// Until a release is made: the next one.
let hapctlVersion = "0.1.0"
