import HAPLoop
import HAPWorld
import Testing

/// Two processes of one host.
private final class OneHost: @unchecked Sendable {  // confined to the world's thread
  let world = SimulatedWorld(seed: 1)
  let host: SimulatedHost
  let server: EventLoop
  let client: EventLoop
  let serverProcess: SimulatedProcess
  let clientProcess: SimulatedProcess

  init() throws {
    host = world.network.addHost("one")
    serverProcess = try #require(host.startProcess("server", uid: 7))
    clientProcess = try #require(host.startProcess("client", uid: 8))
    server = world.makeLoop("server", of: serverProcess)
    client = world.makeLoop("client", of: clientProcess)
  }
}

@Suite("Local sockets of a simulated host") struct WorldLocalTests {
  private static let path = "/run/hapsim/control"

  @Test("A stream echoes a megabyte, and each side has the other's PID") func echo() throws {
    let one = try OneHost()
    let log = Log()
    let received: Int = try one.world.run {
      try one.server.performAndWait {
        _ = try LocalListener(one.server, path: Self.path) { stream in
          log.add("client \(stream.peer?.userID ?? 0) \(stream.peer?.processID == one.clientProcess.pid)")
          stream.startReading { event in
            switch event {
            case .bytes(let bytes): stream.write(bytes)
            case .end: stream.closeAfterWriting()
            }
          }
        }
      }
      return try await withCheckedThrowingContinuation { continuation in
        one.client.schedule {
          do throws(LoopError) {
            let stream = try LocalStream(one.client, connectingTo: Self.path)
            log.add("server \(stream.peer?.userID ?? 0) \(stream.peer?.processID == one.serverProcess.pid)")
            stream.startReading { event in
              if case .bytes(let bytes) = event { log.count += bytes.count }
              guard log.count >= 1 << 20 || event == .end else { return }
              stream.close()
              continuation.resume(returning: log.count)
            }
            stream.write([UInt8](repeating: 7, count: 1 << 20))
          } catch { continuation.resume(throwing: error) }
        }
      }
    }
    #expect(received == 1 << 20)
    #expect(log.entries.sorted() == ["client 8 true", "server 7 true"])
    one.world.end()
  }

  @Test("A missing path is an error; a dead process's path is refused; a closed listener's path is removed")
  func refusals() throws {
    let one = try OneHost()
    let connect: @Sendable () -> LoopError.Code? = {
      let result = try? one.client.performAndWait { () -> LoopError.Code? in
        do throws(LoopError) {
          try LocalStream(one.client, connectingTo: Self.path).close()
          return nil
        } catch { return error.code }
      }
      return result ?? nil
    }
    let codes: [LoopError.Code?] = try one.world.run {
      let before = connect()
      try one.server.performAndWait { try LocalListener(one.server, path: Self.path) { $0.close() }.close() }
      let closed = connect()
      try one.server.performAndWait { _ = try LocalListener(one.server, path: Self.path) { $0.close() } }
      let open = connect()
      one.serverProcess.kill()
      return [before, closed, open, connect()]
    }
    #expect(codes == [.other(-2), .other(-2), nil, .connectionRefused])
    #expect(one.host.localPlace(Self.path) == .dead)
    one.world.end()
  }

  @Test("The sockets of a folder are listed, distinguished from those of dead processes, and removed")
  func files() throws {
    let one = try OneHost()
    let files = one.client.localSocketFiles
    #expect(files.processID == one.clientProcess.pid && files.userID == 8)
    #expect(files.names(in: "/run/hapsim").isEmpty && !files.isAlive(Self.path))
    try one.world.run {
      try one.server.performAndWait {
        for path in [Self.path, "/run/hapsim/a", "/run/hapsim/inner/b", "/run/other"] {
          _ = try LocalListener(one.server, path: path) { $0.close() }
        }
      }
      #expect(files.names(in: "/run/hapsim") == ["a", "control"])
      #expect(files.isAlive(Self.path) && files.hasProcess(one.serverProcess.pid))
      one.serverProcess.kill()
      #expect(files.names(in: "/run/hapsim") == ["a", "control"])
      #expect(!files.isAlive(Self.path) && !files.hasProcess(one.serverProcess.pid))
      files.remove(Self.path)
      #expect(files.names(in: "/run/hapsim") == ["a"])
    }
    one.world.end()
  }

  @Test("A paused listener accepts no connection, and accepts all waiting ones later") func held() throws {
    let one = try OneHost()
    let counts: [Int] = try one.world.run {
      let log = Log()
      let listener = Held()
      try one.server.performAndWait {
        listener.value = try LocalListener(one.server, path: Self.path) { stream in
          log.count += 1
          stream.close()
        }
        listener.value?.isHeld = true
      }
      try one.client.performAndWait {
        for _ in 0..<3 { try LocalStream(one.client, connectingTo: Self.path).startReading { _ in } }
      }
      try await one.client.sleep(for: .seconds(1))
      let before = log.count
      try one.server.performAndWait { listener.value?.isHeld = false }
      try await one.client.sleep(for: .seconds(1))
      return [before, log.count]
    }
    #expect(counts == [0, 3])
    one.world.end()
  }
}

/// Confined to the world's thread.
private final class Held: @unchecked Sendable {
  var value: LocalListener?
}
