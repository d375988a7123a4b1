import HAPCommandLine
import HAPWire
import HapctlAccessories
import HapctlHome
import HapctlHub

extension Program {
  /// The program `hapctl` with all its commands.
  package static let hapctl = Program(
    name: "hapctl", version: hapctlVersion,
    summary: "Finds HomeKit accessories over IP, pairs with them, and reads, writes and watches them",
    commands: Command.ofAccessories + [.hub(version: hapctlVersion), .home(.hub)],
    nearest: { nearestName(to: $0, in: $1) })
}

/// The version of the next release.
private let hapctlVersion = "0.1.0"

extension HomePlace {
  /// The hub that serves the folder, or one in the process of the command.
  fileprivate static let hub = HomePlace { folder, need, report, body in
    HubAccess(folder: folder, usesAccessories: need == .accessories, version: hapctlVersion).run(report) {
      link, loop, zoneRules in
      try await body(HomeSurroundings(link: link, loop: loop, zoneRules: zoneRules))
    }
  }
}
