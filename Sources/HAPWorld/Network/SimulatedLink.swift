import HAPLoop

/// A link that connects interfaces of several hosts, such as an Ethernet or a Wi-Fi network.
package final class SimulatedLink {
  /// Whether packets pass in one direction.
  enum Passage { case open, cut, stalled }

  private struct Direction: Hashable {
    let from: UInt64
    let to: UInt64
  }

  private struct Override {
    var properties: LinkProperties?
    var isCut = false
    var isStalled = false
  }

  package let name: String
  let id: UInt64
  let network: SimulatedNetwork
  /// The properties of every direction without individual properties.
  package var properties: LinkProperties { didSet { network.topologyChanged() } }
  /// The attached interfaces, in the order in which they were attached.
  package private(set) var interfaces: [SimulatedInterface] = []
  private var overrides: [Direction: Override] = [:]
  private var isCut = false
  private var isStalled = false
  var random: WorldRandom
  /// The members of each multicast group, in the order of their ids.
  private(set) var groups: [IPAddress: [SimulatedInterface]] = [:]
  private var owners: [IPAddress: SimulatedInterface] = [:]
  private var ownersVersion: UInt64 = .max

  init(_ network: SimulatedNetwork, name: String, id: UInt64, _ properties: LinkProperties) {
    self.network = network
    self.name = name
    self.id = id
    self.properties = properties
    random = network.random.fork("link \(id)")
  }

  // MARK: Faults

  /// Stops all traffic. Packets in flight are lost; TCP retransmits them after `heal()`.
  package func cut() { change("link.cut") { isCut = true } }

  /// Stops the traffic in one direction. To stop both directions, call it twice.
  package func cut(from: SimulatedInterface, to: SimulatedInterface) {
    change("link.cut", from, to) { overrides[key(from, to), default: Override()].isCut = true }
  }

  /// Ends all cuts. TCP continues with its next retransmission.
  package func heal() {
    change("link.heal") {
      isCut = false
      for direction in overrides.keys { overrides[direction]!.isCut = false }
    }
  }

  /// Ends the cut of one direction.
  package func heal(from: SimulatedInterface, to: SimulatedInterface) {
    change("link.heal", from, to) { overrides[key(from, to)]?.isCut = false }
  }

  /// Delays TCP segments until `resume()`, which sends them at once. Datagrams are lost meanwhile.
  package func stall() { change("link.stall") { isStalled = true } }

  /// Delays TCP segments in one direction.
  package func stall(from: SimulatedInterface, to: SimulatedInterface) {
    change("link.stall", from, to) { overrides[key(from, to), default: Override()].isStalled = true }
  }

  /// Ends all stalls.
  package func resume() {
    change("link.resume") {
      isStalled = false
      for direction in overrides.keys { overrides[direction]!.isStalled = false }
    }
    network.wakeStalled()
  }

  /// Sets the properties of one direction; nil: it has the link's properties.
  package func setProperties(_ own: LinkProperties?, from: SimulatedInterface, to: SimulatedInterface) {
    overrides[key(from, to), default: Override()].properties = own
    network.topologyChanged()
  }

  private func change(
    _ kind: StaticString, _ from: SimulatedInterface? = nil, _ to: SimulatedInterface? = nil, _ body: () -> Void
  ) {
    body()
    network.topologyChanged()
    network.trace.note(kind, id, from?.id ?? 0, to?.id ?? 0)
  }

  private func key(_ from: SimulatedInterface, _ to: SimulatedInterface) -> Direction {
    Direction(from: from.id, to: to.id)
  }

  // MARK: Traffic

  func passage(from: SimulatedInterface, to: SimulatedInterface) -> Passage {
    if isCut { return .cut }
    if !overrides.isEmpty, let own = overrides[key(from, to)] {
      if own.isCut { return .cut }
      if own.isStalled { return .stalled }
    }
    return isStalled ? .stalled : .open
  }

  func properties(from: SimulatedInterface, to: SimulatedInterface) -> LinkProperties {
    if overrides.isEmpty { return properties }
    return overrides[key(from, to)]?.properties ?? properties
  }

  /// Returns the interface that has an address and is up, on a host that is on.
  func owner(of address: IPAddress) -> SimulatedInterface? {
    if ownersVersion != network.version {
      ownersVersion = network.version
      owners.removeAll(keepingCapacity: true)
      for interface in interfaces where interface.isUp && interface.host.isOn {
        for entry in interface.addresses where owners[entry.address.unscoped] == nil {
          owners[entry.address.unscoped] = interface
        }
      }
    }
    return owners[address.unscoped]
  }

  // MARK: Members

  func attach(_ interface: SimulatedInterface) {
    interfaces.append(interface)
    network.topologyChanged()
  }

  func detach(_ interface: SimulatedInterface) {
    interfaces.removeAll { $0 === interface }
    for group in groups.keys { groups[group]!.removeAll { $0 === interface } }
    network.topologyChanged()
  }

  func join(_ group: IPAddress, _ interface: SimulatedInterface) {
    var members = groups[group.unscoped] ?? []
    if members.contains(where: { $0 === interface }) { return }
    members.insert(interface, at: members.firstIndex { $0.id > interface.id } ?? members.count)
    groups[group.unscoped] = members
  }

  func leave(_ group: IPAddress, _ interface: SimulatedInterface) {
    groups[group.unscoped]?.removeAll { $0 === interface }
    if groups[group.unscoped]?.isEmpty == true { groups[group.unscoped] = nil }
  }

  func forgetAll() {
    interfaces = []
    groups = [:]
    owners = [:]
  }
}

extension IPAddress {
  /// The same address without its scope.
  var unscoped: IPAddress { scope == 0 ? self : IPAddress(bytes: bytes)! }
}
