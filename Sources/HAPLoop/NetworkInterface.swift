#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A network interface of this machine, as it was when asked.
package struct NetworkInterface: Hashable, Sendable {
  package let name: String
  /// From 1.
  package let index: UInt32
  package let isUp: Bool
  package let isLoopback: Bool
  package let isPointToPoint: Bool
  package let canMulticast: Bool
  package fileprivate(set) var addresses: [IPAddress]

  /// The same interface with those of its addresses that `isKept` keeps.
  package func keeping(_ isKept: (IPAddress) -> Bool) -> NetworkInterface {
    var kept = self
    kept.addresses = addresses.filter(isKept)
    return kept
  }

  /// All interfaces in the order of their index.
  package static func all() -> [NetworkInterface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [String: NetworkInterface] = [:]
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let name = String(cString: entry.ifa_name)
      let flags = Int(entry.ifa_flags)
      let new = NetworkInterface(
        name: name, index: if_nametoindex(entry.ifa_name), isUp: flags & Int(IFF_UP) != 0,
        isLoopback: flags & Int(IFF_LOOPBACK) != 0, isPointToPoint: flags & Int(IFF_POINTOPOINT) != 0,
        canMulticast: flags & Int(IFF_MULTICAST) != 0, addresses: [])
      var interface = found[name] ?? new
      if let address = entry.ifa_addr, let socket = SocketAddress(address) { interface.addresses.append(socket.host) }
      found[name] = interface
    }
    return found.values.sorted { $0.index < $1.index }
  }

  /// - Throws: `.noSuchInterface`, which names those there are.
  package static func named(_ name: String) throws(LoopError) -> NetworkInterface {
    let all = all()
    if let found = all.first(where: { $0.name == name }) { return found }
    let names = all.isEmpty ? "there are none" : "there are: \(all.map(\.name).joined(separator: ", "))"
    throw LoopError(.noSuchInterface, "no interface named \(name); \(names)")
  }

  /// nil when there is none of that index (any more).
  package static func name(ofIndex index: UInt32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      if_indextoname(index, buffer.baseAddress!).map { String(cString: $0) }
    }
  }
}

/// The addresses of one interface, IPv4 before IPv6.
/// - Throws: `.noSuchInterface`, which names those there are.
package func interfaceAddresses(named name: String) throws(LoopError) -> [IPAddress] {
  let addresses = try NetworkInterface.named(name).addresses
  return addresses.filter(\.isV4) + addresses.filter(\.isV6)
}
