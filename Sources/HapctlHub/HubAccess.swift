import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHub
import HAPHubLink
import HAPLoop
import HAPStore

/// The hub of a command: the one that serves the folder, or else a hub in the command's own process.
package struct HubAccess: Sendable {
  /// The work of the command with the hub.
  package typealias Body =
    @Sendable (
      _ link: any HomeLink, _ loop: EventLoop, _ zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?
    ) async throws -> ExitCode

  /// The time in which an embedded hub connects with the accessories.
  private static let connectionPatience = Duration.seconds(4)

  private let options: ServedHub.Options

  /// - Parameters:
  ///   - usesAccessories: whether an embedded hub connects with the accessories, runs triggers, and lets other apps
  ///     attach. A command about homes alone does without, because its hub ends after a moment.
  ///   - version: the version of the program, for the status of an embedded hub.
  package init(folder: String, usesAccessories: Bool, version: String) {
    options = ServedHub.Options(
      folder: folder, usesAccessories: usesAccessories, listens: usesAccessories, files: HubFiles.current.files,
      zones: .ofMachine, version: version)
  }

  /// Whether a hub has kept homes in the folder. It makes no file, and takes no lock.
  package static func hasHomes(in folder: String) -> Bool {
    (try? HubFiles.current.files.size(of: HomeStore.path(in: folder))) != nil
  }

  /// Runs the body with a link, and closes it.
  /// - Parameter report: prints an error of the body, or the reason why there is no link.
  package func run(
    _ report: @escaping @Sendable (any Error) -> ExitCode, _ body: @escaping Body
  ) -> ExitCode {
    do {
      return try CommandPlace.current.run("hapctl home") { [self] loop in
        do { return try await withLink(on: loop, body) } catch { return report(error) }
      }
    } catch { return report(error) }
  }

  private func withLink(on loop: EventLoop, _ body: @escaping Body) async throws -> ExitCode {
    let (link, embedded) = try await connect(on: loop)
    let zones = options.zones
    let result: Result<ExitCode, any Error>
    do {
      result = .success(try await body(link, loop) { zones.rules(of: $0) })
    } catch { result = .failure(error) }
    await link.close()
    await embedded?.stop(on: loop)
    return try result.get()
  }

  /// - Returns: the link, and the hub if it is in this process.
  private func connect(on loop: EventLoop) async throws -> (any HomeLink, ServedHub?) {
    let (link, served) = try await ServedHub.connect(options, on: loop)
    if options.usesAccessories { await served?.hub.waitForConnections(atMost: Self.connectionPatience) }
    return (link, served)
  }
}
