import HAPLoop

/// Hosts and links with TCP, UDP and local sockets. The agenda drives them; no real I/O takes place.
///
/// Every callback to a process is an action of the agenda. No method calls a callback directly. Call `tearDown()` at
/// the end, because the objects of a network refer to each other.
package final class SimulatedNetwork {
  /// Limits that are the same on all hosts.
  package struct Settings: Sendable {
    /// The maximum number of unread bytes of one end of a connection.
    package var receiveBuffer = 131_072
    /// The maximum number of unacknowledged bytes of one end of a connection.
    package var sendBuffer = 131_072
    /// The maximum size of the unread datagrams of a UDP socket in bytes. Each datagram counts 768 bytes more than its
    /// data.
    package var datagramBuffer = 212_992
    /// The maximum backlog of a listener.
    package var longestBacklog = 4096

    package init() {}
  }

  package let agenda: Agenda
  package let settings: Settings
  package private(set) var hosts: [SimulatedHost] = []
  package private(set) var links: [SimulatedLink] = []
  let random: WorldRandom
  var trace: Trace { agenda.trace }
  /// A number that changes when a route may have changed.
  private(set) var version: UInt64 = 0
  private var lastID: UInt64 = 0
  /// The connections that continue when a stall ends, in the order in which they stopped.
  private var stalled: [SimulatedConnection] = []
  /// The connections that have a peer. The two ends refer to each other, also after their hosts have removed them.
  private var paired: [UInt64: SimulatedConnection] = [:]

  package init(_ agenda: Agenda, settings: Settings = Settings()) {
    self.agenda = agenda
    self.settings = settings
    random = WorldRandom(seed: agenda.seed).fork("network")
  }

  /// Adds a host that is on. Its only interface is the loopback interface.
  package func addHost(_ name: String) -> SimulatedHost {
    let host = SimulatedHost(self, name: name, id: newID())
    hosts.append(host)
    return host
  }

  package func addLink(_ name: String, _ properties: LinkProperties = LinkProperties()) -> SimulatedLink {
    let link = SimulatedLink(self, name: name, id: newID(), properties)
    links.append(link)
    return link
  }

  /// Removes everything: all sockets, callbacks and scheduled actions of the agenda.
  /// - Parameter runTasks: runs the tasks that were resumed at the end of a callback.
  package func tearDown(runTasks: () -> Void = {}) {
    agenda.removeAll()
    for host in hosts { host.tearDown() }
    for connection in paired.values { connection.tearDown() }
    for link in links { link.forgetAll() }
    hosts = []
    links = []
    stalled = []
    runTasks()
    agenda.removeAll()
  }

  func newID() -> UInt64 {
    lastID += 1
    return lastID
  }

  func peerChanged(of connection: SimulatedConnection) {
    paired[connection.id] = connection.peer == nil ? nil : connection
  }

  func topologyChanged() { version += 1 }

  // MARK: Stalls

  func wakeAfterStall(_ connection: SimulatedConnection) { stalled.append(connection) }

  func wakeStalled() {
    let waiting = stalled
    stalled = []
    for connection in waiting { connection.stallEnded() }
  }
}
