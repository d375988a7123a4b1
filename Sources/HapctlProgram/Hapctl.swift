import HAPCommandLine
import HAPWire
import HapctlAccessories
import HapctlHome
import HapctlHub

extension Program {
  /// The program `hapctl` with all its commands.
  package static let hapctl = Program(
    name: "hapctl", version: projectVersion,
    summary: "Finds HomeKit accessories over IP, pairs with them, and reads, writes and watches them",
    commands: Command.ofAccessories + [.hub(version: projectVersion), .home(.hub)],
    nearest: { nearestName(to: $0, in: $1) })
}

extension HomePlace {
  /// The hub that serves the folder, or one in the process of the command.
  fileprivate static let hub = HomePlace(hasHomes: { HubAccess.hasHomes(in: $0) }) { folder, need, report, body in
    HubAccess(folder: folder, usesAccessories: need == .accessories, version: projectVersion).run(report) {
      link, loop, zoneRules in
      try await body(HomeSurroundings(link: link, loop: loop, zoneRules: zoneRules))
    }
  }
}
