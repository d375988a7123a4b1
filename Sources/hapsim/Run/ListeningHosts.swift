import HAPDiscovery
import HAPLoop

/// Where accessories listen, and on which interfaces they are announced.
struct ListeningHosts {
  let addresses: [IPAddress]
  /// Names for mDNS; empty: all that lead to a network.
  let interfaces: [String]

  /// - Parameters:
  ///   - bind: an address of this machine; nil: those of `interfaces`.
  ///   - interfaces: names; empty: every address.
  /// - Throws: `LoopError` for an interface that isn't there or has no address.
  init(bind: String?, interfaces: [String]) throws(LoopError) {
    self.interfaces = interfaces
    var found: [IPAddress] = []
    for name in interfaces {
      let ofInterface = try interfaceAddresses(named: name)
      guard !ofInterface.isEmpty else { throw LoopError(.addressNotAvailable, "interface \(name) has no address") }
      for address in ofInterface where !found.contains(address) { found.append(address) }
    }
    if let bind {
      addresses = [try IPAddress(bind)]
    } else if interfaces.isEmpty {
      // One socket for both versions, where the machine has both.
      let hasV6 = NetworkInterface.all().contains { $0.addresses.contains(where: \.isV6) }
      addresses = [hasV6 ? IPAddress.anyV6 : .anyV4]
    } else {
      addresses = found
    }
  }

  /// An address that a person can use: the first that is one machine's.
  var shownAddress: IPAddress {
    guard let first = addresses.first, first.isUnspecified else { return addresses.first ?? .loopbackV4 }
    let interfaces = NetworkInterface.all().filter { $0.isUp && !$0.isLoopback }
    let candidates = interfaces.flatMap(\.addresses)
    return candidates.first(where: \.isV4) ?? candidates.first { !$0.isLinkLocal } ?? .loopbackV4
  }
}
