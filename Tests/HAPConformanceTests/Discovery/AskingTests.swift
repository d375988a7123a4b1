#if os(Linux)
  import Foundation
  import HAPDiscovery
  import HAPLoop
  import HAPWire
  import Testing

  @testable import HAPTarget

  private let testInterface = ProcessInfo.processInfo.environment["HAPSIM_TEST_INTERFACE"]

  /// Uses real sockets, because the kernel decides which of several sockets at one port receives a packet.
  @Suite(.enabled(if: testInterface != nil)) struct RealSocketsTests {
    @Test("Answers reach the right socket, even with other sockets at port 5353 on the machine")
    func ways() async throws {
      let interface = testInterface ?? ""
      let loops = [EventLoop(name: "observer"), EventLoop(name: "station")]
      for loop in loops { loop.start() }
      let observer = MDNSObserver(on: loops[0], interfaces: [interface])
      #expect(await observer.open() == nil)
      let station = try Station(on: loops[1], interface)
      try await observer.askInEachWay(station)
      try station.close()
      await observer.close()
      loops[0].stop()
      #expect(loops[0].openHandleCount == 0)
    }
  }

  extension MDNSObserver {
    /// Asks for a service from port 5353, for a unicast response, from an ephemeral port, and at one address.
    /// Expects each answer at the destination that RFC 6762 requires.
    nonisolated func askInEachWay(_ station: Station) async throws {
      let events = try station.publish("Ways", host: "ways-1")
      #expect(await events.established() == "Ways")
      // Other sockets at the port: one of them would receive a packet to the machine's address.
      try await loop.performOnIt { loop in
        for _ in 0..<12 { _ = try UDPSocket(loop, host: .anyV4, port: 5353, sharing: true) { _ in } }
      }
      let question = DNSQuestion(hap("Ways"), DNSType.srv)
      // Announcements continue in the meantime.
      func answer(_ mark: MDNSObserver.Mark, isAtOwnPort: Bool) async -> ObservedPacket? {
        await first(after: mark, within: .seconds(5)) {
          $0.isMulticast == false && ($0.localPort != 5353) == isAtOwnPort
            && !$0.records(hap("Ways"), DNSType.srv).isEmpty
        }
      }
      _ = await first(after: MDNSObserver.start, within: .seconds(5)) {
        $0.announcedText(of: hap("Ways")) != nil
      }
      // RFC 6762 allows unicast for a record that was multicast within the last quarter of its TTL.
      let asked = try await query([question], unicastResponse: true)
      #expect(await answer(asked, isAtOwnPort: false) != nil)
      let askedAgain = try await query([question], by: .ownPort, id: 0x1234)
      let legacy = try #require(await answer(askedAgain, isAtOwnPort: true))
      #expect(legacy.message.id == 0x1234)
      #expect(legacy.message.questions.map(\.name) == [hap("Ways")])
      let direct = try await query(
        [question], unicastResponse: true, by: .direct(SocketAddress(host: .loopbackV4, port: 5353)))
      // The observer owns the socket of the address, so it receives its own question.
      let back = await first(after: direct, within: .milliseconds(50)) {
        !$0.isOwn && !$0.message.isResponse && $0.message.questions.contains { $0.name == question.name }
      }
      #expect(await packets(after: direct).first?.isOwn == true && back == nil)
    }
  }

  extension EventLoop {
    func performOnIt(_ work: @escaping @Sendable (EventLoop) throws -> Void) async throws {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        schedule { continuation.resume(with: Result { try work(self) }) }
      }
    }
  }
#endif
