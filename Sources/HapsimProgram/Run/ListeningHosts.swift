import HAPDiscovery
import HAPLoop

/// The addresses on which accessories listen, and the interfaces on which they are announced.
struct ListeningHosts {
  let places: [ListeningPlace]
  /// The names of the interfaces for mDNS; empty: all that lead to a network.
  let interfaces: [String]
  /// The first address of the interfaces, if interfaces are given.
  private let first: IPAddress?

  /// The interfaces of the machine.
  private let present: [NetworkInterface]

  /// - Parameters:
  ///   - present: the machine's interfaces.
  ///   - bind: an address of this machine; nil: those of `interfaces`, including later changes.
  ///   - interfaces: the names of interfaces; empty: every address.
  /// - Throws: `LoopError` for a missing interface.
  init(_ present: [NetworkInterface], bind: String?, interfaces: [String]) throws(LoopError) {
    self.present = present
    self.interfaces = interfaces
    var addresses: [IPAddress] = []
    for name in interfaces { addresses += try present.addresses(ofInterface: name) }
    first = addresses.first
    // One socket for both IP versions, if the machine has both.
    let hasV6 = present.contains { $0.addresses.contains(where: \.isV6) }
    let everywhere = hasV6 ? IPAddress.anyV6 : .anyV4
    if let bind {
      places = [ListeningPlace(try IPAddress(bind))]
    } else if interfaces.isEmpty {
      places = [ListeningPlace(everywhere)]
    } else {
      places = interfaces.map { ListeningPlace(everywhere, interface: $0) }
    }
  }

  /// An address that users can connect to: the first that belongs to a single machine.
  var shownAddress: IPAddress {
    if let place = places.first, !place.host.isUnspecified { return place.host }
    if let first { return first }
    let interfaces = present.filter { $0.isUp && !$0.isLoopback }
    let candidates = interfaces.flatMap(\.addresses)
    return candidates.first(where: \.isV4) ?? candidates.first { !$0.isLinkLocal } ?? .loopbackV4
  }
}
