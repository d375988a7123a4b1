#if os(Linux)
  import Foundation
  import HAPLoop
  import Testing

  @testable import HAPDiscovery

  private let testInterface = ProcessInfo.processInfo.environment["HAPSIM_TEST_INTERFACE"]

  /// Runs the embedded responder and the browser on real sockets: the kernel gives each packet to both, with its
  /// interface and source.
  /// Simulated worlds test all other properties.
  @Suite(.enabled(if: testInterface != nil)) struct RealSocketsTests {
    @Test("A service is found on the loopback interface with its address, and disappears with its goodbye")
    func found() async throws {
      let interface = testInterface ?? ""
      let loops = [EventLoop(name: "responder"), EventLoop(name: "browser")]
      for loop in loops { loop.start() }
      let (events, continuation) = AsyncStream.makeStream(of: BrowserEvent.self)
      nonisolated(unsafe) var responder: EmbeddedResponder?
      nonisolated(unsafe) var browser: ServiceBrowser?
      try loops[1].performAndWait {
        browser = try BackEnd.browse(.embedded, on: loops[1], interfaces: [interface]) { continuation.yield($0) }
          .browser
      }
      try loops[0].performAndWait {
        responder = try EmbeddedResponder(loops[0], interfaces: [interface])
        let record = ServiceRecord(name: "Kernel", port: 1234, txt: [("sf", "1")], host: "kernel-host")
        responder?.makeAdvertiser().publish(record) { _ in }
      }
      for await case .appeared(let service) in events where service.name == "Kernel" {
        #expect(service.addresses.contains(SocketAddress(host: .loopbackV4, port: 1234)))
        #expect(NetworkInterface.name(ofIndex: service.interface) == interface)
        break
      }
      try loops[0].performAndWait { responder?.close() }
      for await event in events where event == .gone(name: "Kernel") { break }
      try loops[1].performAndWait { browser?.close() }
      for loop in loops { loop.stop() }
      #expect(loops.allSatisfy { $0.openHandleCount == 0 })
    }
  }
#endif
