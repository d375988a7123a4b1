import HAPIP
import HAPLoop

/// Listens for people's browsers and programs' requests, and hands each request to who answers it.
///
/// Connections share slots as those of an accessory do; see `ConnectionSlots`. The bytes of a request and the time until it is there have bounds. Belongs to
/// the loop's thread.
package final class ControlListener {
  /// Connections with a slot.
  package static let mostConnections = 128

  /// Answers a request, once; now or later, on the loop.
  package typealias Respond = (ControlRequest, @escaping (ControlAnswer) -> Void) -> Void

  private let loop: EventLoop
  private let rules: AccessRules
  private let journal: EventJournal
  private let times: ControlTimes
  private let respond: Respond
  private var listener: TCPListener?
  private var slots: ConnectionSlots<ControlConnection>

  /// - Parameters:
  ///   - port: 0 for any free one.
  ///   - times: how long others may take.
  /// - Throws: the address is not of this machine, the port is taken, …
  package init(
    at host: IPAddress, port: UInt16, _ rules: AccessRules, _ journal: EventJournal,
    times: ControlTimes = .init(), on loop: EventLoop, respond: @escaping Respond
  ) throws(LoopError) {
    self.loop = loop
    self.rules = rules
    self.journal = journal
    self.times = times
    self.respond = respond
    slots = ConnectionSlots(
      limit: Self.mostConnections, waitingLimit: slotWaitingLimit(openFiles: loop.descriptorLimit),
      sessionPatience: .zero)
    listener = try TCPListener(loop, host: host, port: port) { [unowned self] in accept($0) }
    listener?.onError = { [unowned self] error in
      guard error.code == .tooManyOpenFiles else { return }
      for evicted in slots.shrinkWaiting(at: now) { evicted.close() }
    }
  }

  /// Where it listens.
  package var address: SocketAddress { listener?.address ?? SocketAddress(host: .loopbackV4, port: 0) }
  var connections: [ControlConnection] { slots.all }
  package var connectionCount: Int { connections.count }

  /// Any number of times.
  package func close() {
    listener?.close()
    listener = nil
    for connection in connections {
      slots.remove(connection)
      connection.close()
    }
  }

  private var now: Duration { .nanoseconds(Int64(clamping: loop.now)) }

  private func accept(_ stream: TCPStream) {
    let connection = ControlConnection(stream, rules, journal, times, respond, openedAt: now, on: loop)
    guard evict(slots.open(connection, at: now)) else { return connection.close() }
    connection.onRequest = { [unowned self, unowned connection] in
      connection.lastHeard = now
      return evict(slots.take(connection, at: now))
    }
    connection.onLongBody = { [unowned self, unowned connection] in slots.send(connection)?.close() }
    connection.onEnd = { [unowned self, unowned connection] in slots.remove(connection) }
    connection.start()
  }

  /// Closes the evicted connection.
  /// - Returns: whether there is room.
  private func evict(_ admission: ConnectionSlots<ControlConnection>.Admission) -> Bool {
    guard case .admitted(let evicted) = admission else { return false }
    evicted?.close()
    return true
  }
}
