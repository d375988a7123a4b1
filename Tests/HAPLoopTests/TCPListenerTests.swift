import CUV
import Foundation
import Testing

@testable import HAPLoop

@Suite struct TCPListenerTests {
  @Test("A listener on all addresses accepts IPv4, and shows the peer as IPv4", arguments: ["0.0.0.0", "::"])
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

  @Test("A listener on an interface accepts its connections; for an unknown interface, the error names it")
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

  @Test("A closed listener's port is free, even if a starting process has a copy of its socket")
  func copied() async {
    let failure: String = await onLoop { loop, finish in
      let listener = try! TCPListener(loop, host: .loopbackV4, port: 0) { _ in }
      // The state between fork and exec.
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

  private func bindError(_ host: String, _ port: UInt16) async -> LoopError? {
    await onLoop { loop, finish in
      do throws(LoopError) {
        try TCPListener(loop, host: IPAddress(host), port: port) { _ in }.close()
        finish(nil)
      } catch { finish(error) }
    }
  }

  @Test("A port in use is refused, and the error has its number", arguments: ["127.0.0.1", "0.0.0.0"])
  func taken(_ host: String) async {
    let loop = EventLoop(name: "holder")
    loop.start()
    let port = try! loop.performAndWait { try TCPListener(loop, host: .loopbackV4, port: 0) { _ in }.port }
    #expect(await bindError(host, port) == LoopError(.addressInUse, "port \(port) is in use"))
    loop.stop()
    #expect(await bindError(host, port) == nil)
  }

  @Test("A port that can't be opened leaves no open descriptor") func refused() throws {
    let loop = EventLoop(name: "holder")
    loop.start()
    defer { loop.stop() }
    let address = try loop.performAndWait { try TCPListener(loop, host: .loopbackV4, port: 0) { _ in }.address }
    // More attempts than a process can have open files here.
    let wanted = LoopError(.addressInUse, "port \(address.port) is in use")
    var others = 0
    for _ in 0..<25_000 {
      do throws(LoopError) {
        _ = try KernelPort(host: .loopbackV4, interface: nil, port: address.port).address
        others += 1
      } catch { others += error == wanted ? 0 : 1 }
    }
    #expect(others == 0)
  }

  @Test("Connections to a reserved port are refused, and its owner can listen there") func held() async throws {
    let held = try KernelPort(host: .loopbackV4, interface: nil, port: 0)
    let port = held.address.port
    let refusal: LoopError.Code? = await onLoop { loop, finish in
      _ = TCPStream(loop, connectingTo: SocketAddress(host: .loopbackV4, port: port)) { finish($0?.code) }
    }
    #expect(refusal == .connectionRefused)
    held.close()
    #expect(await bindError("127.0.0.1", port) == nil)
  }

  @Test("An address of another machine is refused, and the error has the address") func foreignAddress() async {
    let wanted = LoopError(.addressNotAvailable, "address 192.0.2.1 does not belong to this machine")
    #expect(await bindError("192.0.2.1", 0) == wanted)
  }

  @Test("A port that was just in use can be used again at once") func again() async {
    var error: LoopError?
    // Another test may get it, but not in each attempt.
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

  @Test("Without free descriptors, connections wait and the loop doesn't spin; they are accepted later")
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
      // A client socket of the C library, created before descriptors run out.
      let client = socket(AF_INET, SocketType.stream, 0)
      var limit = rlimit()
      getrlimit(descriptorResource, &limit)
      let usual = limit.rlim_cur
      // The limit is below the open descriptors. If they were exhausted instead, another thread could free one.
      limit.rlim_cur = 0
      setrlimit(descriptorResource, &limit)
      _ = address.withSockaddr { connect(client, $0, $1) }
      let start = loop.readClock()
      while try loop.performAndWait({ errors.value.count }) < 3 { usleep(1000) }
      let elapsed = loop.readClock() - start
      precondition(elapsed >= 150_000_000, "three attempts are 100 ms apart")
      precondition(errors.value.allSatisfy { $0.code == .tooManyOpenFiles })
      precondition(accepted.value == 0)
      limit.rlim_cur = usual
      setrlimit(descriptorResource, &limit)
      while try loop.performAndWait({ accepted.value }) == 0 { usleep(1000) }
      loop.stop()
    }
  }

  @Test("Closing the listener inside its callback keeps the connection, and frees the port") func closeInCallback()
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
