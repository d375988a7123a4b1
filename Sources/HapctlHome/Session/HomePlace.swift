import HAPAlmanac
import HAPCommandLine
import HAPHubLink
import HAPLoop

/// Where the commands of `hapctl home` find their hub. The executable decides it; tests run a hub in memory.
package struct HomePlace: Sendable {
  /// What a command needs of a hub. If no hub runs, one is embedded for the duration of the command.
  package enum Need: Sendable {
    /// The homes alone. An embedded hub opens no session with an accessory.
    case homes
    /// Also the accessories.
    case accessories
  }

  /// Connects with the hub of a folder, runs `body` to its end, and closes the link.
  /// - Throws: errors of `body`; a `HomeFailure`, or an error with a description for people, if there is no link.
  package let run:
    @Sendable (
      _ folder: String, _ need: Need, _ body: @escaping @Sendable (HomeSurroundings) async throws -> ExitCode
    ) throws -> ExitCode

  package init(
    run: @escaping @Sendable (
      _ folder: String, _ need: Need, _ body: @escaping @Sendable (HomeSurroundings) async throws -> ExitCode
    ) throws -> ExitCode
  ) {
    self.run = run
  }
}

/// What a command works with.
package struct HomeSurroundings: Sendable {
  /// The link, before `attach`.
  package var link: any HomeLink
  /// The loop of the command's tasks, timers and clock.
  package var loop: EventLoop
  /// Returns the rules of a zone; nil if the machine does not have the zone.
  package var zoneRules: @Sendable (ZoneName) -> ZoneRules?

  package init(link: any HomeLink, loop: EventLoop, zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?) {
    (self.link, self.loop, self.zoneRules) = (link, loop, zoneRules)
  }
}
