import HAPLoop
import Testing

@testable import HAPWorld

@Suite("Listening and connecting in the simulated network") struct ConnectingTests {
  @Test("both sides are connected, and have both addresses") func connect() throws {
    let net = TestNetwork()
    let accepted = try net.listen()
    let own = try net.connect()
    #expect(own.events.isEmpty)
    net.run(1)
    #expect(own.events == [.connected])
    let other = try #require(accepted.ends.first)
    #expect(own.connection.peerAddress == other.connection.localAddress)
    #expect(own.connection.localAddress == other.connection.peerAddress)
    #expect(own.connection.localAddress.host.description == "10.0.0.1")
    #expect((32_768...60_999).contains(own.connection.localAddress.port))
    #expect(other.connection.localAddress.description == "10.0.0.2:80")
  }

  @Test("a request takes the latency of both ways") func latency() throws {
    let net = TestNetwork(properties: LinkProperties(latency: .milliseconds(50), jitter: .zero))
    let accepted = try net.listen()
    let own = try net.connect()
    net.run(0.099)
    #expect(own.events.isEmpty)
    net.run(0.001)
    #expect(own.events == [.connected] && accepted.ends.isEmpty)
    net.run(0.05)
    #expect(accepted.ends.count == 1)
  }

  @Test("connecting to a port without a listener fails at once", arguments: [false, true]) func refused(isBound: Bool)
    throws
  {
    let net = TestNetwork()
    if isBound { _ = try net.server.bind(host: .anyV4, port: 80) }
    let own = try net.connect()
    net.run(0.01)
    #expect(own.failure == .connectionRefused)
    #expect(own.events.count == 1)
    #expect(own.events.first == .failed(LoopError(.connectionRefused, "connecting to 10.0.0.2:80: connection refused")))
  }

  @Test("connecting to an unreachable host times out after 127 s", arguments: ["off", "cut", "down", "missing"])
  func silence(_ reason: String) throws {
    let net = TestNetwork()
    let accepted = try net.listen()
    if reason == "off" { net.b.powerOff() }
    if reason == "cut" { net.link.cut() }
    if reason == "down" { net.bInterface.setUp(false) }
    let own = try net.connect(to: reason == "missing" ? "10.0.0.9" : "10.0.0.2")
    net.run(126.99)
    #expect(own.events.isEmpty)
    net.run(0.02)
    #expect(own.failure == .timedOut)
    #expect(accepted.ends.isEmpty)
  }

  @Test("after a cut that ends in time, the next request succeeds") func healing() throws {
    let net = TestNetwork()
    _ = try net.listen()
    net.link.cut()
    let own = try net.connect()
    net.run(2.9)
    net.link.heal()
    #expect(own.events.isEmpty)
    net.run(0.2)
    #expect(own.events == [.connected])
  }

  @Test("without a route, the failure is reported in a separate action") func unreachable() throws {
    let net = TestNetwork()
    for host in ["192.168.9.9", "fd00::1"] {
      let own = try net.connect(to: host)
      #expect(own.events.isEmpty)
      net.run(0)
      #expect(own.failure == .networkUnreachable)
    }
    let own = try net.connect(to: "fe80::2")
    net.run(0)
    #expect(own.failure == .other(-22))
  }

  @Test("connecting to an invalid address fails without a trap") func hostile() throws {
    let net = TestNetwork()
    for (host, port): (String, UInt16) in [("10.0.0.2", 0), ("224.0.0.251", 80), ("ff02::fb", 80)] {
      let own = try net.connect(to: host, port: port)
      net.run(1)
      #expect(own.failure != nil)
      #expect(own.events.count == 1)
      own.connection.close()
      own.connection.close()
      own.connection.reset()
    }
    #expect(net.a.outgoingPorts.isEmpty && net.a.connections.isEmpty)
  }

  @Test("a host can connect to itself by any of its addresses", arguments: ["127.0.0.1", "10.0.0.1", "0.0.0.0", "::1"])
  func itself(_ host: String) throws {
    let net = TestNetwork()
    let accepted = try net.listen(net.client, host: "::")
    let own = try net.connect(to: host)
    try own.write("x")
    net.run(0.001)
    #expect(own.events == [.connected])
    try own.write("hello")
    net.run(0.001)
    #expect(accepted.ends.first?.text == "hello")
  }

  @Test("a link-local IPv6 address has the scope of each host's interface") func linkLocal() throws {
    let net = TestNetwork()
    let accepted = try net.listen(host: "::")
    let target = IPAddress(bytes: net.bInterface.addresses[1].address.bytes, scope: net.aInterface.index)!
    let own = End(try net.client.connect(to: SocketAddress(host: target, port: 80)))
    net.run(1)
    #expect(own.events == [.connected])
    #expect(own.connection.localAddress.host.scope == net.aInterface.index)
    #expect(accepted.ends.first?.connection.peerAddress.host.scope == 7)
  }

  @Test("binding to a port in use, another host's address or an unknown interface fails") func binding() throws {
    let net = TestNetwork()
    let first = try net.listen(port: 80)
    #expect(code { _ = try net.listen(port: 80) } == .addressInUse)
    #expect(code { _ = try net.listen(host: "10.0.0.2", port: 80) } == .addressInUse)
    #expect(code { _ = try net.listen(host: "::", port: 80) } == .addressInUse)
    #expect(code { _ = try net.listen(host: "10.0.0.77", port: 81) } == .addressNotAvailable)
    #expect(code { _ = try net.listen(interface: "wlan9", port: 81) } == .other(-19))
    first.listener.close()
    first.listener.close()
    _ = try net.listen(port: 80)
    _ = try net.listen(host: "10.0.0.2", port: 82)
    _ = try net.listen(host: "127.0.0.1", port: 82)
    let chosen = try net.listen(port: 0)
    #expect(chosen.listener.port >= 32_768)
  }

  @Test("two sockets may be bound to a port until one listens") func boundOnly() throws {
    let net = TestNetwork()
    let one = try net.server.bind(host: .anyV4, port: 80)
    let two = try net.server.bind(host: .anyV4, port: 80)
    try two.listen(backlog: 1) {}
    #expect(code { try one.listen(backlog: 1) {} } == .addressInUse)
    one.close()
    #expect(code { try one.listen(backlog: 1) {} } == .cancelled)
  }

  @Test("a listener bound to an interface accepts only its connections") func interfaces() throws {
    let net = TestNetwork()
    let other = net.network.addLink("other")
    _ = net.b.addInterface("eth1", addresses: [.init(try IPAddress("10.9.0.2"), prefixLength: 24)], link: other)
    _ = net.a.addInterface("eth1", addresses: [.init(try IPAddress("10.9.0.1"), prefixLength: 24)], link: other)
    _ = try net.listen(interface: "eth0")
    let good = try net.connect()
    let bad = try net.connect(to: "10.9.0.2")
    let local = try net.connect(net.server)
    net.run(1)
    #expect(good.events == [.connected])
    #expect(bad.failure == .connectionRefused)
    #expect(local.failure == .connectionRefused)
    _ = try net.listen(interface: "eth1")
  }

  @Test("a full backlog drops requests, which are repeated") func backlog() throws {
    let net = TestNetwork()
    let accepted = try net.listen(backlog: 1)
    accepted.listener.isAccepting = false
    let ends = try (0..<4).map { _ in try net.connect() }
    net.run(0.5)
    #expect(ends.filter { $0.events == [.connected] }.count == 2)
    #expect(accepted.listener.waitingCount == 2)
    accepted.listener.isAccepting = true
    net.run(5)
    #expect(ends.allSatisfy { $0.events == [.connected] })
    #expect(accepted.ends.count == 4)
  }

  @Test("at the limit of descriptors, connections wait") func descriptors() throws {
    let net = TestNetwork()
    net.server.descriptorLimit = 2
    let accepted = try net.listen()
    _ = try net.connect()
    _ = try net.connect()
    net.run(1)
    #expect(accepted.ends.count == 1)
    #expect(code { _ = try accepted.listener.accept() } == .tooManyOpenFiles)
    #expect(code { _ = try net.connect(net.server) } == .tooManyOpenFiles)
    #expect(code { _ = try net.server.openUDP(host: .anyV4, port: 5) { _ in } } == .tooManyOpenFiles)
    accepted.ends[0].connection.close()
    #expect(try accepted.listener.accept() != nil)
  }

  @Test("closing a listener resets waiting connections") func closingListener() throws {
    let net = TestNetwork()
    let accepted = try net.listen()
    accepted.listener.isAccepting = false
    let own = try net.connect()
    net.run(1)
    #expect(own.events == [.connected])
    accepted.listener.close()
    net.run(1)
    #expect(own.failure == .connectionReset)
    #expect(net.b.connections.isEmpty)
  }

  @Test("a connection that is closed while waiting is never accepted") func givingUp() throws {
    let net = TestNetwork()
    let accepted = try net.listen()
    let own = try net.connect()
    own.connection.close()
    net.run(100)
    #expect(own.events.isEmpty && accepted.ends.isEmpty)
    #expect(net.a.connections.isEmpty && net.b.connections.isEmpty && net.a.outgoingPorts.isEmpty)
    #expect(net.agenda.count == 0)
  }

  @Test("a client that loses power in the handshake frees its slot after 63 s") func halfOpen() throws {
    let net = TestNetwork(properties: LinkProperties(latency: .milliseconds(10), jitter: .zero))
    let accepted = try net.listen(backlog: 0)
    _ = try net.connect()
    net.run(0.015)
    net.a.powerOff()
    net.run(1)
    #expect(net.b.connections.count == 1 && accepted.listener.isFull)
    net.run(63)
    #expect(net.b.connections.isEmpty && !accepted.listener.isFull && accepted.ends.isEmpty)
  }
}
