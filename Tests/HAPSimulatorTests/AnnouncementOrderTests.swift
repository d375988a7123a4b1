#if os(Linux)
  import HAPDiscovery
  import HAPLoop
  import HAPWire
  import Testing
  import WorldTestSupport

  @testable import HAPFrontEnds

  private let type = DNSName("_hap._tcp.local")!
  private let hostName = DNSName("order-host.local")!
  private let instance = type.prefixed(by: Array("Order".utf8))

  private let record = ServiceRecord(
    name: "Order", port: 1234, txt: [("c#", "1"), ("sf", "1")], host: "order-host")

  /// The mDNS responders that announce accessories themselves.
  enum OwnResponder: CaseIterable, Sendable { case embedded, deviant }

  /// A responder on a loop.
  private final class Station: @unchecked Sendable {  // confined to the world's thread
    private let loop: EventLoop
    private var responder: EmbeddedResponder?
    private var advertiser: (any Advertiser)!

    init(_ host: TestHost, _ kind: OwnResponder) throws {
      loop = try host.makeLoop("order")
      try loop.performAndWait {
        switch kind {
        case .embedded:
          let responder = try EmbeddedResponder(self.loop, interfaces: [host.interface])
          self.responder = responder
          self.advertiser = responder.makeAdvertiser()
        case .deviant: self.advertiser = DeviantAdvertiser(self.loop, on: InterfaceChoice([host.interface]))
        }
      }
    }

    func publish() throws -> AsyncStream<AdvertisementEvent> {
      let (stream, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
      try loop.performAndWait { self.advertiser.publish(record) { continuation.yield($0) } }
      return stream
    }

    func close() throws {
      try loop.performAndWait {
        self.advertiser.close()
        self.responder?.close()
      }
      loop.stop()
    }
  }

  extension DNSMessage {
    fileprivate func has(_ name: DNSName, _ type: UInt16) -> Bool {
      isResponse && records.contains { $0.name == name && $0.type == type && !$0.isGoodbye }
    }

    /// Whether the packet announces the service.
    fileprivate var hasPointer: Bool {
      isResponse && records.contains { $0.name == type && $0.data == .pointer(instance) && !$0.isGoodbye }
    }
  }

  @Suite("The order of announcements, in a simulated world") struct AnnouncementOrderTests {
    @Test(
      "[AD.37] The PTR record comes after or with the addresses, and with SRV and TXT, even if it is requested early",
      arguments: OwnResponder.allCases)
    func order(kind: OwnResponder) async throws {
      try await withTestHost { host in
        let neighbour = try Neighbour(host)
        let station = try Station(host, kind)
        _ = try station.publish()
        let probe = await neighbour.first {
          $0.message.isProbe && $0.message.questions.contains { $0.name == instance }
        }
        #expect(probe != nil)
        try neighbour.send(DNSMessage(questions: [DNSQuestion(type, DNSType.ptr)]))
        let first = try #require(await neighbour.first { $0.message.hasPointer })
        #expect(first.message.has(instance, DNSType.srv) && first.message.has(instance, DNSType.txt))
        let heard = try neighbour.packets().map(\.message)
        let place = try #require(heard.firstIndex { $0.hasPointer })
        #expect(heard[...place].contains { $0.has(hostName, DNSType.a) })
        #expect(!heard[..<place].contains { $0.has(instance, DNSType.srv) || $0.has(instance, DNSType.txt) })
        try station.close()
        try neighbour.close()
      }
    }

    @Test(
      "[AD.38] The answer to a question for the type has SRV, TXT and the addresses", arguments: OwnResponder.allCases)
    func additionals(kind: OwnResponder) async throws {
      try await withTestHost { host in
        let neighbour = try Neighbour(host)
        let station = try Station(host, kind)
        for await event in try station.publish() where event == .established("Order") { break }
        // From another port, because only such an answer doesn't depend on recent announcements (RFC 6762 §6).
        let mark = try neighbour.sendFromElsewhere(DNSMessage(questions: [DNSQuestion(type, DNSType.ptr)]))
        let answer = try #require(
          await neighbour.first(after: mark) { $0.isDirect && $0.message.hasPointer })
        for wanted in [DNSType.srv, DNSType.txt] { #expect(answer.message.has(instance, wanted)) }
        #expect(answer.message.has(hostName, DNSType.a))
        try station.close()
        try neighbour.close()
      }
    }
  }
#endif
