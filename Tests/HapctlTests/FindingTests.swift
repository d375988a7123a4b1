#if os(Linux)
  import Foundation
  import HAPCommandLine
  import HAPDiscovery
  import HAPLoop
  import Testing
  import WorldTestSupport

  @testable import HapctlAccessories

  /// Announces accessories at a port without a listener.
  private final class Announced: @unchecked Sendable {  // confined to the world's thread
    struct Unseen: Error { let names: Set<String> }

    private let loop: EventLoop
    private var responder: EmbeddedResponder?

    init(_ host: TestHost, _ records: [(name: String, id: String)]) async throws {
      loop = try host.makeLoop("announced")
      let (events, event) = AsyncStream.makeStream(of: AdvertisementEvent.self)
      try loop.performAndWait {
        let responder = try EmbeddedResponder(self.loop, interfaces: [host.interface])
        self.responder = responder
        for (number, record) in records.enumerated() {
          responder.makeAdvertiser().publish(
            ServiceRecord(
              name: record.name, port: 9, txt: [("id", record.id), ("sf", "1"), ("md", "x"), ("c#", "1")],
              host: "announced-\(number)", addresses: [.loopbackV4])
          ) { event.yield($0) }
        }
        LoopTimer(self.loop) { event.finish() }.start(after: .seconds(60))
      }
      var missing = Set(records.map(\.name))
      var iterator = events.makeAsyncIterator()
      while !missing.isEmpty, let event = await iterator.next() {
        if case .seen(let name) = event { missing.remove(name) }
      }
      if !missing.isEmpty { throw Unseen(names: missing) }
    }

    func close() throws {
      try loop.performAndWait { self.responder?.close() }
      loop.stop()
    }
  }

  @Suite("hapctl finds accessories, in a simulated world") struct FindingTests {
    private let folder = ScratchFolder()

    /// Announces accessories on a simulated host, and runs commands of hapctl there.
    private func announcing(
      _ records: [(name: String, id: String)], _ test: (_ hapctl: ([String]) -> Transcript) throws -> Void
    ) throws {
      let host = TestHost()
      let announced = try host.run { try await Announced(host, records) }
      let place = CommandPlace(
        run: { _, body in
          try host.run {
            let loop = try host.makeLoop("hapctl")
            defer { loop.stop() }
            return await body(loop)
          }
        }, whenAskedToEnd: { _, _ in })
      try test { words in
        CommandPlace.$current.withValue(place) {
          HapctlTests.runHapctl(words + ["--interface", host.interface, "--state", folder.path])
        }
      }
      try host.run { try announced.close() }
      #expect(host.end())
    }

    @Test("An accessory that is not found is reported, with the nearest name")
    func missing() throws {
      try announcing([("Hall Lamp", "00:00:00:00:00:01")]) { hapctl in
        for words in [
          ["get", "hall lmp/On"], ["identify", "hall lmp"], ["pair", "hall lmp", "--code", "031-45-154"],
        ] {
          let said = hapctl(words + ["--timeout", "3"])
          #expect(
            said.exit == .cannotRun
              && said.error.contains("none was found on the network within 3 s; did you mean \"Hall Lamp\"?"),
            "\(said)")
        }
      }
    }

    @Test("If several accessories have one name, none is used, and each is listed")
    func several() throws {
      try announcing([
        ("Tür", "00:00:00:00:00:01"), ("TÜR", "00:00:00:00:00:02"), ("Copy", "00:00:00:00:00:01"),
      ]) { hapctl in
        let byName = hapctl(["identify", "tür"])
        #expect(byName.exit == .usage && byName.error.contains("2 accessories are named tür"), "\(byName)")
        #expect(byName.error.contains("TÜR (00:00:00:00:00:02, 127.0.0.1:9), Tür (00:00:00:00:00:01, 127.0.0.1:9)"))
        let byID = hapctl(["pair", "00:00:00:00:00:01", "--code", "031-45-154"])
        #expect(byID.exit == .usage && byID.error.contains("Copy (") && byID.error.contains("Tür ("), "\(byID)")
      }
    }

    @Test("For an accessory without a pairing, the error says how to pair")
    func stranger() throws {
      try announcing([("Hall Lamp", "00:00:00:00:00:01")]) { hapctl in
        let said = hapctl(["get", "HALL lamp"])
        #expect(said.exit == .problem && said.error.contains("hapctl pair \"HALL lamp\""), "\(said)")
        // The request goes to the discovered address, which has no listener.
        #expect(hapctl(["identify", "hall lamp"]).error.contains("127.0.0.1:9: connection refused"))
        #expect(hapctl(["discover"]).out.hasPrefix("\"Hall Lamp\"  x  00:00:00:00:00:01  127.0.0.1:9  not paired"))
      }
    }

    @Test("discover reports if no accessory was found")
    func nothing() throws {
      try announcing([]) { hapctl in
        #expect(hapctl(["discover", "--timeout", "1"]).error == "No accessory was found.\n")
      }
    }
  }

  private let testInterface = ProcessInfo.processInfo.environment["HAPSIM_TEST_INTERFACE"]

  /// Uses real sockets, because hapctl asks the system's daemon if no interface is named. The daemon's library takes a
  /// second to find that there is no daemon.
  @Suite(.enabled(if: testInterface != nil)) struct RealSocketsTests {
    private let folder = ScratchFolder()

    @Test("Without a network, the error states it, at any time limit")
    func noNetwork() async throws {
      guard NetworkInterface.all().allSatisfy(\.isLoopback) else { return }
      for words in [["get", "lamp"], ["discover"], ["pair", "lamp", "--code", "031-45-154", "--timeout", "3600"]] {
        let said = await HapctlTests.hapctl(words + ["--state", folder.path])
        #expect(
          said.exit == .cannotRun && said.error.contains("no network interface is up that can multicast"), "\(said)")
      }
    }
  }
#endif
