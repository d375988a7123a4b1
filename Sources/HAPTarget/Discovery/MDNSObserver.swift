import HAPDiscovery
import HAPLoop
import HAPWire

/// Reads multicast DNS itself, packet by packet: what daemons hide (TTLs, cache-flush bits, probes, goodbyes, who was told) is what a tester asks about.
///
/// An actor on its loop. It notes what concerns the services of its type, and what is watched; everything else is counted at most.
package actor MDNSObserver {
  /// A place in the series of packets: "from here on".
  package struct Mark: Hashable, Sendable {
    let place: PacketLog.Mark
  }

  /// How a message goes out.
  package enum Way: Hashable, Sendable {
    /// To all, from port 5353.
    case multicast
    /// To all, from a port of its own: whoever answers takes it for one who knows no multicast DNS, and answers to that port. RFC 6762 §6.7.
    case ownPort
    /// To one address, from port 5353. RFC 6762 §5.5.
    case direct(SocketAddress)
  }

  package static let hapType = DNSName([Array("_hap".utf8), Array("_tcp".utf8), Array("local".utf8)])

  package nonisolated let loop: EventLoop
  package nonisolated let type: DNSName
  private let interfaces: [String]
  private let readClock: @Sendable () -> Duration
  private nonisolated let bound: LoopBound<Held>
  private var held: Held { bound.value }
  private var isClosed = false
  /// Why nothing can be heard; nil when it can.
  package private(set) var absence: String? = "it was not opened"

  private var log = PacketLog()
  private var watched: Set<DNSName> = []
  /// Hosts that services of the type were said to be on.
  private var hosts: Set<DNSName> = []
  private var waiters: [Int: Waiter] = [:]
  private var lastTicket = 0
  var claims: [NameClaim.Standing] = []
  var lastClaim = 0

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Names beyond this are not watched.
  private static let nameLimit = 4096

  private struct Waiter {
    let matches: (ObservedPacket) -> Bool
    let timer: LoopTimer
    let continuation: CheckedContinuation<ObservedPacket?, Never>
  }

  /// What belongs to the loop, and outlives an observer that is let go until the loop has closed it.
  private final class Held {
    var sockets: MDNSSockets?
    func close() {
      sockets?.close()
      sockets = nil
    }
  }

  /// - Parameters:
  ///   - loop: runs; the observer belongs to it.
  ///   - interfaces: names; empty: all that are up, can multicast, and are neither loopback nor point-to-point.
  ///   - type: of the services; others than `_hap._tcp` are for tests.
  ///   - readClock: gives packets their times, such as those since the start of a run. The default begins now.
  package init(
    on loop: EventLoop, interfaces: [String] = [], type: DNSName = hapType,
    readClock: (@Sendable () -> Duration)? = nil
  ) {
    self.loop = loop
    bound = LoopBound(loop, Held())
    self.interfaces = interfaces
    self.type = type
    let start = loop.readClock()
    self.readClock = readClock ?? { .nanoseconds(Int64(loop.readClock() - start)) }
  }

  deinit { loop.schedule { [bound] in bound.value.close() } }

  /// Begins to listen. Once.
  /// - Returns: nil; or why multicast can't be had, as `absence` says from then on.
  @discardableResult
  package func open() -> String? {
    precondition(held.sockets == nil && !isClosed, "an observer is opened once")
    let choice = InterfaceChoice(interfaces)
    do throws(LoopError) {
      let all = loop.interfaces()
      for name in interfaces { _ = try all.named(name) }
      let chosen = choice.chosen(from: all)
      if chosen.isEmpty { throw LoopError(.noSuchInterface, choice.absence) }
      let sockets = MDNSSockets(loop) { [weak self, loop] datagram, port in
        let bound = LoopBound(here: loop, datagram)
        self?.assumeIsolated { $0.receive(bound.value, port) }
      }
      do throws(LoopError) {
        try sockets.open(on: chosen)
      } catch {
        sockets.close()
        throw error
      }
      held.sockets = sockets
      absence = nil
    } catch { absence = error.detail }
    return absence
  }

  /// Ends it: claims are given up with a goodbye, and who waits gets nil. Any number of times.
  package func close() {
    if isClosed { return }
    for claim in claims { release(claim.claim) }
    isClosed = true
    absence = "it was closed"
    held.close()
    for ticket in waiters.keys.sorted() { finish(ticket, with: nil) }
  }

  // MARK: Hearing

  /// Also notes packets that name this: another service's instance, a host.
  package func watch(_ name: DNSName) { if watched.count < Self.nameLimit { watched.insert(name) } }

  /// What comes from now on is after it.
  package var mark: Mark { Mark(place: log.mark) }

  /// Before everything.
  package nonisolated static var start: Mark { Mark(place: PacketLog.Mark(number: 0)) }

  /// What was noted after a mark, our own packets too; the oldest are let go of beyond 4096 packets or 16 MB.
  package func packets(after mark: Mark = start) -> [ObservedPacket] { Array(log.packets(after: mark.place)) }

  /// The first packet after a mark that fulfils `matches`, whether it is there already or comes in time.
  /// - Parameters:
  ///   - limit: how long to wait for it, from now.
  ///   - matches: asked on the loop; about our own packets too.
  /// - Returns: nil when the time is over, the task was cancelled or the observer closed.
  package func first(
    after mark: Mark, within limit: Duration, where matches: @escaping @Sendable (ObservedPacket) -> Bool
  ) async -> ObservedPacket? {
    lastTicket += 1
    let ticket = lastTicket
    return await withTaskCancellationHandler {
      // `self` in it keeps the closure on the loop.
      await withCheckedContinuation { (continuation: CheckedContinuation<ObservedPacket?, Never>) in
        let found = log.packets(after: mark.place).first(where: matches)
        guard found == nil, !Task.isCancelled, !self.isClosed, limit > .zero else {
          return continuation.resume(returning: found)
        }
        let timer = LoopTimer(loop)
        timer.onFire = { [weak self] in self?.assumeIsolated { $0.finish(ticket, with: nil) } }
        timer.start(after: limit)
        waiters[ticket] = Waiter(matches: matches, timer: timer, continuation: continuation)
      }
    } onCancel: {
      loop.startTask { await self.finish(ticket, with: nil) }
    }
  }

  private func finish(_ ticket: Int, with packet: ObservedPacket?) {
    guard let waiter = waiters.removeValue(forKey: ticket) else { return }
    waiter.timer.close()
    waiter.continuation.resume(returning: packet)
  }

  private func receive(_ datagram: UDPSocket.Datagram, _ port: UInt16) {
    let time = readClock()
    // What can't be read, or is no multicast DNS (RFC 6762 §18.3), is of no use.
    guard let message = try? DNSMessage(decoding: datagram.bytes), message.opcode == 0, message.responseCode == 0
    else { return }
    if concerns(message) {
      note(
        ObservedPacket(
          number: log.nextNumber, time: time, source: datagram.source, destination: datagram.destination,
          interface: datagram.interface, localPort: port, hopLimit: datagram.hopLimit, isOwn: false, message: message))
    }
    // A claim may be of any name.
    if !message.isResponse, port == MDNSSockets.port { defendClaims(against: message) }
  }

  private func note(_ packet: ObservedPacket) {
    log.append(packet)
    let met = waiters.keys.filter { waiters[$0]?.matches(packet) ?? false }
    for ticket in met.sorted() { finish(ticket, with: packet) }
  }

  private func concerns(_ message: DNSMessage) -> Bool {
    var found = message.questions.contains { isOfInterest($0.name) }
    for record in message.records {
      switch record.data {
      case .pointer(let name): found = found || isOfInterest(record.name) || isOfInterest(name)
      case .service(_, _, _, let host):
        guard isOfInterest(record.name) else { continue }
        found = true
        if hosts.count < Self.nameLimit { hosts.insert(host) }
      default: found = found || isOfInterest(record.name)
      }
    }
    return found
  }

  private func isOfInterest(_ name: DNSName) -> Bool {
    name.isWithin(type) || watched.contains(name) || hosts.contains(name)
  }

  // MARK: Asking

  /// Asks, and doesn't wait.
  /// - Parameters:
  ///   - unicastResponse: an answer to us alone will do; set in all `questions`.
  ///   - knownAnswers: what need not be answered. RFC 6762 §7.1.
  ///   - id: comes back in the answers to `.ownPort`; otherwise it is to be 0.
  /// - Returns: the place before the question: what answers it comes after.
  /// - Throws: when it could not be sent at all.
  @discardableResult
  package func query(
    _ questions: [DNSQuestion], unicastResponse: Bool = false, knownAnswers: [DNSRecord] = [], by way: Way = .multicast,
    id: UInt16 = 0
  ) throws(LoopError) -> Mark {
    let questions = questions.map { question in
      var question = question
      question.wantsUnicast = question.wantsUnicast || unicastResponse
      return question
    }
    return try send(DNSMessage(id: id, questions: questions, answers: knownAnswers), by: way)
  }

  /// Sends any message.
  /// - Returns: the place before it.
  /// - Throws: when it could not be sent at all.
  @discardableResult
  package func send(_ message: DNSMessage, by way: Way = .multicast) throws(LoopError) -> Mark {
    guard let sockets = held.sockets else { throw LoopError(.cancelled, absence ?? "") }
    let before = mark
    let bytes = message.encoded()
    let port: UInt16
    let destination: IPAddress
    switch way {
    case .multicast, .ownPort:
      port = try sockets.sendToAll(bytes, ownPort: way == .ownPort)
      destination = MDNSSockets.groups[0]
    case .direct(let target):
      port = try sockets.send(bytes, to: target, ownPort: false)
      destination = target.host
    }
    note(
      ObservedPacket(
        number: log.nextNumber, time: readClock(), source: SocketAddress(host: .anyV4, port: port),
        destination: destination, interface: 0, localPort: port, hopLimit: nil, isOwn: true, message: message))
    return before
  }
}
