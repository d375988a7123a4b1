/// Determines which datagrams pass a faulty network, when, and with which bytes. It does no I/O.
package struct DatagramShaper<Peer: Sendable>: Sendable {
  package struct Datagram: Sendable {
    package var bytes: [UInt8]
    package var peer: Peer
    package var direction: DatagramDirection

    package init(_ bytes: [UInt8], _ peer: Peer, _ direction: DatagramDirection) {
      (self.bytes, self.peer, self.direction) = (bytes, peer, direction)
    }
  }

  private struct Waiting: Sendable {
    var datagram: Datagram
    var due: Duration
    /// Whether it passes after the next one of its direction.
    var isHeld: Bool
  }

  /// Beyond this number of datagrams that wait, others are lost.
  static var mostWaiting: Int { 1000 }

  /// The faults of connections, as far as they mean something for datagrams: delays keep the order.
  package var network = NetworkFault()
  /// In the order in which they pass if they are due at one time.
  private var waiting: [Waiting] = []
  /// The time at which the last datagram of a direction passes, without faults of its own.
  private var last: [DatagramDirection: Duration] = [:]

  package init() {}

  package var isIdle: Bool { waiting.isEmpty && network == NetworkFault() }

  /// The time at which `due` returns the next datagram; `nil`: none waits.
  package var nextDeadline: Duration? { waiting.lazy.map(\.due).min() }

  /// Passes a datagram through the network.
  /// - Parameter script: the faults of datagrams. Their counts and random numbers continue.
  /// - Returns: the datagrams that arrive now, in order.
  package mutating func pass(_ datagram: Datagram, _ script: inout DatagramScript, at now: Duration) -> [Datagram] {
    guard !(datagram.direction == .outbound ? network.stalls : network.isDeaf) else { return [] }
    var datagram = datagram
    var (delay, copies, hold) = (Duration.zero, [Duration](), Duration?.none)
    for effect in script.effects(on: datagram.direction) {
      switch effect {
      case .drop: return []
      case .duplicate(let after): copies.append(after)
      case .delay(let time): delay += time
      case .reorder(let limit): hold = max(hold ?? .zero, limit)
      case .corrupt: datagram.bytes.flipBit(script.number(below: max(datagram.bytes.count * 8, 1)))
      case .withholdAcknowledgement: break
      }
    }
    let base = arrival(datagram.direction, script, at: now)
    add(datagram, at: base + delay + (hold ?? .zero), isHeld: hold != nil)
    for after in copies { add(datagram, at: base + delay + after, isHeld: false) }
    if hold == nil { release(datagram.direction, after: base + delay) }
    return due(at: now)
  }

  /// Returns the datagrams that are due, in order.
  package mutating func due(at now: Duration) -> [Datagram] {
    let (arrived, rest) = (waiting.filter { $0.due <= now }, waiting.filter { $0.due > now })
    waiting = rest
    return arrived.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }
      .map(\.element.datagram)
  }

  /// Returns all datagrams that wait, because the faults have ended.
  package mutating func flush() -> [Datagram] {
    last = [:]
    return due(at: waiting.lazy.map(\.due).max() ?? .zero)
  }

  /// The time at which a datagram without a fault of its own arrives.
  private mutating func arrival(
    _ direction: DatagramDirection, _ script: DatagramScript, at now: Duration
  ) -> Duration {
    var delay = direction == .outbound ? network.delay : network.delayIn
    if direction == .outbound, network.jitter > .zero { delay += network.jitter * script.fraction() }
    guard delay > .zero || last[direction] != nil else { return now }
    let arrival = max(last[direction] ?? now, now + delay)
    last[direction] = arrival
    return arrival
  }

  private mutating func add(_ datagram: Datagram, at due: Duration, isHeld: Bool) {
    guard waiting.count < Self.mostWaiting else { return }
    waiting.append(Waiting(datagram: datagram, due: due, isHeld: isHeld))
  }

  /// Lets the held datagrams of a direction pass after the one that arrives at a time.
  private mutating func release(_ direction: DatagramDirection, after time: Duration) {
    let isReleased = { (entry: Waiting) in entry.isHeld && entry.datagram.direction == direction && entry.due > time }
    var released = waiting.filter(isReleased)
    guard !released.isEmpty else { return }
    waiting.removeAll(where: isReleased)
    for index in released.indices { (released[index].due, released[index].isHeld) = (time, false) }
    waiting += released
  }
}

extension [UInt8] {
  fileprivate mutating func flipBit(_ number: Int) {
    if indices.contains(number / 8) { self[number / 8] ^= 1 << UInt8(number % 8) }
  }
}
