import HAPLoop
import Testing

@testable import HAPWorld

/// Under the address sanitizer, the leak detector would also report these worlds.
@Suite("Release of simulated worlds after their end") struct WorldReleaseTests {
  /// Returns whether the world is released when `body` has returned.
  private static func isReleased(_ body: () throws -> SimulatedWorld) rethrows -> Bool {
    weak var world: SimulatedWorld?
    func run() throws { world = try body() }
    try run()
    return world == nil
  }

  @Test("A program that still runs, and its parent, which refer to each other") func program() throws {
    let isReleased = try Self.isReleased {
      let hosts = try TwoHosts()
      hosts.world.programs["server"] = { run in
        let loop = run.makeLoop("server")
        loop.start()
        run.onTerminate = { run.exit(0) }
        run.write("ready")
      }
      let lines: [String] = try hosts.world.run {
        let parent = Parent()
        try hosts.near.performAndWait { try parent.start("server", on: hosts.near) }
        try await hosts.near.sleep(for: .seconds(1))
        return parent.lines
      }
      #expect(lines == ["ready"])
      hosts.world.end()
      return hosts.world
    }
    #expect(isReleased)
  }

  @Test("A process that ends after its loop, while a turn of the loop is pending") func exit() throws {
    let isReleased = try Self.isReleased {
      let hosts = try TwoHosts()
      try hosts.world.run {
        hosts.near.schedule {
          hosts.far.stop()
          try? hosts.far.performAndWait {}
          hosts.farProcess.exit(0)
        }
        try await hosts.near.sleep(for: .seconds(1))
      }
      #expect(!hosts.farProcess.isAlive)
      hosts.world.end()
      return hosts.world
    }
    #expect(isReleased)
  }

  @Test("A frozen process with open sockets") func frozen() throws {
    let isReleased = try Self.isReleased {
      let hosts = try TwoHosts()
      try hosts.world.run {
        try hosts.far.performAndWait {
          _ = try UDPSocket(hosts.far, host: .anyV4, port: 7) { _ in }
          _ = try TCPListener(hosts.far, host: .anyV4, port: 7) { $0.close() }
        }
        hosts.farProcess.freeze()
      }
      hosts.world.end()
      return hosts.world
    }
    #expect(isReleased)
  }

  @Test("A body that waits without end is cancelled") func stuck() throws {
    let isReleased = try Self.isReleased {
      let hosts = try TwoHosts()
      let elements = AsyncStream(Void.self) { _ in }
      #expect(throws: WorldError.self) {
        try hosts.world.run {
          try? await hosts.near.sleep(for: .seconds(1))
          for await _ in elements {}
          #expect(Task.isCancelled)
        }
      }
      hosts.world.end()
      return hosts.world
    }
    #expect(isReleased)
  }

  @Test("A task that continues on a loop that has ended: it ends with the world") func refusedJob() throws {
    let log = Log()
    let isReleased = try Self.isReleased {
      let hosts = try TwoHosts()
      let waiter = Waiter(hosts.far)
      try hosts.world.run {
        hosts.near.startTask {
          try? await hosts.near.sleep(for: .seconds(2))
          await waiter.wait(log)
        }
        hosts.far.stop()
        try await hosts.near.sleep(for: .seconds(5))
      }
      #expect(log.entries == [])
      hosts.world.end()
      return hosts.world
    }
    #expect(log.entries == ["sleep false", "connect cancelled"])
    #expect(isReleased)
  }

  @Test("Local streams whose callbacks refer to them") func localStreams() throws {
    let hosts = try TwoHosts()
    let streams = Streams()
    try hosts.world.run {
      try hosts.near.performAndWait {
        _ = try LocalListener(hosts.near, path: "/socket") { stream in
          streams.all.append(Weak(stream))
          stream.startReading { _ in stream.write([1]) }
        }
        let stream = try LocalStream(hosts.near, connectingTo: "/socket")
        streams.all.append(Weak(stream))
        stream.onDrained = { stream.pauseReading() }
        stream.write([1])
      }
      try await hosts.near.sleep(for: .seconds(1))
    }
    #expect(streams.all.count { $0.object != nil } == 2)
    hosts.world.end()
    #expect(streams.all.allSatisfy { $0.object == nil })
  }

  @Test("Two ends of a connection that have failed, and that no process has closed") func failedConnection() throws {
    weak var network: SimulatedNetwork?
    func run() throws {
      let net = TestNetwork()
      network = net.network
      let (own, far, _) = try net.pair()
      own.connection.fail(.timedOut, while: "reading")
      far.connection.fail(.timedOut, while: "reading")
      net.run(1)
      #expect(own.failure == .timedOut && far.failure == .timedOut)
    }
    try run()
    #expect(network == nil)
  }

  @Test("Two ends of a connection that are closed while segments are in flight") func segmentsInFlight() throws {
    weak var network: SimulatedNetwork?
    func run() throws {
      let net = TestNetwork()
      network = net.network
      let (own, far, _) = try net.pair()
      try own.write("one")
      try far.write("two")
      own.connection.reset()
      far.connection.reset()
    }
    try run()
    #expect(network == nil)
  }
}

/// Confined to the world's thread.
private final class Streams: @unchecked Sendable {
  var all: [Weak<LocalStream>] = []
}

/// Opens handles on its loop, and waits for them.
private actor Waiter {
  private let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  func wait(_ log: Log) async {
    LoopTimer(loop) { log.add("fired") }.start(after: .zero)
    do {
      try await loop.sleep(for: .seconds(1))
    } catch { log.add("sleep \(error is CancellationError)") }
    let error = await withCheckedContinuation { continuation in
      _ = TCPStream(loop, connectingTo: SocketAddress(host: TwoHosts.nearAddress, port: 7)) {
        continuation.resume(returning: $0)
      }
    }
    log.add("connect \(error.map { "\($0.code)" } ?? "succeeded")")
  }
}

/// A process that keeps a program, which refers to it. Confined to the world's thread.
private final class Parent: @unchecked Sendable {
  private(set) var lines: [String] = []
  private var child: ChildProcess?

  func start(_ command: String, on loop: EventLoop) throws(LoopError) {
    child = try ChildProcess(loop, command: command) { [self] event in
      if case .line(_, let bytes) = event { lines.append(String(decoding: bytes, as: UTF8.self)) }
    }
  }
}
