import HAPDiscovery
import HAPLoop
import HAPWire

/// Observes multicast DNS packet by packet. Test cases need what daemons hide: TTLs, cache-flush bits, probes, goodbyes and destinations.
///
/// An actor on its loop. It logs packets that concern services of its type or watched names, and ignores all others.
package actor MDNSObserver {
  /// A position in the packet log; used as "from here on".
  package struct Mark: Hashable, Sendable {
    let place: PacketLog.Mark
  }

  /// How a message is sent.
  package enum Way: Hashable, Sendable {
    /// To the multicast group, from port 5353.
    case multicast
    /// To the multicast group, from an ephemeral port. Responders treat it as a legacy query and answer to that port. RFC 6762 §6.7.
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
  /// Why nothing can be received; nil if the observer is open.
  package private(set) var absence: String? = "it was not opened"

  private var log = PacketLog()
  private var watched: Set<DNSName> = []
  /// Host names in SRV records of the type's services.
  private var hosts: Set<DNSName> = []
  private var waiters: [Int: Waiter] = [:]
  private var lastTicket = 0
  var claims: [NameClaim.Standing] = []
  var lastClaim = 0

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Largest number of names to watch; further ones are ignored.
  private static let nameLimit = 4096

  private struct Waiter {
    let matches: (ObservedPacket) -> Bool
    let timer: LoopTimer
    let continuation: CheckedContinuation<ObservedPacket?, Never>
  }

  /// Loop-bound state. It outlives a released observer until the loop has closed it.
  private final class Held {
    var sockets: MDNSSockets?
    func close() {
      sockets?.close()
      sockets = nil
    }
  }

  /// - Parameters:
  ///   - loop: a running loop. The observer is bound to it.
  ///   - interfaces: names; empty: all that are up, can multicast, and are neither loopback nor point-to-point.
  ///   - type: the service type; types other than `_hap._tcp` are for tests.
  ///   - readClock: the clock for packet times, for example time since the start of a run. The default starts at zero now.
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

  /// Starts to listen. Call it once.
  /// - Returns: nil on success, or why multicast is unavailable. `absence` has the same text from then on.
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

  /// Closes the observer: releases all claims with a goodbye, and returns nil to all waiting calls. Can be called repeatedly.
  package func close() {
    if isClosed { return }
    for claim in claims { release(claim.claim) }
    isClosed = true
    absence = "it was closed"
    held.close()
    for ticket in waiters.keys.sorted() { finish(ticket, with: nil) }
  }

  // MARK: Receiving

  /// Also logs packets with this name, such as another service's instance or a host.
  package func watch(_ name: DNSName) { if watched.count < Self.nameLimit { watched.insert(name) } }

  /// The current position in the log: all later packets are after it.
  package var mark: Mark { Mark(place: log.mark) }

  /// The position before the first packet.
  package nonisolated static var start: Mark { Mark(place: PacketLog.Mark(number: 0)) }

  /// Returns the packets logged after a mark, own packets included. The log keeps at most 4096 packets or 16 MB, and drops the oldest
  /// first.
  package func packets(after mark: Mark = start) -> [ObservedPacket] { Array(log.packets(after: mark.place)) }

  /// Returns the first packet after a mark for which `matches` is true, whether logged already or received in time.
  /// - Parameters:
  ///   - limit: how long to wait, from now.
  ///   - matches: called on the loop, for own packets too.
  /// - Returns: nil on timeout, if the task was cancelled, or if the observer was closed.
  package func first(
    after mark: Mark, within limit: Duration, where matches: @escaping @Sendable (ObservedPacket) -> Bool
  ) async -> ObservedPacket? {
    lastTicket += 1
    let ticket = lastTicket
    return await withTaskCancellationHandler {
      // The use of `self` keeps the closure on the loop.
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
    // Ignore malformed messages and those that aren't multicast DNS (RFC 6762 §18.3).
    guard let message = try? DNSMessage(decoding: datagram.bytes), message.opcode == 0, message.responseCode == 0
    else { return }
    if concerns(message) {
      note(
        ObservedPacket(
          number: log.nextNumber, time: time, source: datagram.source, destination: datagram.destination,
          interface: datagram.interface, localPort: port, hopLimit: datagram.hopLimit, isOwn: false, message: message))
    }
    // A claimed name can be outside of the observer's type.
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

  // MARK: Queries

  /// Sends a query without waiting for answers.
  /// - Parameters:
  ///   - unicastResponse: requests a unicast response for all `questions`.
  ///   - knownAnswers: records that need no answer. RFC 6762 §7.1.
  ///   - id: repeated in the answers to `.ownPort`; must be 0 otherwise.
  /// - Returns: the mark before the query; answers come after it.
  /// - Throws: if it could not be sent at all.
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
  /// - Returns: the mark before it.
  /// - Throws: if it could not be sent at all.
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
