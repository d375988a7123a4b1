#if os(Linux)
  import HAPLoop
  import Testing
  import WorldTestSupport

  @testable import HAPDiscovery

  /// A browser on a loop, its events, and a responder on the same loop.
  private final class Lookout: @unchecked Sendable {  // confined to the world's thread
    private let loop: EventLoop
    private var browser: ServiceBrowser!
    private var responder: EmbeddedResponder!
    private var advertisers: [String: any Advertiser] = [:]
    private var events: [BrowserEvent] = []
    private var requests: [(condition: ([BrowserEvent]) -> Bool, done: ([BrowserEvent]) -> Void)] = []

    init(_ host: TestHost, interfaces: [String]? = nil) throws {
      let interfaces = interfaces ?? [host.interface]
      loop = try host.makeLoop("lookout")
      try loop.performAndWait {
        self.browser = try BackEnd.browse(.embedded, on: self.loop, interfaces: interfaces) { event in
          self.events.append(event)
          self.look()
        }.browser
        self.responder = try EmbeddedResponder(self.loop, interfaces: interfaces)
      }
    }

    func publish(_ name: String, port: UInt16 = 51826, addresses: [IPAddress] = []) throws {
      try loop.performAndWait {
        let advertiser = self.advertisers[name] ?? self.responder.makeAdvertiser()
        self.advertisers[name] = advertiser
        let record = ServiceRecord(
          name: name, port: port, txt: [("c#", "1"), ("sf", "1")],
          host: "found-\(name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) })-\(port)", addresses: addresses)
        advertiser.publish(record) { _ in }
      }
    }

    func with(_ name: String, _ body: @escaping @Sendable (any Advertiser) -> Void) throws {
      try loop.performAndWait { self.advertisers[name].map(body) }
    }

    /// Waits until `condition` holds for the list of all events.
    @discardableResult
    func told(_ condition: @escaping @Sendable ([BrowserEvent]) -> Bool) async -> [BrowserEvent] {
      await withCheckedContinuation { continuation in
        loop.schedule {
          self.requests.append((condition, { continuation.resume(returning: $0) }))
          self.look()
        }
      }
    }

    /// Waits until `condition` holds for the last event of a service.
    @discardableResult
    func seen(_ name: String, _ condition: @escaping @Sendable (DiscoveredService) -> Bool = { _ in true }) async
      -> DiscoveredService?
    {
      await told { last(name, of: $0).map(condition) == true }.reversed().lazy.compactMap { service($0, name) }.first
    }

    func gone(_ name: String) async { await told { $0.last { concerns($0, name) } == .gone(name: name) } }

    private func look() {
      let events = events
      let fulfilled = requests.filter { $0.condition(events) }
      requests.removeAll { $0.condition(events) }
      for request in fulfilled { request.done(events) }
    }

    /// Closes the browser, the responder and the loop, and checks that no handle is left.
    func close() throws {
      try loop.performAndWait {
        self.browser.close()
        self.browser.close()
        self.browser = nil
        self.responder.close()
        self.responder = nil
        self.advertisers = [:]
      }
      loop.stop()
      #expect(loop.openHandleCount == 0)
    }
  }

  private func service(_ event: BrowserEvent, _ name: String) -> DiscoveredService? {
    switch event {
    case .appeared(let service), .changed(let service): service.name == name ? service : nil
    case .gone, .trouble: nil
    }
  }

  private func concerns(_ event: BrowserEvent, _ name: String) -> Bool {
    service(event, name) != nil || event == .gone(name: name)
  }

  /// `nil` if the service is gone.
  private func last(_ name: String, of events: [BrowserEvent]) -> DiscoveredService? {
    events.last { concerns($0, name) }.flatMap { service($0, name) }
  }

  extension ResponderTests {
    @Suite struct ServiceBrowserTests {
      @Test("A service appears with all its data, changes with its TXT record, and disappears with its goodbye")
      func life() async throws {
        try await withTestHost { host in
          let lookout = try Lookout(host)
          try lookout.publish("Life", port: 1234)
          let found = try #require(await lookout.seen("Life"))
          #expect(found.port == 1234 && found.host.hasPrefix("found-") && found.host.hasSuffix(".local"))
          #expect(found.txt == [Array("c#=1".utf8), Array("sf=1".utf8)])
          #expect(found.addresses.contains(SocketAddress(host: .loopbackV4, port: 1234)))
          #expect(found.interface == host.interfaceIndex)
          try lookout.with("Life") { $0.update(txt: [("sf", "0")]) }
          await lookout.seen("Life") { $0.txt == [Array("sf=0".utf8)] }
          try lookout.with("Life") { $0.withdraw() }
          await lookout.gone("Life")
          let events = await lookout.told { _ in true }.filter { concerns($0, "Life") }
          if case .appeared? = events.first {} else { Issue.record("\(events)") }
          try lookout.close()
        }
      }

      @Test(
        "A service announced earlier is found, and a name can be any text",
        arguments: ["a.b c\\", "Küche #2", "Lamp._hap._tcp.local", "\\032"])
      func names(_ name: String) async throws {
        try await withTestHost { host in
          let station = try Lookout(host)
          try station.publish(name)
          await station.seen(name)
          let lookout = try Lookout(host)
          await lookout.seen(name)
          try lookout.close()
          try station.close()
        }
      }

      @Test("An event has all addresses of a host")
      func addresses() async throws {
        try await withTestHost { host in
          let lookout = try Lookout(host)
          let wanted = try ["127.0.0.1", "127.0.0.2", "fd00::7"].map { try IPAddress($0) }
          try lookout.publish("Many addresses", port: 7, addresses: wanted)
          await lookout.seen("Many addresses") { $0.addresses == wanted.map { SocketAddress(host: $0, port: 7) } }
          try lookout.close()
        }
      }

      @Test("A service that returns with another port is reported with that port")
      func moved() async throws {
        try await withTestHost { host in
          let lookout = try Lookout(host)
          try lookout.publish("Moving", port: 1001)
          await lookout.seen("Moving") { $0.port == 1001 }
          try lookout.publish("Moving", port: 1002)
          await lookout.seen("Moving") { $0.port == 1002 }
          try lookout.close()
        }
      }

      @Test("Thirty services appear, and disappear when their responder closes")
      func many() async throws {
        try await withTestHost { host in
          let lookout = try Lookout(host)
          let station = try Lookout(host)
          for number in 0..<30 { try station.publish("Crowd \(number)", port: UInt16(2000 + number)) }
          for number in 0..<30 { await lookout.seen("Crowd \(number)") { $0.port == 2000 + number } }
          try station.close()
          for number in 0..<30 { await lookout.gone("Crowd \(number)") }
          try lookout.close()
        }
      }

      @Test("The browser may be closed inside an event; no further event follows")
      func closeInEvent() async throws {
        try await withTestHost { host in
          let station = try Lookout(host)
          for number in 0..<5 {
            try station.publish("Closing \(number)")
            await station.seen("Closing \(number)")
          }
          let loop = try host.makeLoop("closing")
          let handles: Int = await withCheckedContinuation { continuation in
            loop.schedule {
              var browser: ServiceBrowser?
              var isClosed = false
              browser = try! BackEnd.browse(.embedded, on: loop, interfaces: [host.interface]) { _ in
                #expect(!isClosed, "an event after the end")
                isClosed = true
                browser?.close()
                browser?.close()
                browser = nil
                let timer = LoopTimer(loop)
                timer.onFire = {
                  timer.close()
                  continuation.resume(returning: loop.openHandleCount)
                }
                timer.start(after: .milliseconds(20))
              }.browser
            }
          }
          #expect(handles == 1)
          loop.stop()
          try station.close()
        }
      }

      @Test("Opening and closing repeatedly leaves no handles")
      func again() async throws {
        try await withTestHost { host in
          for _ in 0..<50 { try Lookout(host).close() }
        }
      }

      @Test("Malformed packets are ignored, and a valid service is still found")
      func hostile() async throws {
        try await withTestHost { host in
          let lookout = try Lookout(host)
          let stranger = try Stranger(host)
          for packet in Stranger.packets { try stranger.send(packet) }
          try stranger.send(
            Stranger.packet(name: "Good".utf8.map { $0 }, host: [Array("good".utf8), Array("local".utf8)]))
          try lookout.publish("Ours")
          await lookout.seen("Ours")
          await lookout.seen("Good") { $0.port == 80 && $0.txt == [Array("sf=1".utf8)] }
          try stranger.close()
          try lookout.close()
        }
      }

      @Test("On a machine with only loopback, the search reports why it finds nothing")
      func noNetwork() async throws {
        try await withTestHost { host in
          let lookout = try Lookout(host, interfaces: [])
          await lookout.told { $0 == [.trouble("no network interface is up that can multicast")] }
          try lookout.close()
        }
      }
    }
  }

  @Suite struct ServiceBrowserOpeningTests {
    @Test("An unknown interface is refused by name") func noSuchInterface() async throws {
      try await withTestHost { host in
        let loop = try host.makeLoop("refused")
        #expect(throws: LoopError.self) {
          try loop.performAndWait { _ = try BackEnd.browse(on: loop, interfaces: ["eth99"]) { _ in } }
        }
        loop.stop()
        #expect(loop.openHandleCount == 0)
      }
    }
  }

  /// Another program on the test's host, which sends raw bytes from port 5353. Answers from other ports are ignored.
  private final class Stranger: @unchecked Sendable {  // confined to the world's thread
    private let loop: EventLoop
    private var socket: UDPSocket!

    init(_ host: TestHost) throws {
      loop = try host.makeLoop("stranger")
      try loop.performAndWait {
        self.socket = try UDPSocket(self.loop, host: .anyV4, port: MDNSSockets.port, sharing: true) { _ in }
        try self.socket.multicast(on: host.interfaceIndex, source: .loopbackV4)
        self.socket.setHops(255)
      }
    }

    func send(_ packet: [UInt8]) throws {
      let group = SocketAddress(host: MDNSSockets.groups[0], port: MDNSSockets.port)
      try loop.performAndWait { try self.socket.send(packet, to: group) }
    }

    func close() throws {
      try loop.performAndWait { self.socket.close() }
      loop.stop()
    }

    /// An answer with PTR, SRV, TXT and A of a service.
    static func packet(
      name: [UInt8], host: [[UInt8]], srv: [UInt8]? = nil, txt: [UInt8] = [4] + Array("sf=1".utf8),
      address: [UInt8] = [127, 0, 0, 1]
    ) -> [UInt8] {
      func wire(_ labels: [[UInt8]]) -> [UInt8] { labels.flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 } + [0] }
      let type = [Array("_hap".utf8), Array("_tcp".utf8), Array("local".utf8)]
      func record(_ owner: [UInt8], _ kind: UInt8, _ data: [UInt8]) -> [UInt8] {
        owner + [0, kind, 0, 1, 0, 0, 0, 120, UInt8(data.count >> 8 & 0xFF), UInt8(data.count & 0xFF)] + data
      }
      let service = wire([name] + type)
      return [0, 0, 0x84, 0, 0, 0, 0, 4, 0, 0, 0, 0] + record(wire(type), 12, service)
        + record(service, 33, srv ?? [0, 0, 0, 0, 0, 80] + wire(host)) + record(service, 16, txt)
        + record(wire(host), 1, address)
    }

    static var packets: [[UInt8]] {
      let local = Array("local".utf8)
      let bad: [[UInt8]] = [
        packet(name: [0xFF, 0xFE], host: [[1], local]), packet(name: [0], host: [[0], local]),
        packet(name: [10, 27, 91], host: [Array("a b.c".utf8), local]), packet(name: [], host: []),
        packet(name: Array(repeating: 0xC3, count: 63), host: [Array(repeating: 0xC3, count: 63), local]),
        packet(
          name: Array("Longest host".utf8),
          host: [63, 63, 63, 55].map { Array(repeating: 0xC3, count: $0) } + [local]),
        packet(name: Array("No host".utf8), host: []), packet(name: Array("Not local".utf8), host: [Array("com".utf8)]),
        packet(name: Array("Spaces".utf8), host: [[32], [46], local]),
        packet(name: Array("Short".utf8), host: [[65], local], srv: [0, 0, 0]),
        packet(name: Array("Pointer".utf8), host: [[65], local], srv: [0, 0, 0, 0, 0, 80, 0xC0, 0xFF]),
        packet(name: Array("Text".utf8), host: [[65], local], txt: [255, 1, 2]),
        packet(name: Array("No text".utf8), host: [[65], local], txt: []),
        packet(name: Array("Long text".utf8), host: [[65], local], txt: Array(repeating: 0, count: 1000)),
        packet(name: Array("Address".utf8), host: [[65], local], address: [1, 2, 3]),
      ]
      let good = packet(name: Array("Cut".utf8), host: [[66], local])
      return bad + (0..<good.count).map { Array(good.prefix($0)) }
    }
  }
#endif
