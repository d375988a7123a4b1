import HAPLoop

/// The addresses on which accessories listen, and whether they are announced by multicast DNS.
package struct SimulatorNetwork: Hashable, Sendable {
  /// `nil`: the addresses of the interfaces.
  private let address: String?
  /// Empty: all.
  private let interfaces: [String]
  private let isAnnounced: Bool

  package init(address: String?, interfaces: [String], isAnnounced: Bool) {
    self.address = address
    self.interfaces = interfaces
    self.isAnnounced = isAnnounced
  }

  /// The resolved places to listen and to announce.
  struct Places {
    let places: [ListeningPlace]
    /// `nil`: nothing is announced.
    let announced: (interfaces: [String], bindsToAddress: Bool)?
    /// An address that a controller on this machine can use.
    let shown: IPAddress
  }

  /// - Parameter present: the existing interfaces.
  func resolve(_ present: [NetworkInterface]) throws(LoopError) -> Places {
    if let address {
      let host = try IPAddress(address)
      let announced = isAnnounced ? (interfaces: [String](), bindsToAddress: !host.isUnspecified) : nil
      return Places(
        places: [ListeningPlace(host)], announced: announced, shown: host.isUnspecified ? .loopbackV4 : host)
    }
    // One socket for both IP versions, if the machine has both.
    let hasV6 = present.contains { $0.addresses.contains(where: \.isV6) }
    let everywhere = hasV6 ? IPAddress.anyV6 : .anyV4
    var addresses: [IPAddress] = []
    for name in interfaces { addresses += try present.addresses(ofInterface: name) }
    return Places(
      places: interfaces.isEmpty
        ? [ListeningPlace(everywhere)] : interfaces.map { ListeningPlace(everywhere, interface: $0) },
      announced: isAnnounced ? (interfaces, false) : nil, shown: addresses.first ?? .loopbackV4)
  }
}
