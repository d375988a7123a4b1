import Foundation
import HAPLoop
import MDNS
import Testing

@testable import HAPDiscovery

/// The interface on which these tests may multicast (in a namespace with only loopback). Without it, they are skipped.
private let testInterface = ProcessInfo.processInfo.environment["HAPSIM_TEST_INTERFACE"]

private let packetOfTest: [UInt8] = [0, 0, 0x84, 0] + [UInt8](repeating: 0, count: 8) + Array("mdns-driver".utf8)

/// A state machine that records its inputs, and sends `planned` packets, one at each deadline.
private struct PlannedMachine: MDNSMachine {
  enum Output: MDNSMachineOutput {
    case send(MDNSPacket)
    case report(Int)

    var event: MDNSDriverEvent<Int> {
      switch self {
      case .send(let packet): .send(packet)
      case .report(let number): .report(number)
      }
    }
  }

  static let pause = Duration.milliseconds(2)

  var planned: Int
  var interfaces: [MDNSInterface] = []
  var arrivals: [MDNSArrival] = []
  /// The delay of each call; a negative one was early.
  var delays: [Duration] = []
  private var outputs: [Output] = []
  private(set) var nextDeadline: Duration?
  var isSayingGoodbye: Bool { planned > 0 }

  init(planned: Int) { self.planned = planned }

  mutating func start(at now: Duration) { nextDeadline = planned > 0 ? now + Self.pause : nil }

  mutating func setInterface(_ interface: MDNSInterface, at now: Duration) {
    interfaces.removeAll { $0.index == interface.index }
    interfaces.append(interface)
  }

  mutating func removeInterface(_ index: UInt32, at now: Duration) { interfaces.removeAll { $0.index == index } }

  mutating func receive(_ bytes: UnsafeRawBufferPointer, _ arrival: MDNSArrival, at now: Duration) {
    guard bytes.elementsEqual(packetOfTest) else { return }
    arrivals.append(arrival)
    outputs.append(.report(arrivals.count))
  }

  mutating func advance(to now: Duration) {
    guard let deadline = nextDeadline else { return }
    delays.append(now - deadline)
    planned -= 1
    for interface in interfaces where interface.usesV4 {
      outputs.append(.send(MDNSPacket(packetOfTest, interface: interface.index, to: .multicast(isV4: true))))
    }
    outputs.append(.report(-delays.count))
    start(at: now)
  }

  mutating func takeOutputs() -> [Output] {
    defer { outputs = [] }
    return outputs
  }
}

/// A driver on a loop, and its reports.
private final class DrivenMachine: @unchecked Sendable {
  let loop = EventLoop(name: "driven")
  let reports: AsyncStream<Int>
  // Confined to the loop's thread.
  private(set) var driver: MDNSDriver<PlannedMachine>!

  init(planned: Int = 0, interfaces: [String] = [testInterface ?? ""]) throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    reports = stream
    loop.start()
    try loop.performAndWait {
      self.driver = MDNSDriver(self.loop, InterfaceChoice(interfaces), PlannedMachine(planned: planned))
      self.driver.onReport = { continuation.yield($0) }
      self.driver.perform { $0.start(at: $1) }
    }
  }

  func with<R: Sendable>(_ body: @escaping @Sendable (inout PlannedMachine) -> R) throws -> R {
    try loop.performAndWait { self.driver.perform { machine, _ in body(&machine) } }
  }

  func close(within limit: Duration = .zero) throws {
    try loop.performAndWait {
      self.driver.close(within: limit)
      self.driver.close()
      self.driver = nil
    }
    loop.stop()
    #expect(loop.openHandleCount == 0)
  }
}

/// Uses real sockets to test the kernel and libuv: interfaces, networks, multicast echoes, sockets of one port.
/// The rules of multicast DNS are tested in simulated worlds.
@Suite(.enabled(if: testInterface != nil), .serialized) struct MDNSDriverTests {
  @Test("The state machine receives the interface with its addresses, networks and MTU")
  func interfaces() async throws {
    let driven = try DrivenMachine()
    let given = try driven.with { $0.interfaces }
    let wanted = try NetworkInterface.named(testInterface ?? "")
    #expect(given.map(\.index) == [wanted.index])
    #expect(given.first?.addresses.map(\.bytes) == wanted.addresses.map(\.bytes))
    #expect(given.first?.mtu == wanted.mtu.map { min($0, 8994) })
    let own = given.first?.assignments.first { $0.address.bytes == [127, 0, 0, 1] }
    #expect(own?.prefixLength == 8)
    try driven.close()
  }

  @Test("No deadline is missed or early; a packet reaches other sockets of this computer, and the sender's own")
  func deadlines() async throws {
    let other = try DrivenMachine()
    let driven = try DrivenMachine(planned: 3)
    var heard = 0
    for await report in other.reports where report > 0 {
      heard += 1
      if heard == 3 { break }
    }
    // Negative numbers are deadlines, positive ones are packets.
    var kept: [Int] = []
    var echoes: [Int] = []
    for await report in driven.reports {
      if report < 0 { kept.append(report) } else { echoes.append(report) }
      if kept.count == 3, echoes.count == 3 { break }
    }
    #expect(kept == [-1, -2, -3] && echoes == [1, 2, 3])
    #expect(try driven.with { $0.delays.count == 3 && $0.delays.allSatisfy { $0 >= .zero } })
    let arrival = try #require(try other.with { $0.arrivals.first })
    #expect(arrival.source == MDNSEndpoint(MDNSAddress(bytes: [127, 0, 0, 1])!) && !arrival.isUnicast)
    #expect(arrival.interface == (try NetworkInterface.named(testInterface ?? "").index))
    #expect(try driven.with { $0.arrivals.last?.source } == arrival.source)
    try driven.close()
    try other.close()
  }

  @Test("Closing sends the state machine's pending packets, within the time limit")
  func farewell() async throws {
    let other = try DrivenMachine()
    let driven = try DrivenMachine(planned: 5)
    try driven.close(within: .seconds(60))
    var heard = 0
    for await report in other.reports where report > 0 {
      heard += 1
      if heard == 5 { break }
    }
    try other.close()
  }

  @Test("Without a usable interface, the driver reports the reason")
  func absence() throws {
    guard NetworkInterface.all().allSatisfy(\.isLoopback) else { return }
    let driven = try DrivenMachine(interfaces: [])
    #expect(try driven.loop.performAndWait { driven.driver.absence } == "no network interface is up that can multicast")
    #expect(try driven.with { $0.interfaces.isEmpty })
    try driven.close()
  }
}

/// Uses real sockets, because the kernel joins the groups.
@Suite(.enabled(if: testInterface != nil), .serialized) struct MDNSSocketsTests {
  @Test("Links follow the interfaces: they open, stay and close with them")
  func follow() async throws {
    let loop = EventLoop(name: "links")
    loop.start()
    try loop.performAndWait {
      let interface = try NetworkInterface.named(testInterface ?? "")
      let sockets = MDNSSockets(loop) { _, _ in }
      #expect(sockets.follow([interface.keeping(\.isV4)]) == nil)
      let v4 = MDNSSockets.Link(interface: interface.index, isV4: true)
      #expect(sockets.links == [v4])
      let handles = loop.openHandleCount
      #expect(sockets.follow([interface.keeping(\.isV4)]) == nil && loop.openHandleCount == handles)
      #expect(sockets.follow([]) == nil && sockets.links.isEmpty)
      #expect(throws: LoopError.self) { try sockets.multicast([0], on: v4) }
      sockets.close()
      #expect(sockets.follow([interface]) == nil && sockets.links.isEmpty)
    }
    loop.stop()
    #expect(loop.openHandleCount == 0)
  }
}
