import HAPLoop
import Testing

@testable import HAPWorld

@Suite("Datagrams of the simulated network") struct DatagramTests {
  static let group = try! IPAddress("224.0.0.251")
  static let group6 = try! IPAddress("ff02::fb")

  /// A socket and all its received datagrams.
  final class Box {
    var socket: SimulatedUDPSocket!
    var came: [SimulatedDatagram] = []
    var texts: [String] { came.map { String(decoding: $0.bytes, as: UTF8.self) } }
  }

  func open(_ process: SimulatedProcess, host: String = "0.0.0.0", port: UInt16 = 5353, sharing: Bool = false) throws
    -> Box
  {
    let box = Box()
    box.socket = try process.openUDP(host: IPAddress(host), port: port, sharing: sharing) { socket in
      while let datagram = socket.receive() { box.came.append(datagram) }
    }
    return box
  }

  func send(_ box: Box, _ text: String, _ host: String, _ port: UInt16 = 5353) throws {
    try box.socket.send(Array(text.utf8), to: place(host, port))
  }

  @Test("a datagram arrives with its source, destination, interface and hop limit") func unicast() throws {
    let net = TestNetwork()
    let own = try open(net.client, port: 0)
    let other = try open(net.server)
    try send(own, "hello", "10.0.0.2")
    #expect(other.came.isEmpty)
    net.run(1)
    let datagram = try #require(other.came.first)
    #expect(other.texts == ["hello"])
    #expect(datagram.source.description == "10.0.0.1:\(own.socket.address.port)")
    #expect(datagram.destination.description == "10.0.0.2" && datagram.interface == 7 && datagram.hopLimit == 64)
    try other.socket.send([1], to: datagram.source)
    net.run(1)
    #expect(own.came.count == 1)
  }

  @Test("a datagram to a group reaches its members, and the sender's sockets", arguments: [true, false])
  func multicast(isV4: Bool) throws {
    let net = TestNetwork()
    let group = isV4 ? Self.group : Self.group6
    let any = isV4 ? "0.0.0.0" : "::"
    let own = try open(net.client, host: any, sharing: true)
    let neighbour = try open(net.a.startProcess("neighbour")!, host: any, sharing: true)
    let other = try open(net.server, host: any, sharing: true)
    let bystander = try open(net.server, host: any, sharing: true)
    let stranger = try open(net.b.startProcess("stranger")!, host: any, port: 5354)
    for box in [own, neighbour] { try box.socket.join(group, on: 2) }
    try own.socket.multicast(on: 2)
    own.socket.setHops(255)
    try send(own, "1", group.description)
    net.run(1)
    #expect(own.texts == ["1"] && neighbour.texts == ["1"] && other.came.isEmpty && stranger.came.isEmpty)
    try other.socket.join(group, on: 7)
    try stranger.socket.join(group, on: 7)
    try send(own, "2", group.description)
    net.run(1)
    let datagram = try #require(other.came.first)
    #expect(other.texts == ["2"] && stranger.came.isEmpty && bystander.came.isEmpty)
    #expect(datagram.destination == group && datagram.interface == 7 && datagram.hopLimit == 255)
    #expect(datagram.source.host.scope == (isV4 ? 0 : 7))
    #expect(own.came.last?.source.host.scope == (isV4 ? 0 : 2) && own.came.last?.interface == 2)
    neighbour.socket.close()
    own.socket.loopsBack = false
    other.socket.close()
    try send(own, "3", group.description)
    net.run(1)
    #expect(own.texts == ["1", "2"] && neighbour.came.count == 2 && other.came.count == 1)
    #expect(net.link.groups[group]?.count == 2)
  }

  @Test("with a hop limit of 0, a datagram to a group reaches only the sender's host") func noHops() throws {
    let net = TestNetwork()
    let own = try open(net.client)
    let other = try open(net.server)
    try own.socket.join(Self.group, on: 2)
    try other.socket.join(Self.group, on: 7)
    own.socket.setHops(0)
    try send(own, "x", "224.0.0.251")
    net.run(1)
    #expect(own.texts == ["x"] && other.came.isEmpty)
  }

  @Test("a datagram to a group on the loopback interface stays on the host") func loopbackGroup() throws {
    let net = TestNetwork()
    let own = try open(net.client)
    try own.socket.join(Self.group, on: 1)
    try own.socket.multicast(on: 1, source: .loopbackV4)
    try send(own, "x", "224.0.0.251")
    net.run(1)
    #expect(own.texts == ["x"] && own.came[0].source.host == .loopbackV4 && own.came[0].interface == 1)
  }

  @Test("an interface that moves to another link keeps its memberships") func moving() throws {
    let net = TestNetwork()
    let own = try open(net.client)
    let other = try open(net.server)
    try own.socket.join(Self.group, on: 2)
    let second = net.network.addLink("second")
    net.aInterface.attach(to: second)
    try send(other, "lost", "224.0.0.251")
    net.run(1)
    net.bInterface.attach(to: second)
    try send(other, "heard", "224.0.0.251")
    net.run(1)
    #expect(own.texts == ["heard"] && net.link.groups.values.allSatisfy { $0.isEmpty })
  }

  @Test("sockets share a port only if all allow it") func sharing() throws {
    let net = TestNetwork()
    let one = try open(net.server, sharing: true)
    #expect(code { _ = try open(net.server) } == .addressInUse)
    let two = try open(net.server, sharing: true)
    let exact = try open(net.server, host: "10.0.0.2", sharing: true)
    let v6 = try open(net.server, host: "::")
    let own = try open(net.client)
    for _ in 0..<5 { try send(own, "x", "10.0.0.2") }
    net.run(1)
    #expect(exact.came.count == 5 && one.came.isEmpty && two.came.isEmpty && v6.came.isEmpty)
    exact.socket.close()
    for _ in 0..<5 { try send(own, "x", "10.0.0.2") }
    net.run(1)
    #expect(one.came.count + two.came.count == 5 && (one.came.isEmpty || two.came.isEmpty))
    #expect(code { _ = try open(net.server, host: "10.0.0.9", port: 1) } == .addressNotAvailable)
  }

  @Test("a full queue drops and counts datagrams, and accepts again after reading") func fullQueue() throws {
    let net = TestNetwork()
    let own = try open(net.client)
    let other = try open(net.server)
    other.socket.setReceiveBuffer(5000)
    other.socket.isReading = false
    for _ in 0..<20 { try own.socket.send([UInt8](repeating: 0, count: 232), to: place("10.0.0.2", 5353)) }
    net.run(1)
    #expect(other.socket.droppedCount == 10)
    other.socket.isReading = true
    net.run(1)
    #expect(other.came.count == 10 && other.came.allSatisfy { $0.droppedBefore == 0 })
    try send(own, "next", "10.0.0.2")
    net.run(1)
    #expect(other.came.last?.droppedBefore == 10)
  }

  @Test("datagrams can be lost, duplicated and reordered") func faults() throws {
    func sent(_ properties: LinkProperties) throws -> [UInt8] {
      let net = TestNetwork(properties: properties)
      let own = try open(net.client)
      let other = try open(net.server)
      for number: UInt8 in 0..<200 {
        try own.socket.send([number], to: place("10.0.0.2", 5353))
        net.run(0.002)
      }
      net.run(1)
      return other.came.map { $0.bytes[0] }
    }
    #expect(try sent(LinkProperties()) == Array(0..<200))
    let lossy = try sent(LinkProperties(loss: 0.5))
    #expect((70...130).contains(lossy.count) && lossy == lossy.sorted())
    #expect(try sent(LinkProperties(loss: 1)).isEmpty)
    let doubled = try sent(LinkProperties(duplication: 0.5))
    #expect((270...330).contains(doubled.count) && Set(doubled).count == 200)
    let reordered = try sent(LinkProperties(reordering: 0.3))
    #expect(reordered.count == 200 && reordered != reordered.sorted() && Set(reordered).count == 200)
  }

  @Test("the queue of a slow link is bounded") func slowLink() throws {
    let net = TestNetwork(properties: LinkProperties(bandwidth: 10_000))
    let own = try open(net.client)
    let other = try open(net.server)
    for _ in 0..<100 { try own.socket.send([UInt8](repeating: 0, count: 958), to: place("10.0.0.2", 5353)) }
    net.run(10)
    #expect((10...12).contains(other.came.count))
  }

  @Test("a datagram to an unreachable address is lost without an error") func lost() throws {
    let net = TestNetwork()
    let own = try open(net.client)
    let other = try open(net.server)
    net.link.cut()
    try send(own, "a", "10.0.0.2")
    net.link.heal()
    net.link.stall()
    try send(own, "b", "10.0.0.2")
    net.link.resume()
    try send(own, "c", "10.0.0.2")
    net.link.cut()
    net.run(1)
    net.link.heal()
    net.bInterface.setUp(false)
    try send(own, "d", "10.0.0.2")
    net.bInterface.setUp(true)
    try send(own, "e", "10.0.0.99")
    try send(own, "f", "10.0.0.2", 99)
    net.run(1)
    #expect(other.came.isEmpty)
    net.b.powerOff()
    #expect(other.socket.isClosed && net.b.udpPorts.isEmpty)
    try send(own, "g", "10.0.0.2")
    net.run(1)
    #expect(other.came.isEmpty)
  }

  @Test("an invalid send or join throws") func wrong() throws {
    let net = TestNetwork()
    let own = try open(net.client)
    #expect(code { try send(own, "x", "10.0.0.2", 0) } == .other(-22))
    #expect(code { try send(own, "x", "192.168.7.7") } == .networkUnreachable)
    #expect(code { try send(own, "x", "::1") } == .networkUnreachable)
    let long = [UInt8](repeating: 0, count: 65_508)
    #expect(code { try own.socket.send(long, to: place("10.0.0.2", 1)) } == .other(-90))
    #expect(code { try own.socket.join(try IPAddress("10.0.0.2"), on: 2) } == .other(-22))
    #expect(code { try own.socket.join(Self.group6, on: 2) } == .other(-22))
    #expect(code { try own.socket.join(Self.group, on: 99) } == .other(-19))
    try own.socket.join(Self.group, on: 2)
    #expect(code { try own.socket.join(Self.group, on: 2) } == .addressInUse)
    for number in 1..<20 { try own.socket.join(IPAddress(bytes: [224, 1, 1, UInt8(number)])!, on: 2) }
    #expect(code { try own.socket.join(IPAddress(bytes: [224, 1, 1, 99])!, on: 2) } == .other(-105))
    #expect(code { try own.socket.multicast(on: 44) } == .other(-19))
    net.aInterface.setUp(false)
    #expect(code { try send(own, "x", "224.0.0.251") } == .networkUnreachable)
    own.socket.close()
    own.socket.close()
    #expect(code { try send(own, "x", "10.0.0.2") } == .cancelled)
    #expect(own.socket.receive() == nil)
    #expect(code { try own.socket.join(Self.group, on: 2) } == .cancelled)
  }
}
