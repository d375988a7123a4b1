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
    let options = ServedHub.Options(
      folder: folder, interfaces: Self.environment("HAPHOME_INTERFACE").map { [$0] } ?? [], files: SystemFiles(),
      zones: zones, version: "HAPHomeKit")
    do {
      let (link, served) = try await ServedHub.connect(options, on: loop)
      if let served { keep(served) }
      return link
    } catch let error as HomeError { throw error } catch {
      throw HomeError(.noHomeHub, nil, "the hub of \(folder) can't be started: \(error)")
    }
  }

  private func keep(_ served: ServedHub) {
    loop.startTask { [loop, kept = self.served] in
      try? await loop.perform { kept.value = served }
      // Another app may end the hub. Then its socket ends, too, so that a hub can start again.
      await served.hub.ended()
      await served.stop(on: loop)
    }
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
