#if os(Linux)
  import Foundation
  import HAPCommandLine
  import HAPDiscovery
  import HAPLoop
  import Testing

  @testable import hapctl

  /// The interface these tests may multicast on; without one they stay out. (A namespace with nothing but loopback.)
  private let testInterface = ProcessInfo.processInfo.environment["HAPSIM_TEST_INTERFACE"]

  /// Accessories that are announced, at a port where nothing listens.
  private final class Announced: @unchecked Sendable {
    private let loop = EventLoop(name: "announced")
    private var responder: EmbeddedResponder?

    init(_ records: [(name: String, id: String)]) async throws {
      loop.start()
      let (events, tell) = AsyncStream.makeStream(of: AdvertisementEvent.self)
      try loop.performAndWait {
        let responder = try EmbeddedResponder(self.loop, interfaces: [testInterface ?? ""])
        self.responder = responder
        for record in records {
          responder.makeAdvertiser().publish(
            ServiceRecord(
              name: record.name, port: 9, txt: [("id", record.id), ("sf", "1"), ("md", "x"), ("c#", "1")],
              host: "announced-\(UInt32.random(in: 0...UInt32.max))", addresses: [.loopbackV4])
          ) { tell.yield($0) }
        }
      }
      var missing = Set(records.map(\.name))
      for await event in events {
        if case .seen(let name) = event { missing.remove(name) }
        if missing.isEmpty { break }
      }
    }

    func close() throws {
      try loop.performAndWait { self.responder?.close() }
      loop.stop()
    }
  }

  @Suite(.enabled(if: testInterface != nil), .serialized, .timeLimit(.minutes(2))) struct FindingTests {
    private let folder = ScratchFolder()

    private func hapctl(_ words: String...) async -> Transcript {
      await HapctlTests.hapctl(words + ["--interface", testInterface ?? "", "--state", folder.path])
    }

    @Test("Who is nowhere is looked for, and told with the nearest name")
    func nobody() async throws {
      let there = try await Announced([("Hall Lamp", "00:00:00:00:00:01")])
      for words in [["get", "hall lmp/On"], ["identify", "hall lmp"], ["pair", "hall lmp", "--code", "031-45-154"]] {
        let said = await HapctlTests.hapctl(
          words + ["--timeout", "3", "--interface", testInterface ?? "", "--state", folder.path])
        #expect(
          said.exit == .cannotRun
            && said.error.contains("none was found on the network in 3 s; did you mean \"Hall Lamp\"?"),
          "\(said)")
      }
      try there.close()
    }

    @Test("Of several with one name none is taken, and each is named")
    func several() async throws {
      let there = try await Announced([
        ("Tür", "00:00:00:00:00:01"), ("TÜR", "00:00:00:00:00:02"), ("Copy", "00:00:00:00:00:01"),
      ])
      let byName = await hapctl("identify", "tür")
      #expect(byName.exit == .usage && byName.error.contains("2 accessories are called tür"), "\(byName)")
      #expect(byName.error.contains("TÜR (00:00:00:00:00:02, 127.0.0.1:9), Tür (00:00:00:00:00:01, 127.0.0.1:9)"))
      let byID = await hapctl("pair", "00:00:00:00:00:01", "--code", "031-45-154")
      #expect(byID.exit == .usage && byID.error.contains("Copy (") && byID.error.contains("Tür ("), "\(byID)")
      try there.close()
    }

    @Test("One that is found, and that we have no pairing with, is told with how to make one")
    func stranger() async throws {
      let there = try await Announced([("Hall Lamp", "00:00:00:00:00:01")])
      let said = await hapctl("get", "HALL lamp")
      #expect(said.exit == .problem && said.error.contains("hapctl pair \"HALL lamp\""), "\(said)")
      // It is asked at the address that was found, where nothing listens.
      #expect(await hapctl("identify", "hall lamp").error.contains("127.0.0.1:9: connection refused"))
      #expect(await hapctl("discover").out.hasPrefix("\"Hall Lamp\"  x  00:00:00:00:00:01  127.0.0.1:9  not paired"))
      try there.close()
    }

    @Test("Where there is no network, that is said at once")
    func noNetwork() async throws {
      guard NetworkInterface.all().allSatisfy(\.isLoopback) else { return }
      for words in [["get", "lamp"], ["discover"], ["pair", "lamp", "--code", "031-45-154", "--timeout", "3600"]] {
        let said = await HapctlTests.hapctl(words + ["--state", folder.path])
        #expect(
          said.exit == .cannotRun && said.error.contains("no network interface is up that can multicast"), "\(said)")
      }
      #expect(await hapctl("discover", "--timeout", "1").error == "No accessory was found.\n")
    }
  }
#endif
