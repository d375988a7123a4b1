import HAPAccessoryPort
import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPLoop
import HAPStore

/// The hub of a folder in this process, and the socket by which other apps attach to it.
package struct ServedHub: Sendable {
  package let hub: HomeHub
  private let server: LoopBound<HubSocketServer?>
  /// The socket's path; nil: no other app can attach.
  package let path: String?

  /// The parts of a hub that its program chooses.
  package struct Options: Sendable {
    package var folder: String
    /// The network interfaces of the accessories; empty: all of the local network.
    package var interfaces: [String] = []
    /// Whether it connects with the accessories.
    package var usesAccessories = true
    /// Whether other apps can attach.
    package var listens = true
    package var files: any StoreFiles
    package var zones: SystemZones
    package var version: String

    package init(
      folder: String, interfaces: [String] = [], usesAccessories: Bool = true, listens: Bool = true,
      files: any StoreFiles, zones: SystemZones, version: String
    ) {
      (self.folder, self.interfaces, self.usesAccessories) = (folder, interfaces, usesAccessories)
      (self.listens, self.files, self.zones, self.version) = (listens, files, zones, version)
    }
  }

  /// Starts the hub of a folder.
  /// - Throws: `StoreError`, with `alreadyRunning` if another process has the folder; `LoopError` if the socket can't be
  ///   made.
  package static func start(_ options: Options, on loop: EventLoop) async throws -> ServedHub {
    for name in options.interfaces { _ = try loop.interfaces().named(name) }
    let port: any AccessoryPort =
      options.usesAccessories ? HAPPort(on: loop, interfaces: options.interfaces) : ClosedPort()
    let zones = options.zones
    let hub = HomeHub(
      on: loop, folder: options.folder, files: options.files, port: port, zoneRules: { zones.rules(of: $0) },
      runsAutomations: options.usesAccessories, version: options.version)
    try await hub.start()
    let served = ServedHub(
      hub: hub, server: LoopBound(loop, nil),
      path: options.listens ? options.folder + "/" + HubSocketServer.fileName : nil)
    do {
      try await served.listen(on: loop)
      return served
    } catch {
      await hub.stop()
      throw error
    }
  }

  /// The time in which another process that has the folder without a socket has to end.
  private static let patience = Duration.seconds(5)
  private static let pause = Duration.milliseconds(100)

  /// Connects with the hub that serves the folder, or else starts a hub in this process.
  /// - Returns: the link, before `attach`, and the hub if it is in this process.
  /// - Throws: as `start`; `HomeError` for a hub of another version.
  package static func connect(_ options: Options, on loop: EventLoop) async throws -> (any HomeLink, ServedHub?) {
    let begin = loop.readClock()
    while true {
      do throws(HomeError) {
        let path = options.folder + "/" + HubSocketServer.fileName
        let link = try await HubSocketLink.connect(to: path, on: loop)
        // A hub that ends takes connections, and refuses each request.
        _ = try await link.ask(.endSearch)
        return (link, nil)
      } catch { guard error.code == .noHomeHub else { throw error } }
      do {
        let served = try await start(options, on: loop)
        return (await served.hub.link(processID: Int(loop.localSocketFiles.processID)), served)
      } catch let error as StoreError {
        // The other process is starting, ending, or a command about homes alone.
        guard case .alreadyRunning = error.code,
          .nanoseconds(Int64(clamping: loop.readClock() - begin)) < patience
        else { throw error }
      }
      try await loop.sleep(for: pause)
    }
  }

  /// Makes and starts a loop for the hub of an app, which is no program with a main loop.
  package static func makeLoop(_ name: String) -> EventLoop {
    let loop = EventLoop(name: name)
    loop.start()
    return loop
  }

  private func listen(on loop: EventLoop) async throws {
    guard let path else { return }
    let (hub, server) = (hub, server)
    try await loop.perform {
      server.value = try HubSocketServer(hub, at: path, owner: loop.localSocketFiles.userID, on: loop)
    }
  }

  /// Ends the hub and its socket. Can be called any number of times.
  package func stop(on loop: EventLoop) async {
    await hub.stop()
    let server = server
    try? await loop.perform {
      server.value?.close()
      server.value = nil
    }
  }
}
