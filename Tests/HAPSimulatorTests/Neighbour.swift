import HAPDiscovery
import HAPLoop
import HAPWire
import WorldTestSupport

/// Another program on the test's host: receives each mDNS packet, sends any packets, and may hold a name.
final class Neighbour: @unchecked Sendable {  // confined to the world's thread
  struct Packet: Sendable {
    let message: DNSMessage
    /// Sent to this program by unicast.
    let isDirect: Bool
    let time: Duration
  }

  private let loop: EventLoop
  private var sockets: MDNSSockets!
  private var packets: [Packet] = []
  private var requests: [(matches: (Packet) -> Bool, first: Int, timer: LoopTimer, done: (Packet?) -> Void)] = []
  private var held: [DNSRecord] = []

  init(_ host: TestHost) throws {
    loop = try host.makeLoop("neighbour")
    try loop.performAndWait {
      let sockets = MDNSSockets(self.loop) { [unowned self] datagram, _ in receive(datagram) }
      try sockets.open(on: [self.loop.interfaces().named(host.interface)])
      self.sockets = sockets
    }
  }

  private func receive(_ datagram: UDPSocket.Datagram) {
    guard let message = try? DNSMessage(decoding: datagram.bytes) else { return }
    let packet = Packet(
      message: message, isDirect: datagram.destination?.isMulticast == false,
      time: .nanoseconds(Int64(loop.readClock())))
    packets.append(packet)
    if !message.isResponse, message.questions.contains(where: { question in held.contains(where: question.isAnswered) })
    {
      multicast(DNSMessage(flags: 0x8400, answers: held))
    }
    let fulfilled = requests.filter { $0.matches(packet) }
    requests.removeAll { $0.matches(packet) }
    for request in fulfilled {
      request.timer.close()
      request.done(packet)
    }
  }

  private func multicast(_ message: DNSMessage) { _ = try? sockets.sendToAll(message.encoded()) }

  /// The number of packets received so far.
  var mark: Int { get throws { try loop.performAndWait { self.packets.count } } }

  func packets(after mark: Int = 0) throws -> [Packet] { try loop.performAndWait { Array(self.packets[mark...]) } }

  /// The first packet after `mark` for which `matches` is true; `nil` at the timeout.
  func first(
    after mark: Int = 0, within limit: Duration = .seconds(10), where matches: @escaping @Sendable (Packet) -> Bool
  ) async -> Packet? {
    await withCheckedContinuation { continuation in
      loop.schedule { [self] in
        if let found = packets[mark...].first(where: matches) { return continuation.resume(returning: found) }
        let timer = LoopTimer(loop)
        requests.append((matches, mark, timer, { continuation.resume(returning: $0) }))
        timer.onFire = { [unowned self, unowned timer] in
          requests.removeAll { $0.timer === timer }
          timer.close()
          continuation.resume(returning: nil)
        }
        timer.start(after: limit)
      }
    }
  }

  /// Waits until packets in transit have arrived: each message is sent over IPv4 and over IPv6.
  func settle() async throws { try await loop.sleep(for: .milliseconds(10)) }

  /// Sends a multicast packet.
  /// - Returns: the mark before the packet.
  @discardableResult
  func send(_ message: DNSMessage) throws -> Int {
    try loop.performAndWait {
      self.multicast(message)
      return self.packets.count
    }
  }

  @discardableResult
  func send(raw bytes: [UInt8]) throws -> Int {
    try loop.performAndWait {
      try self.sockets.sendToAll(bytes)
      return self.packets.count
    }
  }

  /// Asks from an ephemeral port, as a one-shot resolver (RFC 6762 §6.7).
  func sendFromElsewhere(_ message: DNSMessage) throws -> Int {
    try loop.performAndWait {
      try self.sockets.sendToAll(message.encoded(), ownPort: true)
      return self.packets.count
    }
  }

  /// Multicasts these records, and repeats them when a question asks for one of them.
  func hold(_ records: [DNSRecord]) throws {
    try loop.performAndWait {
      self.held = records
      if !records.isEmpty { self.multicast(DNSMessage(flags: 0x8400, answers: records)) }
    }
  }

  func close() throws {
    try loop.performAndWait {
      self.sockets.close()
      for request in self.requests { request.timer.close() }
    }
    loop.stop()
  }
}
