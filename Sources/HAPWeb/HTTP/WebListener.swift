import HAPIP
import HAPLoop

/// Accepts connections of browsers and programs, and passes each request to `respond`.
///
/// Connections share slots like those of an accessory; see `ConnectionSlots`. The size of a request and the time for sending it are
/// limited. Confined to the loop's thread.
package final class WebListener {
  /// Number of connections with a slot.
  package static let mostConnections = 128
  /// Number of event streams with the same token, so that one client does not take all slots from the others of its address.
  package static let mostStreams = 64

  /// Answers a request, once, immediately or later, on the loop.
  package typealias Respond = (WebRequest, @escaping (WebAnswer) -> Void) -> Void

  private let loop: EventLoop
  private let rules: AccessRules
  private let journal: any EventSource
  private let times: WebTimes
  private let respond: Respond
  private var listener: TCPListener?
  private var slots: ConnectionSlots<WebConnection>

  /// - Parameters:
  ///   - port: 0 for any free one.
  ///   - times: time limits of clients.
  /// - Throws: for example if the address is not of this machine, or the port is in use.
  package init(
    at host: IPAddress, port: UInt16, _ rules: AccessRules, _ journal: any EventSource,
    times: WebTimes = .init(), on loop: EventLoop, respond: @escaping Respond
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

  /// The local address.
  package var address: SocketAddress { listener?.address ?? SocketAddress(host: .loopbackV4, port: 0) }
  var connections: [WebConnection] { slots.all }
  package var connectionCount: Int { connections.count }

  /// Can be called repeatedly.
  package func close() {
    listener?.close()
    listener = nil
    for connection in connections {
      slots.remove(connection)
      connection.close()
    }
  }

  /// Ends the event streams that are not allowed any more, because a token is not valid any more.
  package func checkStreamsAgain() {
    for connection in connections { connection.checkAgain() }
  }

  private var now: Duration { .nanoseconds(Int64(clamping: loop.now)) }

  private func accept(_ stream: TCPStream) {
    let connection = WebConnection(stream, rules, journal, times, respond, openedAt: now, on: loop)
    guard evict(slots.open(connection, at: now)) else { return connection.close() }
    connection.onRequest = { [unowned self, unowned connection] in
      connection.lastHeard = now
      return evict(slots.take(connection, at: now))
    }
    connection.admitsStream = { [unowned self] token in
      connections.count { $0.streamToken == token } < Self.mostStreams
    }
    connection.onLongBody = { [unowned self, unowned connection] in slots.send(connection)?.close() }
    connection.onEnd = { [unowned self, unowned connection] in slots.remove(connection) }
    connection.start()
  }

  /// Closes the evicted connection.
  /// - Returns: whether there is room.
  private func evict(_ admission: ConnectionSlots<WebConnection>.Admission) -> Bool {
    guard case .admitted(let evicted) = admission else { return false }
    evicted?.close()
    return true
  }
}
