import HAPAlmanac
import HAPCommandLine
import HAPHubLink
import HAPLoop

/// Where the commands of `hapctl home` find their hub. The executable decides it; tests run a hub in memory.
package struct HomePlace: Sendable {
  /// The part of a hub that a command needs. If no hub runs, one is embedded for the duration of the command.
  package enum Need: Sendable {
    /// The homes alone. An embedded hub opens no session with an accessory.
    case homes
    /// Also the accessories.
    case accessories
  }

  /// Prints an error of a command: of its body, or the reason why there is no link.
  package typealias Report = @Sendable (any Error) -> ExitCode
  package typealias Body = @Sendable (HomeSurroundings) async throws -> ExitCode

  /// Whether there are homes in a folder. It makes no file. Completion asks it, because it must not make a hub.
  package let hasHomes: @Sendable (_ folder: String) -> Bool

  /// Connects with the hub of a folder, runs `body` to its end, and closes the link. Errors go to `report`, because a
  /// simulated world returns before the end of the body (see `CommandPlace`).
  package let run:
    @Sendable (_ folder: String, _ need: Need, _ report: @escaping Report, _ body: @escaping Body) -> ExitCode

  package init(
    hasHomes: @escaping @Sendable (_ folder: String) -> Bool = { _ in true },
    run:
      @escaping @Sendable (
        _ folder: String, _ need: Need, _ report: @escaping Report, _ body: @escaping Body
      ) -> ExitCode
  ) {
    (self.hasHomes, self.run) = (hasHomes, run)
  }
}

/// The link of a command, its loop, and the time zones.
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
