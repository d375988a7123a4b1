/// A network interface, as it was when asked.
package struct NetworkInterface: Hashable, Sendable {
  package let name: String
  /// From 1.
  package let index: UInt32
  package let isUp: Bool
  package let isLoopback: Bool
  package let isPointToPoint: Bool
  package let canMulticast: Bool
  /// Bytes of the largest IP packet that leaves in one piece; nil: unknown.
  package let mtu: Int?
  package internal(set) var addresses: [IPAddress]
  /// Bits of the network's part of each of `addresses`; nil: unknown.
  package internal(set) var prefixLengths: [Int?]

  /// The same interface with those of its addresses that `isKept` keeps.
  package func keeping(_ isKept: (IPAddress) -> Bool) -> NetworkInterface {
    var kept = self
    let places = addresses.indices.filter { isKept(addresses[$0]) }
    kept.addresses = places.map { addresses[$0] }
    kept.prefixLengths = places.map { prefixLengths[$0] }
    return kept
  }

  /// - Parameters:
  ///   - index: from 1.
  ///   - mtu: bytes of the largest IP packet that leaves in one piece; nil: unknown.
  ///   - prefixLengths: bits of the network's part of each of `addresses`; nil: unknown.
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
  /// - Throws: `.noSuchInterface`, which names those there are.
  package func named(_ name: String) throws(LoopError) -> NetworkInterface {
    if let found = first(where: { $0.name == name }) { return found }
    let names = isEmpty ? "there are none" : "there are: \(map(\.name).joined(separator: ", "))"
    throw LoopError(.noSuchInterface, "no interface named \(name); \(names)")
  }

  /// The addresses of one interface, IPv4 before IPv6.
  /// - Throws: `.noSuchInterface`, which names those there are.
  package func addresses(ofInterface name: String) throws(LoopError) -> [IPAddress] {
    let addresses = try named(name).addresses
    return addresses.filter(\.isV4) + addresses.filter(\.isV6)
  }
}

extension EventLoop {
  /// The interfaces of the machine, in the order of their index.
  package func interfaces() -> [NetworkInterface] { driver.interfaces() }
}
