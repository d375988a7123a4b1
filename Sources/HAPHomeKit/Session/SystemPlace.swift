import Foundation
import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHub
import HAPHubLink
import HAPLoop
import HAPStore

/// The hub of the folder `$XDG_STATE_HOME/hapctl/home`, for a program. If no hub runs, it runs in this process until the
/// end of the process, and other apps can attach to it.
final class SystemPlace: AppPlace {
  static let shared = SystemPlace()

  /// The time in which another process that has the folder without a socket has to end.
  private static let patience = Duration.seconds(5)

  private let loop = ServedHub.makeLoop("home app")
  private let zones = SystemZones(folder: environment("TZDIR")) { path, limit in try? readFile(path, limit: limit) }
  private let served: LoopBound<ServedHub?>

  private init() { served = LoopBound(loop, nil) }

  private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  func start(_ body: @escaping @Sendable () async -> Void) { loop.startTask { await body() } }

  func connect() async throws(HomeError) -> any HomeLink {
    let folder: String
    do { folder = try hubFolder(given: Self.environment("HAPHOME_FOLDER"), Self.environment) } catch {
      throw HomeError(.noHomeHub, nil, "\(error.message)")
    }
    let start = loop.readClock()
    while true {
      do throws(HomeError) {
        let link = try await HubSocketLink.connect(to: folder + "/" + HubSocketServer.fileName, on: loop)
        // A hub that ends takes connections, and refuses each request.
        _ = try await link.ask(.endSearch)
        return link
      } catch { guard error.code == .noHomeHub else { throw error } }
      do { return try await embed(folder) } catch let error as StoreError {
        // The other process is starting or ending.
        guard case .alreadyRunning = error.code,
          .nanoseconds(Int64(clamping: loop.readClock() - start)) < Self.patience
        else { throw HomeError(.noHomeHub, nil, "the hub of \(folder) can't be started: \(error)") }
      } catch { throw HomeError(.noHomeHub, nil, "the hub of \(folder) can't be started: \(error)") }
      try? await loop.sleep(for: .milliseconds(100))
    }
  }

  private func embed(_ folder: String) async throws -> any HomeLink {
    let options = ServedHub.Options(
      folder: folder, interfaces: Self.environment("HAPHOME_INTERFACE").map { [$0] } ?? [], files: SystemFiles(),
      zones: zones, version: "HAPHomeKit")
    let served = try await ServedHub.start(options, on: loop)
    try await loop.perform { [kept = self.served] in kept.value = served }
    // Another app may end the hub. Then its socket ends, too, so that a hub can start again.
    loop.startTask { [loop] in
      await served.hub.ended()
      await served.stop(on: loop)
    }
    return await served.hub.link(processID: Int(loop.localSocketFiles.processID))
  }

  func perform(_ work: @escaping @Sendable () -> Void) { loop.schedule(work) }
  func whenEnded(_ body: @escaping @Sendable () -> Void) {}

  func pause() async -> Bool { (try? await loop.sleep(for: .seconds(1))) != nil }

  func requestBegins() {}
  func requestEnds() {}
  func mainWorkBegins() {}

  var zone: ZoneName {
    let zone = ZoneName(TimeZone.current.identifier)
    return zone.flatMap { zones.rules(of: $0) != nil ? $0 : nil } ?? .utc
  }
}
