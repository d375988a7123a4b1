import HAPLoop
import HAPWorld
import Testing

/// Two hosts on one link, each with a process and a loop.
final class TwoHosts: @unchecked Sendable {  // confined to the world's thread
  let world: SimulatedWorld
  let link: SimulatedLink
  let near: EventLoop
  let far: EventLoop
  var farProcess: SimulatedProcess { processes[1] }
  private var processes: [SimulatedProcess] = []
  static let nearAddress = IPAddress(bytes: [10, 0, 0, 1])!
  static let farAddress = IPAddress(bytes: [10, 0, 0, 2])!

  init(seed: UInt64 = 1, includesMainQueue: Bool = false) throws {
    world = SimulatedWorld(seed: seed, includesMainQueue: includesMainQueue)
    link = world.network.addLink("lan")
    processes = try [("near", Self.nearAddress), ("far", Self.farAddress)].map { [world, link] name, address in
      let host = world.network.addHost(name)
      _ = host.addInterface("eth0", addresses: [.init(address, prefixLength: 24)], link: link)
      return try #require(host.startProcess(name))
    }
    near = world.makeLoop("near", of: processes[0])
    far = world.makeLoop("far", of: processes[1])
  }
}

@Suite("Event loops in a simulated world") struct WorldLoopTests {
  @Test("An hour passes immediately, and timers of two hosts fire in order") func timers() throws {
    let hosts = try TwoHosts()
    let order: [String] = try hosts.world.run {
      let log = Log()
      for (loop, name) in [(hosts.near, "near"), (hosts.far, "far")] {
        loop.schedule {
          for minutes in [60, 1, 30] {
            let offset = name == "far" ? 1 : 0
            LoopTimer(loop) { log.add("\(name) \(minutes)") }.start(after: .seconds(minutes * 60 + offset))
          }
        }
      }
      try await hosts.near.sleep(for: .seconds(2 * 3600))
      return log.entries
    }
    #expect(order == ["near 1", "far 1", "near 30", "far 30", "near 60", "far 60"])
    #expect(hosts.world.now == .seconds(2 * 3600))
    hosts.world.end()
  }

  @Test("A stream echoes a megabyte with any seed", arguments: 1...5) func echo(_ seed: UInt64) throws {
    let hosts = try TwoHosts(seed: seed)
    let echoed: Int = try hosts.world.run {
      try await withCheckedThrowingContinuation { continuation in
        hosts.far.schedule {
          do {
            let listener = try TCPListener(hosts.far, host: .anyV4, port: 7) { Self.echo($0) }
            _ = listener
          } catch { continuation.resume(throwing: error) }
        }
        hosts.near.schedule { Self.send(1 << 20, from: hosts.near, continuation) }
      }
    }
    #expect(echoed == 1 << 20)
    hosts.world.end()
  }

  private static func echo(_ stream: TCPStream) {
    let buffer = Buffer()
    stream.startReading(onAllocate: { _ in buffer.bytes }) { event in
      switch event {
      case .bytes(let count):
        stream.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer.bytes)[..<count]))
      case .end: stream.closeAfterWriting()
      case .failed: stream.close()
      }
    }
  }

  private static func send(_ count: Int, from loop: EventLoop, _ done: CheckedContinuation<Int, any Error>) {
    let buffer = Buffer()
    let received = Log()
    var stream: TCPStream?
    stream = TCPStream(loop, connectingTo: SocketAddress(host: TwoHosts.farAddress, port: 7)) { error in
      if let error { return done.resume(throwing: error) }
      stream?.startReading(onAllocate: { _ in buffer.bytes }) { event in
        switch event {
        case .bytes(let count): received.count += count
        case .end:
          stream?.close()
          done.resume(returning: received.count)
        case .failed(let error): done.resume(throwing: error)
        }
      }
      stream?.write([UInt8](repeating: 7, count: count))
      stream?.finishWriting()
    }
  }

  @Test("A port without a listener refuses; a disconnected host times out after 127 s") func refusals() throws {
    let hosts = try TwoHosts()
    let connect: @Sendable () async -> LoopError? = {
      await withCheckedContinuation { continuation in
        hosts.near.schedule {
          _ = TCPStream(hosts.near, connectingTo: SocketAddress(host: TwoHosts.farAddress, port: 9)) {
            continuation.resume(returning: $0)
          }
        }
      }
    }
    let refusal = try hosts.world.run { await connect() }
    #expect(refusal?.code == .connectionRefused)
    hosts.link.cut()
    let before = hosts.world.now
    let timeout = try hosts.world.run { await connect() }
    #expect(timeout?.code == .timedOut && hosts.world.now - before == .seconds(127))
    hosts.world.end()
  }

  @Test("Multicast reaches both hosts") func multicast() throws {
    let hosts = try TwoHosts()
    let group = IPAddress(bytes: [224, 0, 0, 251])!
    let heard: [String] = try hosts.world.run {
      let log = Log()
      for (loop, name) in [(hosts.near, "near"), (hosts.far, "far")] {
        loop.schedule {
          do {
            let socket = try UDPSocket(loop, host: .anyV4, port: 5353, sharing: true) { datagram in
              log.add("\(name) \(datagram.bytes.count) \(datagram.source) \(datagram.destination == group)")
            }
            try socket.join(group, on: 2)
            if name == "near" {
              try socket.multicast(on: 2)
              LoopTimer(loop) { try? socket.send([1, 2, 3], to: SocketAddress(host: group, port: 5353)) }
                .start(after: .seconds(1))
            }
          } catch { log.add("\(error)") }
        }
      }
      try await hosts.near.sleep(for: .seconds(2))
      return log.entries
    }
    #expect(heard.sorted() == ["far 3 10.0.0.1:5353 true", "near 3 10.0.0.1:5353 true"])
    hosts.world.end()
  }

  private actor Counter {
    let loop: EventLoop
    var count = 0
    init(_ loop: EventLoop) { self.loop = loop }
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    func add() -> Bool {
      count += 1
      return loop.isOnLoop
    }
  }

  @Test("Actors pinned to loops, default actors, groups and offloaded work run on the world's thread") func executors()
    throws
  {
    let hosts = try TwoHosts()
    let onLoop: [Bool] = try hosts.world.run {
      let counter = Counter(hosts.near)
      let answers = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<10 {
          group.addTask {
            try? await hosts.far.sleep(for: .seconds(1))
            let sum = await hosts.far.offload { (1...10).reduce(0, +) }
            return await counter.add() && sum == 55
          }
        }
        return await group.reduce(into: [Bool]()) { $0.append($1) }
      }
      let task = hosts.near.startTask { await counter.add() }
      return await answers + [task.value]
    }
    #expect(onLoop == Array(repeating: true, count: 11))
    #expect(hosts.world.foreignJobCount == 0 && hosts.world.now == .seconds(1))
    hosts.world.end()
  }

  @Test("Waiting for an impossible event is an error with the seed") func stuck() throws {
    let hosts = try TwoHosts(seed: 77)
    // The stream has no elements, and ends when the task is cancelled.
    let elements = AsyncStream(Void.self) { _ in }
    let error = #expect(throws: WorldError.self) { try hosts.world.run { for await _ in elements {} } }
    #expect(error?.description.contains("seed 77") == true)
    hosts.world.end()
  }

  @Test("A loop that is stopped closes its sockets and timers") func stop() throws {
    let hosts = try TwoHosts()
    let state: [Bool] = try hosts.world.run {
      let log = Log()
      let closed = try hosts.far.performAndWait {
        let listener = try TCPListener(hosts.far, host: .anyV4, port: 7) { _ in }
        let socket = try UDPSocket(hosts.far, host: .anyV4, port: 5353) { _ in }
        LoopTimer(hosts.far) { log.add("fired") }.start(after: .seconds(5))
        return Closed(listener: listener, socket: socket)
      }
      hosts.far.whenEnded { log.add("ended") }
      hosts.far.stop()
      try await hosts.near.sleep(for: .seconds(10))
      return [closed.listener.isClosed, closed.socket.isClosed, log.entries == ["ended"], !hosts.far.schedule {}]
    }
    #expect(state == [true, true, true, true])
    hosts.world.end()
  }
}

private struct Closed: @unchecked Sendable {  // confined to the world's thread
  let listener: TCPListener
  let socket: UDPSocket
}

/// Confined to the world's thread.
final class Log: @unchecked Sendable {
  private(set) var entries: [String] = []
  var count = 0
  var time = Duration.zero
  func add(_ entry: String) { entries.append(entry) }
}

private final class Buffer: @unchecked Sendable {  // confined to the world's thread
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
  deinit { bytes.deallocate() }
}
