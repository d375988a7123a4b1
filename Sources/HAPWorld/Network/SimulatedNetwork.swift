import HAPLoop

/// Hosts joined by links, with TCP, UDP and local sockets: a pure machine that the agenda drives.
///
/// Every callback to a process is an action of the agenda; no callback comes from within a call. Call `tearDown()` at the end, because the
/// objects of a network refer to each other.
package final class SimulatedNetwork {
  /// Sizes that are the same on all hosts.
  package struct Settings: Sendable {
    /// Bytes that one end of a connection keeps for its process to read.
    package var receiveBuffer = 131_072
    /// Bytes that one end of a connection keeps until the peer has acknowledged them.
    package var sendBuffer = 131_072
    /// Unread datagrams of a UDP socket in bytes, with 768 for the bookkeeping of each.
    package var datagramBuffer = 212_992
    /// The highest backlog of a listener.
    package var longestBacklog = 4096

    package init() {}
  }

  package let agenda: Agenda
  package let settings: Settings
  package private(set) var hosts: [SimulatedHost] = []
  package private(set) var links: [SimulatedLink] = []
  let random: WorldRandom
  var trace: Trace { agenda.trace }
  /// Changes when a route may have changed.
  private(set) var version: UInt64 = 0
  private var lastID: UInt64 = 0
  /// Connections to wake when a stall ends, in the order in which they stopped.
  private var stalled: [SimulatedConnection] = []

  package init(_ agenda: Agenda, settings: Settings = Settings()) {
    self.agenda = agenda
    self.settings = settings
    random = WorldRandom(seed: agenda.seed).fork("network")
  }

  /// Adds a host that is on and has only its loopback interface.
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

  /// Drops everything: all sockets, callbacks and scheduled actions of the agenda.
  /// - Parameter runTasks: runs the tasks that the end of a callback resumed.
  package func tearDown(runTasks: () -> Void = {}) {
    agenda.removeAll()
    for host in hosts { host.tearDown() }
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

  func topologyChanged() { version += 1 }

  // MARK: Stalls

  func wakeAfterStall(_ connection: SimulatedConnection) { stalled.append(connection) }

  func wakeStalled() {
    let waiting = stalled
    stalled = []
    for connection in waiting { connection.stallEnded() }
  }
}
