import CUV
import Foundation
import Testing

@testable import HAPLoop

/// Reads all that comes on a stream, and collects it. The stream keeps it.
private final class Collector {
  let buffer = UnsafeMutableRawBufferPointer.buffer(4096)
  var bytes: [UInt8] = []

  @discardableResult
  init(_ stream: TCPStream, onChange: @escaping (Collector, TCPStream.ReadEvent) -> Void) {
    stream.startReading(onAllocate: { [buffer] _ in buffer }) { event in
      if case .bytes(let count) = event { self.bytes += self.buffer[..<count] }
      onChange(self, event)
    }
  }

  deinit { buffer.deallocate() }
}

/// A listener on loopback and a client connected to it.
private func connectedPair(
  _ loop: EventLoop, host: IPAddress = .loopbackV4,
  _ body: @escaping (_ server: TCPStream, _ client: TCPStream, _ listener: TCPListener) -> Void
) throws {
  let client = Box<TCPStream?>(nil)
  let isUp = Box(false)
  let accepted = Box<TCPStream?>(nil)
  let listener = Box<TCPListener?>(nil)
  let go = {
    if isUp.value, let server = accepted.value, let client = client.value, let listener = listener.value {
      body(server, client, listener)
    }
  }
  listener.value = try TCPListener(loop, host: host, port: 0) {
    accepted.value = $0
    go()
  }
  let address = listener.value!.address
  let target = address.host.isUnspecified ? SocketAddress(host: .loopbackV4, port: address.port) : address
  client.value = TCPStream(loop, connectingTo: target) { error in
    #expect(error == nil)
    isUp.value = true
    go()
  }
}

@Suite(.timeLimit(.minutes(2))) struct TCPTests {
  #if os(Linux)
    @Test("A peer is asked for a sign of life where that is wanted, and not otherwise") func keepAlive() async {
      let options: [[Int32]] = await onLoop { loop, finish in
        try! connectedPair(loop) { server, client, _ in
          client.keepAlive(after: .seconds(60))
          finish(
            [client, server].map { stream in
              var descriptor: uv_os_fd_t = -1
              uv_fileno(stream.memory.assumingMemoryBound(to: uv_handle_t.self), &descriptor)
              return [
                (SOL_SOCKET, SO_KEEPALIVE), (Int32(IPPROTO_TCP), TCP_KEEPIDLE), (Int32(IPPROTO_TCP), TCP_KEEPINTVL),
                (Int32(IPPROTO_TCP), TCP_KEEPCNT),
              ].map { level, option in
                var value: Int32 = -1
                var size = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(descriptor, level, option, &value, &size)
                return value
              }
            })
        }
      }
      #expect(options[0] == [1, 60, 10, 3] && options[1][0] == 0)
    }
  #endif

  @Test("Bytes go both ways, into the reader's own buffer") func echo() async {
    let text: String = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, listener in
        #expect(server.peerAddress?.description == client.localAddress?.description)
        #expect(client.peerAddress == listener.address)
        Collector(server) { back, event in
          if case .bytes(let count) = event { server.write(UnsafeRawBufferPointer(rebasing: back.buffer[..<count])) }
        }
        Collector(client) { collector, _ in
          if collector.bytes.count == 5 { finish(String(decoding: collector.bytes, as: UTF8.self)) }
        }
        client.write(Array("hello".utf8))
      }
    }
    #expect(text == "hello")
  }

  @Test("A listener on all addresses takes IPv4, and shows it as such", arguments: ["0.0.0.0", "::"])
  func anyAddress(_ host: String) async throws {
    if try IPAddress(host).isV6 && !NetworkInterface.all().contains(where: { $0.addresses.contains(where: \.isV6) }) {
      return
    }
    let peer: IPAddress? = await onLoop { loop, finish in
      do {
        try connectedPair(loop, host: IPAddress(host)) { server, _, _ in finish(server.peerAddress?.host) }
      } catch { finish(nil) }
    }
    #expect(peer == .loopbackV4)
  }

  @Test("A listener on an interface takes what comes there, and names an interface that isn't there")
  func onInterface() async throws {
    let name = try #require(NetworkInterface.all().first { $0.isLoopback && $0.isUp }).name
    let peer: String = await onLoop { loop, finish in
      let listener = Box<TCPListener?>(nil)
      let client = Box<TCPStream?>(nil)
      listener.value = try! TCPListener(loop, host: .anyV4, interface: name, port: 0) { stream in
        finish(stream.localAddress?.host.description ?? "none")
      }
      let target = SocketAddress(host: .loopbackV4, port: listener.value!.port)
      client.value = TCPStream(loop, connectingTo: target) { #expect($0 == nil) }
    }
    #expect(peer == "127.0.0.1")
    let refusal: String = await onLoop { loop, finish in
      do throws(LoopError) {
        _ = try TCPListener(loop, host: .anyV4, interface: "nowhere0", port: 0) { _ in }
        finish("taken")
      } catch { finish("\(error)") }
    }
    #expect(refusal.contains("nowhere0"))
  }

  @Test("A closed listener's port is free, though a process that is being started has a copy of its socket")
  func copied() async {
    let failure: String = await onLoop { loop, finish in
      let listener = try! TCPListener(loop, host: .loopbackV4, port: 0) { _ in }
      // As between fork and exec.
      let copies = (3..<20_000).filter { hasPort(listener.port, $0) }.map { dup(Int32($0)) }
      listener.close()
      do throws(LoopError) {
        try TCPListener(loop, host: .loopbackV4, port: listener.port) { _ in }.close()
        finish(copies.isEmpty ? "no copy" : "none")
      } catch { finish("\(error)") }
      for copy in copies { close(copy) }
    }
    #expect(failure == "none")
  }

  private func hasPort(_ port: UInt16, _ descriptor: Int) -> Bool {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(Int32(descriptor), $0, &length) }
    }
    return status == 0 && address.sin_family == sa_family_t(AF_INET) && UInt16(bigEndian: address.sin_port) == port
  }

  @Test("Eight megabytes arrive whole and in order while the reader pauses again and again") func backPressure() async {
    let sent = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let outcome: [Bool] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let done = Box(false)
        client.write(sent) { error in done.value = error == nil }
        #expect(client.queuedByteCount > 0)
        #expect([1].withUnsafeBytes { client.tryWrite($0) } == 0)
        let timer = LoopTimer(loop, onFire: { server.resumeReading() })
        let events = Box(0)
        Collector(server) { collector, _ in
          events.value += 1
          if events.value.isMultiple(of: 500) {
            server.pauseReading()
            timer.start(after: .zero)
          }
          guard collector.bytes.count == sent.count else { return }
          finish([collector.bytes == sent, done.value, client.queuedByteCount == 0])
        }
      }
    }
    #expect(outcome == [true, true, true])
  }

  @Test("An empty buffer pauses reading until it is resumed") func emptyBuffer() async {
    let bytes: [UInt8] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let memory = Box(UnsafeMutableRawBufferPointer.buffer(3))
        let asked = Box(0)
        let seen = Box<[UInt8]>([])
        let timer = LoopTimer(loop)
        timer.onFire = {
          asked.value = 0
          server.resumeReading()
        }
        server.startReading(
          onAllocate: { _ in
            asked.value += 1
            if asked.value == 1 { return memory.value }
            timer.start(after: .milliseconds(1))
            return UnsafeMutableRawBufferPointer(start: nil, count: 0)
          },
          onRead: { event in
            if case .bytes(let count) = event { seen.value += memory.value[..<count] }
            if seen.value.count == 7 {
              timer.close()
              memory.value.deallocate()
              server.close()
              finish(seen.value)
            }
          })
        client.write([1, 2, 3, 4, 5, 6, 7])
      }
    }
    #expect(bytes == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test("The end of what the peer sends is told once, and it can still be answered") func halfClose() async {
    let seen: [TCPStream.ReadEvent] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let events = Box<[TCPStream.ReadEvent]>([])
        Collector(server) { _, event in
          events.value.append(event)
          if event == .end { server.write(Array("late".utf8)) }
        }
        Collector(client) { answer, _ in if answer.bytes.count == 4 { finish(events.value) } }
        client.write([1, 2])
        client.finishWriting { #expect($0 == nil) }
      }
    }
    #expect(seen == [.bytes(2), .end])
  }

  @Test("A reset is told as one, and writes after it fail without a signal") func reset() async {
    let seen: [LoopError.Code] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        Collector(server) { _, event in
          guard case .failed(let error) = event else { return finish([]) }
          server.write([1, 2, 3]) { finish([error.code, $0?.code ?? .timedOut]) }
        }
        client.reset()
        client.reset()
        client.close()
      }
    }
    #expect(seen == [.connectionReset, .brokenPipe])
  }

  @Test("Closing gives up what is queued, tells so, and is well in every callback and twice") func closing() async {
    let seen: [String] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let seen = Box<[String]>([])
        Collector(client) { _, _ in seen.value.append("read") }
        client.write([UInt8](repeating: 1, count: 20_000_000)) { error in
          seen.value.append("write \(error?.code == .cancelled)")
          client.close()
        }
        client.onClosed = {
          client.close()
          seen.value.append("closed")
          client.write([1]) { seen.value.append("after \($0?.code == .cancelled)") }
          #expect(client.localAddress == nil)
          finish(seen.value)
        }
        client.close()
        client.close()
        client.pauseReading()
        client.resumeReading()
      }
    }
    #expect(seen == ["write true", "closed", "after true"])
  }

  @Test("Closing inside the read callback, with more to read, is the last that is heard") func closeInRead() async {
    let count: Int = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let count = Box(0)
        let buffer = UnsafeMutableRawBufferPointer.buffer(1)
        server.startReading(onAllocate: { _ in buffer }) { _ in
          count.value += 1
          server.close()
        }
        server.onClosed = {
          buffer.deallocate()
          finish(count.value)
        }
        client.write([1, 2, 3, 4])
      }
    }
    #expect(count == 1)
  }

  @Test("closeAfterWriting sends all that is queued first") func closeAfterWriting() async {
    let outcome: [Int] = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        client.write([UInt8](repeating: 7, count: 9_000_000))
        client.closeAfterWriting()
        client.closeAfterWriting()
        Collector(server) { collector, event in if event == .end { finish([collector.bytes.count]) } }
      }
    }
    #expect(outcome == [9_000_000])
  }

  @Test("closeAfterWriting resets the connection of a peer that does not read in time") func closeWithinLimit() async {
    let isCutOff: Bool = await onLoop { loop, finish in
      try! connectedPair(loop) { server, client, _ in
        let failure = Box<LoopError?>(nil)
        client.write([UInt8](repeating: 7, count: 50_000_000)) { failure.value = $0 }
        client.onClosed = { finish(failure.value?.code == .cancelled) }
        client.closeAfterWriting(within: .milliseconds(1))
        withExtendedLifetime(server) {}
      }
    }
    #expect(isCutOff)
  }

  @Test("Connecting to a port where nobody listens is refused by name; closing a connection under way cancels it")
  func connectFailures() async {
    let seen: [String] = await onLoop { loop, finish in
      // One that the system gave out could be another test's by now.
      let address = SocketAddress(host: .loopbackV4, port: 1)
      let seen = Box<[String]>([])
      _ = TCPStream(loop, connectingTo: address) { error in
        seen.value.append(error?.detail.replacingOccurrences(of: "\(address)", with: "X") ?? "connected")
        let other = TCPStream(loop, connectingTo: address) { error in
          seen.value.append("\(error?.code == .cancelled)")
          finish(seen.value)
        }
        other.close()
      }
    }
    #expect(seen == ["connecting to X: connection refused", "true"])
  }

  @Test("Two thousand connections come and go, and no handle is left") func many() async {
    let left: Int = await onLoop { loop, finish in
      let remaining = Box(2000)
      let listener = Box<TCPListener?>(nil)
      let buffers = Box<[Int]>([])
      listener.value = try! TCPListener(loop, host: .loopbackV4, port: 0) { server in
        Collector(server) { collector, event in
          if case .bytes = event { server.write(collector.bytes) } else { server.close() }
        }
      }
      @Sendable func connect() {
        let client = Box<TCPStream?>(nil)
        client.value = TCPStream(loop, connectingTo: listener.value!.address) { error in
          let stream = client.value!
          client.value = nil
          guard error == nil else { return finish(-1) }
          Collector(stream) { _, _ in if remaining.value.isMultiple(of: 3) { stream.reset() } else { stream.close() } }
          stream.onClosed = {
            remaining.value -= 1
            if remaining.value > 0 { return connect() }
            listener.value?.close()
            listener.value = nil
            _ = buffers
            finish(remaining.value)
          }
          stream.write([1, 2, 3])
        }
      }
      connect()
    }
    #expect(left == 0)
  }

  // MARK: Listening

  private func bindError(_ host: String, _ port: UInt16) async -> LoopError? {
    await onLoop { loop, finish in
      do throws(LoopError) {
        try TCPListener(loop, host: IPAddress(host), port: port) { _ in }.close()
        finish(nil)
      } catch { finish(error) }
    }
  }

  @Test("A port that is taken is refused by number", arguments: ["127.0.0.1", "0.0.0.0"]) func taken(_ host: String)
    async
  {
    let loop = EventLoop(name: "holder")
    loop.start()
    let port = try! loop.performAndWait { try TCPListener(loop, host: .loopbackV4, port: 0) { _ in }.port }
    #expect(await bindError(host, port) == LoopError(.addressInUse, "port \(port) is in use"))
    loop.stop()
    #expect(await bindError(host, port) == nil)
  }

  @Test("A port that can't be had leaves no descriptor open") func refused() throws {
    let socket = try BoundSocket(host: .loopbackV4, port: 0)
    let (descriptor, address) = try socket.listening(backlog: 1)
    defer { close(descriptor) }
    // More often than a process has files here.
    let wanted = LoopError(.addressInUse, "port \(address.port) is in use")
    var others = 0
    for _ in 0..<25_000 {
      do throws(LoopError) {
        _ = try BoundSocket(host: .loopbackV4, port: address.port).port
        others += 1
      } catch { others += error == wanted ? 0 : 1 }
    }
    #expect(others == 0)
  }

  @Test("Whoever connects to a held port is refused, and who held it can listen there") func held() async throws {
    let socket = try BoundSocket(host: .loopbackV4, port: 0)
    let port = socket.port
    let refusal: LoopError.Code? = await onLoop { loop, finish in
      _ = TCPStream(loop, connectingTo: SocketAddress(host: .loopbackV4, port: port)) { finish($0?.code) }
    }
    #expect(refusal == .connectionRefused)
    _ = consume socket
    #expect(await bindError("127.0.0.1", port) == nil)
  }

  @Test("An address of another machine is refused by name") func foreignAddress() async {
    let wanted = LoopError(.addressNotAvailable, "address 192.0.2.1 is not of this machine")
    #expect(await bindError("192.0.2.1", 0) == wanted)
  }

  @Test("A port that was just served can be served again at once") func again() async {
    var error: LoopError?
    // Another test may be given it by chance, but not every time.
    for _ in 0..<3 {
      let port: UInt16 = await onLoop { loop, finish in
        try! connectedPair(loop) { server, client, listener in
          server.close()
          Collector(client) { _, _ in finish(listener.port) }
        }
      }
      error = await bindError("127.0.0.1", port)
      if error == nil { break }
    }
    #expect(error == nil)
  }

  @Test("With no descriptor left, connections wait and the loop rests; they are taken when there is one again")
  func outOfDescriptors() async {
    await #expect(processExitsWith: .success) {
      let loop = EventLoop(name: "full")
      loop.start()
      let accepted = Box(0)
      let errors = Box<[LoopError]>([])
      let address = try loop.performAndWait {
        let listener = try TCPListener(loop, host: .loopbackV4, port: 0) { _ in accepted.value += 1 }
        listener.onError = { errors.value.append($0) }
        return listener.address
      }
      // A client of the C library's own, made before descriptors run out.
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var held: [Int32] = []
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 64
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      while true {
        let more = dup(client)
        if more < 0 { break }
        held.append(more)
      }
      _ = address.withSockaddr { connect(client, $0, $1) }
      let start = EventLoop.readClock()
      while try loop.performAndWait({ errors.value.count }) < 3 { usleep(1000) }
      let elapsed = EventLoop.readClock() - start
      precondition(elapsed >= 150_000_000, "three tries lie 100 ms apart")
      precondition(errors.value.allSatisfy { $0.code == .tooManyOpenFiles })
      precondition(accepted.value == 0)
      held.forEach { close($0) }
      while try loop.performAndWait({ accepted.value }) == 0 { usleep(1000) }
      loop.stop()
    }
  }

  @Test("Closing the listener inside its own callback keeps the connection, and frees the port") func closeInCallback()
    async
  {
    let ok: Bool = await onLoop { loop, finish in
      let listener = Box<TCPListener?>(nil)
      listener.value = try! TCPListener(loop, host: .loopbackV4, port: 0) { server in
        listener.value?.close()
        listener.value?.close()
        listener.value = nil
        server.write([1])
      }
      let client = Box<TCPStream?>(nil)
      client.value = TCPStream(loop, connectingTo: listener.value!.address) { error in
        Collector(client.value!) { _, event in finish(event == .bytes(1)) }
      }
    }
    #expect(ok)
  }
}
