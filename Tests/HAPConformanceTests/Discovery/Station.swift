#if os(Linux)
  import HAPDiscovery
  import HAPLoop
  import HAPWire
  import Testing
  import WorldTestSupport

  @testable import HAPTarget

  /// An mDNS responder on a loop, of the same kind as in `hapsim`.
  final class Station: @unchecked Sendable {  // confined to the loop's thread
    private let loop: EventLoop
    private var responder: EmbeddedResponder!
    private var advertiser: (any Advertiser)!

    convenience init(_ host: TestHost) throws { try self.init(on: host.makeLoop("station"), host.interface) }

    init(on loop: EventLoop, _ interface: String) throws {
      self.loop = loop
      try loop.performAndWait {
        self.responder = try EmbeddedResponder(self.loop, interfaces: [interface])
        self.advertiser = self.responder.makeAdvertiser()
      }
    }

    static func text(sf: Int) -> [(key: String, value: String)] {
      [("c#", "1"), ("id", "AA:BB:CC:DD:EE:FF"), ("md", "Door Ä"), ("s#", "1"), ("sf", "\(sf)"), ("ci", "4")]
    }

    /// The strings of `text(sf:)` on the wire.
    static func strings(sf: Int) -> [[UInt8]] { text(sf: sf).map { Array("\($0.key)=\($0.value)".utf8) } }

    /// - Returns: the responder's events; the stream never ends by itself.
    @discardableResult
    func publish(_ name: String, host: String) throws -> AsyncStream<AdvertisementEvent> {
      let (stream, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
      let record = ServiceRecord(name: name, port: 51826, txt: Self.text(sf: 1), host: host)
      try loop.performAndWait { self.advertiser.publish(record) { continuation.yield($0) } }
      return stream
    }

    func update(sf: Int) throws { try loop.performAndWait { self.advertiser.update(txt: Self.text(sf: sf)) } }
    func withdraw() throws { try loop.performAndWait { self.advertiser.withdraw() } }

    func close() throws {
      try loop.performAndWait {
        self.responder.close()
        self.responder = nil
        self.advertiser = nil
      }
      loop.stop()
    }
  }

  extension AsyncStream<AdvertisementEvent> {
    /// The name under which the service is established.
    func established() async -> String? {
      for await event in self { if case .established(let name) = event { return name } }
      return nil
    }
  }

  /// Runs `body` in a simulated world with an open observer, then closes the observer and its loop.
  func withObserver(_ body: @escaping @Sendable (TestHost, MDNSObserver) async throws -> Void) async throws {
    try await withTestHost { host in
      let loop = try host.makeLoop("observer")
      let observer = MDNSObserver(on: loop, interfaces: [host.interface])
      let absence = await observer.open()
      #expect(absence == nil)
      try await body(host, observer)
      await observer.close()
      loop.stop()
      #expect(loop.openHandleCount == 0)
    }
  }

  extension ObservedPacket {
    /// Whether the packet is a probe for the instance's name. RFC 6762 §8.1.
    func isProbe(for instance: DNSName) -> Bool {
      !isOwn && message.isProbe && message.questions.contains { $0.name == instance }
    }
  }

  func hap(_ label: String) -> DNSName { MDNSObserver.hapType.prefixed(by: Array(label.utf8)) }
#endif
