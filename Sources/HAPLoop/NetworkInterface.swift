/// A snapshot of a network interface.
package struct NetworkInterface: Hashable, Sendable {
  package let name: String
  /// At least 1.
  package let index: UInt32
  package let isUp: Bool
  package let isLoopback: Bool
  package let isPointToPoint: Bool
  package let canMulticast: Bool
  /// The maximum size in bytes of an IP packet without fragmentation; nil: unknown.
  package let mtu: Int?
  package internal(set) var addresses: [IPAddress]
  /// The prefix length in bits for each of `addresses`; nil: unknown.
  package internal(set) var prefixLengths: [Int?]

  /// Returns the same interface with only the addresses that `isKept` accepts.
  package func keeping(_ isKept: (IPAddress) -> Bool) -> NetworkInterface {
    var kept = self
    let places = addresses.indices.filter { isKept(addresses[$0]) }
    kept.addresses = places.map { addresses[$0] }
    kept.prefixLengths = places.map { prefixLengths[$0] }
    return kept
  }

  /// - Parameters:
  ///   - index: at least 1.
  ///   - mtu: maximum size in bytes of an IP packet without fragmentation; nil: unknown.
  ///   - prefixLengths: prefix length in bits for each of `addresses`; nil: unknown.
  package init(
    name: String, index: UInt32, isUp: Bool, isLoopback: Bool, isPointToPoint: Bool, canMulticast: Bool, mtu: Int?,
    addresses: [IPAddress], prefixLengths: [Int?]
  ) {
    precondition(addresses.count == prefixLengths.count, "each address has its prefix length")
    self.name = name
    self.index = index
    self.isUp = isUp
    self.isLoopback = isLoopback
    self.isPointToPoint = isPointToPoint
    self.canMulticast = canMulticast
    self.mtu = mtu
    self.addresses = addresses
    self.prefixLengths = prefixLengths
  }
}

extension [NetworkInterface] {
  /// - Throws: `.noSuchInterface`, which lists the existing interfaces.
  package func named(_ name: String) throws(LoopError) -> NetworkInterface {
    if let found = first(where: { $0.name == name }) { return found }
    let names = isEmpty ? "there are none" : "there are: \(map(\.name).joined(separator: ", "))"
    throw LoopError(.noSuchInterface, "no interface named \(name); \(names)")
  }

  /// Returns the addresses of one interface, IPv4 before IPv6.
  /// - Throws: `.noSuchInterface`, which lists the existing interfaces.
  package func addresses(ofInterface name: String) throws(LoopError) -> [IPAddress] {
    let addresses = try named(name).addresses
    return addresses.filter(\.isV4) + addresses.filter(\.isV6)
  }
}

extension EventLoop {
  /// Returns the interfaces of the machine, in the order of their index.
  package func interfaces() -> [NetworkInterface] { driver.interfaces() }
}
