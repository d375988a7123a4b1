import HAPDiscovery
import HAPLoop

/// Where accessories listen, and on which interfaces they are announced.
struct ListeningHosts {
  let places: [ListeningPlace]
  /// Names for mDNS; empty: all that lead to a network.
  let interfaces: [String]
  /// The first address of the interfaces, where there are any.
  private let first: IPAddress?

  /// Those of the machine.
  private let present: [NetworkInterface]

  /// - Parameters:
  ///   - present: the machine's interfaces.
  ///   - bind: an address of this machine; nil: those of `interfaces`, as they come and go.
  ///   - interfaces: names; empty: every address.
  /// - Throws: `LoopError` for an interface that isn't there.
  init(_ present: [NetworkInterface], bind: String?, interfaces: [String]) throws(LoopError) {
    self.present = present
    self.interfaces = interfaces
    var addresses: [IPAddress] = []
    for name in interfaces { addresses += try present.addresses(ofInterface: name) }
    first = addresses.first
    // One socket for both versions, where the machine has both.
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

  /// An address that a person can use: the first that is one machine's.
  var shownAddress: IPAddress {
    if let place = places.first, !place.host.isUnspecified { return place.host }
    if let first { return first }
    let interfaces = present.filter { $0.isUp && !$0.isLoopback }
    let candidates = interfaces.flatMap(\.addresses)
    return candidates.first(where: \.isV4) ?? candidates.first { !$0.isLinkLocal } ?? .loopbackV4
  }
}
