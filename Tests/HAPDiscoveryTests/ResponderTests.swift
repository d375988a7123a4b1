#if os(Linux)
  import HAPLoop
  import Testing
  import WorldTestSupport

  @testable import HAPDiscovery

  /// A responder on a loop, and its events.
  private final class Station: @unchecked Sendable {  // confined to the world's thread
    private let loop: EventLoop
    private(set) var responder: EmbeddedResponder!
    private var advertisers: [any Advertiser] = []

    init(_ host: TestHost, interfaces: [String]) throws {
      loop = try host.makeLoop("station")
      do {
        try loop.performAndWait { self.responder = try EmbeddedResponder(self.loop, interfaces: interfaces) }
      } catch {
        loop.stop()
        throw error
      }
    }

    /// - Returns: the events of the record; the stream never ends by itself.
    func publish(_ record: ServiceRecord) throws -> AsyncStream<AdvertisementEvent> {
      let (stream, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
      try loop.performAndWait {
        let advertiser = self.responder.makeAdvertiser()
        self.advertisers.append(advertiser)
        advertiser.publish(record) { continuation.yield($0) }
      }
      return stream
    }

    func with(_ index: Int = 0, _ body: @escaping @Sendable (any Advertiser) -> Void) throws {
      try loop.performAndWait { body(self.advertisers[index]) }
    }

    /// Closes the responder and the loop, and checks that no handle is left.
    func close() throws {
      try loop.performAndWait {
        self.responder.close()
        self.responder.close()
        self.responder = nil
        self.advertisers = []
      }
      loop.stop()
      #expect(loop.openHandleCount == 0)
    }
  }

  /// Confined to the world's thread.
  private final class Opened: @unchecked Sendable {
    weak var responder: EmbeddedResponder?
  }

  private let allKeys: [(key: String, value: String)] = [
    ("c#", "1"), ("ff", "0"), ("id", "AA:BB:CC:DD:EE:FF"), ("md", "Door Ä"), ("pv", "1.1"), ("s#", "1"), ("sf", "1"),
    ("ci", "4"), ("sh", "o3ZGTQ=="),
  ]

  private func record(_ name: String, host: String? = nil, port: UInt16 = 51826) -> ServiceRecord {
    ServiceRecord(
      name: name, port: port, txt: allKeys,
      host: host ?? "test-\(name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) })-\(port)")
  }

  extension AsyncStream<AdvertisementEvent> {
    /// The events up to the first `established` or `failed`, without those of addresses and of the self-check.
    fileprivate func upToOutcome() async -> [AdvertisementEvent] {
      var seen: [AdvertisementEvent] = []
      for await event in self {
        switch event {
        case .renamed: seen.append(event)
        case .established, .failed: return seen + [event]
        case .addresses, .seen, .unseen: break
        }
      }
      return seen
    }
  }

  @Suite("The embedded responder, in a simulated world") struct ResponderTests {
    @Test("[AD.1] A record is seen with all keys in order, its port, host and address") func published() async throws {
      try await withTestHost { host in
        let browser = try Browser(host)
        let station = try Station(host, interfaces: [host.interface])
        let events = try station.publish(record("Published", host: "published-1a", port: 1234))
        #expect(await events.upToOutcome() == [.established("Published")])
        let seen = await browser.seen { $0["Published"] != nil }["Published"]
        #expect(seen?.txt == allKeys.map { "\($0.key)=\($0.value)" })
        #expect(seen?.port == 1234)
        #expect(seen?.host == "published-1a.local")
        #expect(seen?.addresses == ["127.0.0.1"])
        try station.close()
        try browser.close()
      }
    }

    @Test("A change of the TXT record is seen; an equal record is no change, and an invalid one is refused")
    func updated() async throws {
      try await withTestHost { host in
        let browser = try Browser(host)
        let station = try Station(host, interfaces: [host.interface])
        let events = try station.publish(record("Updated"))
        #expect(await events.upToOutcome() == [.established("Updated")])
        _ = await browser.seen { $0["Updated"]?.txt.contains("sf=1") == true }
        let paired = allKeys.map { $0.key == "sf" ? (key: "sf", value: "0") : $0 }
        try station.with { advertiser in
          advertiser.update(txt: allKeys)
          advertiser.update(txt: paired)
        }
        let seen = await browser.seen { $0["Updated"]?.txt.contains("sf=0") == true }["Updated"]
        #expect(seen?.txt == paired.map { "\($0.key)=\($0.value)" })
        try station.with { $0.update(txt: [("", "x")]) }
        #expect(await events.upToOutcome() == [.failed(RecordError.malformedKey("").description)])
        try station.close()
        try browser.close()
      }
    }

    @Test("A change before the record is established is in the first announcement") func updatedEarly() async throws {
      try await withTestHost { host in
        let browser = try Browser(host)
        let station = try Station(host, interfaces: [host.interface])
        _ = try station.publish(record("Early"))
        try station.with { $0.update(txt: [("sf", "0")]) }
        #expect(await browser.seen { $0["Early"] != nil }["Early"]?.txt == ["sf=0"])
        try station.close()
        try browser.close()
      }
    }

    @Test("Withdrawing and closing send goodbyes; a withdrawn record can be published again")
    func goodbye() async throws {
      try await withTestHost { host in
        let browser = try Browser(host)
        let station = try Station(host, interfaces: [host.interface])
        let other = try station.publish(record("Staying"))
        let events = try station.publish(record("Going"))
        #expect(await events.upToOutcome() == [.established("Going")])
        #expect(await other.upToOutcome() == [.established("Staying")])
        _ = await browser.seen { $0["Going"] != nil && $0["Staying"] != nil }
        // Records last 75 minutes, so a service that disappears within this test was withdrawn.
        try station.with(1) {
          $0.withdraw()
          $0.withdraw()
          $0.update(txt: [("ignored", "1")])
        }
        _ = await browser.seen { $0["Going"] == nil && $0["Staying"] != nil }
        let (stream, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
        try station.with(1) { $0.publish(record("Back")) { continuation.yield($0) } }
        #expect(await stream.upToOutcome() == [.established("Back")])
        _ = await browser.seen { $0["Back"] != nil }
        try station.close()
        _ = await browser.seen { $0.isEmpty }
        try browser.close()
      }
    }

    @Test("A name that another responder has is changed, and both services are seen")
    func networkCollision() async throws {
      try await withTestHost { host in
        let browser = try Browser(host)
        let first = try Station(host, interfaces: [host.interface])
        let second = try Station(host, interfaces: [host.interface])
        let one = try first.publish(record("Twin", port: 1001))
        #expect(await one.upToOutcome() == [.established("Twin")])
        let other = try second.publish(record("Twin", port: 1002))
        #expect(await other.upToOutcome() == [.renamed(from: "Twin", to: "Twin (2)"), .established("Twin (2)")])
        let seen = await browser.seen { $0["Twin"] != nil && $0["Twin (2)"] != nil }
        #expect(seen["Twin"]?.port == 1001 && seen["Twin (2)"]?.port == 1002)
        // Updates and the withdrawal apply to the new name.
        try second.with { $0.update(txt: [("sf", "0")]) }
        _ = await browser.seen { $0["Twin (2)"]?.txt == ["sf=0"] && $0["Twin"]?.txt.count == 9 }
        try second.close()
        _ = await browser.seen { $0["Twin (2)"] == nil && $0["Twin"] != nil }
        try first.close()
        try browser.close()
      }
    }

    @Test("A host name that another responder has is changed, and both services keep their names") func hostCollision()
      async throws
    {
      try await withTestHost { host in
        let browser = try Browser(host)
        let first = try Station(host, interfaces: [host.interface])
        let second = try Station(host, interfaces: [host.interface])
        let one = try first.publish(
          ServiceRecord(name: "A", port: 1, txt: [], host: "same-host", addresses: [IPAddress("127.0.0.1")]))
        #expect(await one.upToOutcome() == [.established("A")])
        let other = try second.publish(
          ServiceRecord(name: "B", port: 2, txt: [], host: "same-host", addresses: [IPAddress("127.0.0.2")]))
        #expect(await other.upToOutcome() == [.established("B")])
        let seen = await browser.seen { $0["A"]?.host != nil && $0["B"]?.host != nil }
        #expect(seen["A"]?.host == "same-host.local" && seen["B"]?.host == "same-host-2.local")
        try first.close()
        try second.close()
        try browser.close()
      }
    }

    @Test("A duplicate name on one responder is changed, and both services are seen")
    func localDuplicate() async throws {
      try await withTestHost { host in
        let browser = try Browser(host)
        let station = try Station(host, interfaces: [host.interface])
        let one = try station.publish(record("Pair", port: 1001))
        let other = try station.publish(record("Pair", port: 1002))
        let third = try station.publish(record("Pair", port: 1003))
        #expect(await one.upToOutcome() == [.established("Pair")])
        #expect(await other.upToOutcome() == [.renamed(from: "Pair", to: "Pair (2)"), .established("Pair (2)")])
        #expect(await third.upToOutcome() == [.renamed(from: "Pair", to: "Pair (3)"), .established("Pair (3)")])
        let seen = await browser.seen { $0.count == 3 }
        #expect(seen.mapValues(\.port) == ["Pair": 1001, "Pair (2)": 1002, "Pair (3)": 1003])
        try station.close()
        try browser.close()
      }
    }

    @Test("Thirty records of one responder are all seen, and all disappear after it closes") func many() async throws {
      try await withTestHost { host in
        let browser = try Browser(host)
        let station = try Station(host, interfaces: [host.interface])
        for number in 0..<30 { _ = try station.publish(record("Many \(number)", port: UInt16(2000 + number))) }
        _ = await browser.seen { $0.count == 30 }
        try station.close()
        _ = await browser.seen { $0.isEmpty }
        try browser.close()
      }
    }

    @Test("An invalid record fails with the reason, and a valid one may follow") func invalid()
      async throws
    {
      try await withTestHost { host in
        let station = try Station(host, interfaces: [host.interface])
        let events = try station.publish(record("", host: "invalid"))
        #expect(await events.upToOutcome() == [.failed(RecordError.malformedName("").description)])
        let (stream, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
        try station.with { $0.publish(record("Valid")) { continuation.yield($0) } }
        #expect(await stream.upToOutcome() == [.established("Valid")])
        try station.close()
      }
    }

    @Test("A responder may be closed inside an event, which ends all events") func closeInEvent() async throws {
      try await withTestHost { host in
        let loop = try host.makeLoop("closing")
        let handles: Int = await withCheckedContinuation { continuation in
          loop.schedule {
            let responder = try! EmbeddedResponder(loop, interfaces: [host.interface])
            let advertiser = responder.makeAdvertiser()
            advertiser.publish(record("Closing")) { _ in
              responder.close()
              advertiser.publish(record("Too late")) { _ in Issue.record("published by a closed responder") }
              responder.makeAdvertiser().publish(record("Too late")) { _ in Issue.record("published when closed") }
              let timer = LoopTimer(loop)
              timer.onFire = {
                timer.close()
                continuation.resume(returning: loop.openHandleCount)
              }
              timer.start(after: .milliseconds(2))
            }
          }
        }
        #expect(handles == 1)
        loop.stop()
      }
    }

    @Test("On a machine with only loopback, using the local network fails with that reason")
    func noNetwork() async throws {
      try await withTestHost { host in
        let station = try Station(host, interfaces: [])
        let events = try station.publish(record("Nowhere"))
        #expect(await events.upToOutcome() == [.failed("no network interface is up that can multicast")])
        try station.close()
      }
    }

    @Test("A loop that stops releases its open responder with the advertisers") func stoppedLoop() async throws {
      let isReleased: Bool = try await withTestHost { host in
        let loop = try host.makeLoop("station")
        let opened = Opened()
        try loop.performAndWait {
          let responder = try EmbeddedResponder(loop, interfaces: [host.interface])
          opened.responder = responder
          let advertiser = responder.makeAdvertiser()
          advertiser.publish(record("Stopped")) { _ in withExtendedLifetime(advertiser) {} }
        }
        try await loop.sleep(for: .seconds(2))
        let isOpen = opened.responder != nil
        loop.stop()
        try await host.makeLoop("observer").sleep(for: .seconds(1))
        return isOpen && opened.responder == nil
      }
      #expect(isReleased)
    }

    @Test("Opening and closing responders repeatedly leaves no handles") func again() async throws {
      try await withTestHost { host in
        for _ in 0..<50 {
          let station = try Station(host, interfaces: [host.interface])
          _ = try station.publish(record("Again"))
          try station.close()
        }
      }
    }
  }

  @Suite struct ResponderOpeningTests {
    @Test("An unknown interface is refused by name, before a packet is sent") func noSuchInterface()
      async throws
    {
      try await withTestHost { host in
        do {
          _ = try Station(host, interfaces: ["eth99"])
          Issue.record("no error")
        } catch let error as LoopError {
          #expect(error.code == .noSuchInterface)
          #expect(error.detail.hasPrefix("no interface named eth99; there are: "))
        }
      }
    }
  }
#endif
