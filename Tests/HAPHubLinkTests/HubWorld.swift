import HAPHome
import HAPLoop
import HAPWorld
import Testing

@testable import HAPHubLink

/// A simulated host with a hub and its apps, each in its own process.
final class HubWorld: @unchecked Sendable {  // confined to the world's thread
  static let path = "/home/hub/hub.sock"
  static let owner: UInt32 = 7
  /// The greatest length of a line in these worlds.
  static let longestRequest = 1 << 20

  let world = SimulatedWorld(seed: 1)
  let host: SimulatedHost
  private(set) var hubProcess: SimulatedProcess
  private(set) var hub: TestHub
  private(set) var server: HubSocketServer?

  init() throws {
    host = world.network.addHost("one")
    hubProcess = try #require(host.startProcess("hub", uid: Self.owner))
    hub = TestHub(world.makeLoop("hub", of: hubProcess))
    try listen()
  }

  private func listen() throws {
    let hub = hub
    try world.run {
      try hub.loop.performAndWait {
        self.server = try HubSocketServer(
          hub, at: Self.path, owner: Self.owner, longestRequest: Self.longestRequest, on: hub.loop)
      }
    }
  }

  /// Starts another hub in a new process.
  func restart() throws {
    hubProcess = try #require(host.startProcess("hub", uid: Self.owner))
    hub = TestHub(world.makeLoop("hub", of: hubProcess))
    try listen()
  }

  func process(_ name: String, uid: UInt32 = owner) throws -> (process: SimulatedProcess, loop: EventLoop) {
    let process = try #require(host.startProcess(name, uid: uid))
    return (process, world.makeLoop(name, of: process))
  }

  /// Runs a part of a test in virtual time.
  func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T { try world.run(body) }

  func end() {
    #expect(world.foreignJobCount == 0)
    server = nil
    world.end()
  }
}

/// An app with a link, and the events that it has read.
final class TestApp: @unchecked Sendable {  // confined to the world's thread
  let process: SimulatedProcess
  let loop: EventLoop
  let link: HubSocketLink
  private let events = Guarded<[HubEvent]>([])

  private init(_ process: SimulatedProcess, _ loop: EventLoop, _ link: HubSocketLink) {
    (self.process, self.loop, self.link) = (process, loop, link)
  }

  /// Connects, attaches, and reads events until the link ends. After `missed`, it attaches again.
  static func start(_ name: String, in world: HubWorld) async throws -> TestApp {
    let (process, loop) = try world.process(name)
    let link = try await HubSocketLink.connect(to: HubWorld.path, on: loop)
    let app = TestApp(process, loop, link)
    _ = try await link.ask(.attach(app: name))
    loop.startTask {
      for await event in link.events {
        app.events.withLock { $0.append(event) }
        if event == .missed { _ = try? await link.ask(.attach(app: name)) }
      }
    }
    return app
  }

  var seen: [HubEvent] { events.withLock { $0 } }
  var missedCount: Int { seen.count { $0 == .missed } }
  var snapshot: HubSnapshot? { link.replica.snapshot }
}

/// Sends and receives bytes as an app in another language does.
final class RawApp: @unchecked Sendable {  // confined to the world's thread
  private(set) var stream: LocalStream
  private(set) var lines: [String] = []
  private(set) var hasEnded = false
  private var splitter = LineSplitter(limit: 1 << 24)

  private init(_ stream: LocalStream) { self.stream = stream }

  static func connect(_ loop: EventLoop, reads: Bool = true) throws -> RawApp {
    try loop.performAndWait {
      let app = RawApp(try LocalStream(loop, connectingTo: HubWorld.path))
      app.stream.startReading { app.receive($0) }
      if !reads { app.stream.pauseReading() }
      return app
    }
  }

  private func receive(_ event: LocalStream.Event) {
    guard case .bytes(let bytes) = event else {
      hasEnded = true
      return stream.close()
    }
    for case .line(let line) in bytes.withUnsafeBytes({ splitter.receive($0) }) {
      lines.append(String(decoding: line, as: UTF8.self))
    }
  }
}
