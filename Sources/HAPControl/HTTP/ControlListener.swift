import HAPLoop

/// Listens for people's browsers and programs' requests, and hands each request to who answers it.
///
/// Everything has a bound: so many connections, of which the one silent longest to whom nothing is owed gives way to a new one; so many bytes in a request; so much time until
/// it is there. Belongs to the loop's thread.
package final class ControlListener {
  package static let mostConnections = 128

  /// Answers a request, once; now or later, on the loop.
  package typealias Respond = (ControlRequest, @escaping (ControlAnswer) -> Void) -> Void

  private let loop: EventLoop
  private let rules: AccessRules
  private let journal: EventJournal
  private let times: ControlTimes
  private let respond: Respond
  private var listener: TCPListener?
  /// The one that was heard last is the last.
  private(set) var connections: [ControlConnection] = []

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
    listener = try TCPListener(loop, host: host, port: port) { [unowned self] in accept($0) }
  }

  /// Where it listens.
  package var address: SocketAddress { listener?.address ?? SocketAddress(host: .loopbackV4, port: 0) }
  package var connectionCount: Int { connections.count }

  /// Any number of times.
  package func close() {
    listener?.close()
    listener = nil
    let open = connections
    connections = []
    for connection in open { connection.close() }
  }

  private func accept(_ stream: TCPStream) {
    if connections.count == Self.mostConnections {
      // With every place taken by somebody who is being answered or told events, there is none.
      guard let idle = connections.firstIndex(where: \.givesWay) else { return stream.close() }
      connections.remove(at: idle).close()
    }
    let connection = ControlConnection(stream, rules, journal, times, respond, on: loop)
    connections.append(connection)
    connection.onHeard = { [unowned self, unowned connection] in
      guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
      connections.append(connections.remove(at: index))
    }
    connection.onEnd = { [unowned self, unowned connection] in connections.removeAll { $0 === connection } }
    connection.start()
  }
}
