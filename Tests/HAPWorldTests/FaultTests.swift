import HAPLoop
import Testing

@testable import HAPWorld

@Suite("Faults of the simulated network") struct FaultTests {
  @Test("after a cut, bytes arrive with the next retransmission") func cut() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    net.link.cut()
    try own.write("through")
    net.run(20)
    #expect(other.bytes.isEmpty && own.failure == nil)
    net.link.heal()
    net.run(0.1)
    #expect(other.bytes.isEmpty)
    // The pauses are 0.2, 0.4, … 12.8 s; the next retransmission is at 25.4 s.
    net.run(5.4)
    #expect(other.text == "through")
    net.run(10)
    #expect(own.connection.unacknowledgedCount == 0 && net.agenda.count == 0)
  }

  @Test("bytes in transit at a cut are sent again, and arrive once") func cutInFlight() throws {
    let net = TestNetwork(properties: LinkProperties(latency: .milliseconds(50), jitter: .zero))
    let (own, other, _) = try net.pair()
    let all = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }
    try own.write(all)
    own.connection.finishWriting()
    net.run(0.02)
    net.link.cut()
    net.run(0.2)
    net.link.heal()
    net.run(2)
    #expect(other.bytes == all && other.events == [.end])
  }

  @Test("with a cut return path, bytes arrive once, and acknowledgements arrive later") func oneWayCut() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    net.link.cut(from: net.bInterface, to: net.aInterface)
    try own.write("once")
    net.run(5)
    #expect(other.text == "once" && own.connection.unacknowledgedCount == 4)
    net.link.heal(from: net.bInterface, to: net.aInterface)
    net.run(10)
    #expect(other.text == "once" && own.connection.unacknowledgedCount == 0)
  }

  @Test("a stall delays bytes, and they arrive at once when it ends") func stall() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    net.link.stall()
    try own.write("held")
    net.run(100)
    #expect(other.bytes.isEmpty && own.failure == nil)
    net.link.resume()
    net.run(0.01)
    #expect(other.text == "held")
  }

  @Test("a connection to a peer without power times out after 924.6 s") func powerLoss() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    net.b.powerOff()
    net.run(5000)
    #expect(own.failure == nil)
    try own.write("anyone?")
    net.run(924)
    #expect(own.failure == nil)
    net.run(1)
    #expect(own.failure == .timedOut)
    #expect(other.events.isEmpty)
    #expect(net.a.connections.isEmpty)
  }

  @Test("a host that returns without the connection answers with a reset") func powerBack() throws {
    let net = TestNetwork()
    let (own, _, _) = try net.pair()
    net.b.powerOff()
    net.run(5)
    net.b.start()
    net.run(5)
    #expect(own.failure == nil)
    try own.write("hello again")
    net.run(1)
    #expect(own.failure == .connectionReset)
    #expect(net.b.startProcess("new") != nil)
  }

  @Test("another host with the peer's address answers with a reset") func takenAddress() throws {
    let net = TestNetwork()
    let (own, _, _) = try net.pair()
    net.bInterface.setAddresses([])
    let third = net.network.addHost("c")
    _ = third.addInterface("eth0", addresses: TestNetwork.addresses(2), link: net.link)
    try own.write("who is there?")
    net.run(1)
    #expect(own.failure == .connectionReset)
  }

  @Test("a connection on a removed address is silent until it times out") func addressChange() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    net.bInterface.setAddresses(TestNetwork.addresses(3))
    try own.write("a")
    try other.write("b")
    net.run(900)
    #expect(own.bytes.isEmpty && other.bytes.isEmpty && own.failure == nil && other.failure == nil)
    net.run(100)
    #expect(own.failure == .timedOut && other.failure == .timedOut)
    _ = try net.listen(port: 81)
    let new = try net.connect(to: "10.0.0.3", port: 81)
    net.run(1)
    #expect(new.events == [.connected])
  }

  @Test("keep-alive reports a silent peer 30 s after the first probe") func keepAlive() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    own.connection.keepAlive(after: .seconds(60))
    net.run(3600)
    #expect(own.failure == nil)
    try other.write("sign of life")
    net.run(1)
    net.b.powerOff()
    net.run(88)
    #expect(own.failure == nil)
    net.run(2)
    #expect(own.failure == .timedOut)
  }

  @Test("a cut that ends between two keep-alive probes has no effect") func keepAliveHealed() throws {
    let net = TestNetwork()
    let (own, _, _) = try net.pair()
    own.connection.keepAlive(after: .seconds(1))
    for _ in 0..<20 {
      net.link.cut()
      net.run(25)
      net.link.heal()
      net.run(25)
    }
    #expect(own.failure == nil)
  }

  @Test("a restarted host answers a keep-alive probe with a reset") func keepAliveReset() throws {
    let net = TestNetwork()
    let (own, _, _) = try net.pair()
    own.connection.keepAlive(after: .zero)
    net.b.powerOff()
    net.b.start()
    net.run(2)
    #expect(own.failure == .connectionReset)
  }

  @Test("the kernel of a killed process sends FIN, or a reset if bytes were unread", arguments: [false, true])
  func kill(isUnread: Bool) throws {
    let net = TestNetwork()
    let (own, other, accepted) = try net.pair(reading: false)
    try other.write("written before")
    if isUnread { try own.write("unread") }
    net.run(1)
    net.server.kill()
    net.server.kill()
    net.run(1)
    #expect(own.text == "written before")
    #expect(own.events.last == .end || isUnread)
    #expect(own.failure == (isUnread ? .connectionReset : nil))
    #expect(accepted.listener.isClosed && !net.server.isAlive && net.b.tcpPorts.isEmpty)
    #expect(code { _ = try net.connect(net.server) } == .cancelled)
    let next = try net.connect()
    net.run(1)
    #expect(next.failure == .connectionRefused)
  }

  @Test("a shutdown ends all connections before the host is off") func shutdown() throws {
    let net = TestNetwork()
    let (own, _, _) = try net.pair()
    net.b.shutDown()
    net.b.shutDown()
    net.run(1)
    #expect(own.events == [.connected, .end] && !net.b.isOn)
    #expect(net.b.startProcess("x") == nil)
    net.b.start()
    #expect(net.b.isOn && net.b.startProcess("x") != nil)
  }

  @Test("the kernel of a frozen process acknowledges until the buffer is full, and the process gets all bytes later")
  func freeze() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    net.server.freeze()
    var fired: [Double] = []
    net.server.schedule(after: 1_000_000_000) { fired.append(net.now) }
    let cancelled = net.server.schedule(after: 1_000_000_000) { fired.append(-1) }
    var taken = 0
    for _ in 0..<50 {
      taken += try own.write([UInt8](repeating: 1, count: 10_000))
      net.run(1)
    }
    #expect(taken == 262_144 && other.bytes.isEmpty && own.failure == nil && fired.isEmpty)
    net.server.cancel(try #require(cancelled))
    net.server.thaw()
    #expect(other.bytes.isEmpty)
    net.run(1)
    #expect(other.bytes.count == taken)
    #expect(fired.count == 1 && fired[0] >= 51)
  }

  @Test("a closed connection ends if its peer never reads") func orphan() throws {
    let net = TestNetwork()
    let (own, _, _) = try net.pair(reading: false)
    for _ in 0..<30 {
      try own.write([UInt8](repeating: 1, count: 10_000))
      net.run(1)
    }
    own.connection.close()
    net.run(300)
    #expect(net.a.connections.isEmpty)
  }

  @Test("several interface changes at one time are reported to each process once") func interfaceChanges() throws {
    let net = TestNetwork()
    var count = 0
    net.server.onInterfacesChanged = { count += 1 }
    net.bInterface.setUp(false)
    net.bInterface.setUp(true)
    net.bInterface.setAddresses(TestNetwork.addresses(4))
    #expect(count == 0)
    net.run(0)
    #expect(count == 1)
    net.bInterface.setUp(true)
    net.run(1)
    #expect(count == 1)
    net.server.freeze()
    net.bInterface.setUp(false)
    net.run(1)
    #expect(count == 1)
    net.server.thaw()
    net.run(1)
    #expect(count == 2)
  }

  @Test("after an interface was down, bytes arrive with a retransmission") func interfaceDown() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    net.bInterface.setUp(false)
    try own.write("later")
    net.run(1)
    net.bInterface.setUp(true)
    net.run(1)
    #expect(other.text == "later")
    net.bInterface.attach(to: nil)
    try own.write(" and later")
    net.run(1)
    net.bInterface.attach(to: net.link)
    net.run(2)
    #expect(other.text == "later and later")
  }
}
