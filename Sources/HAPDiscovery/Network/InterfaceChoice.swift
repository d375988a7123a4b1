import HAPLoop

/// The interfaces to advertise on: the named ones, or the local network.
package struct InterfaceChoice: Equatable, Sendable {
  /// Empty: all that are up, can multicast, and are neither loopback nor point-to-point. A loopback interface is used only if it is named.
  package let names: [String]

  package init(_ names: [String]) { self.names = names }

  package func chosen(from all: [NetworkInterface]) -> [NetworkInterface] {
    all.filter { interface in
      guard interface.isUp else { return false }
      if !names.isEmpty { return names.contains(interface.name) }
      return interface.canMulticast && !interface.isLoopback && !interface.isPointToPoint
    }
  }

  /// The message for a choice without an interface.
  package var absence: String {
    switch names.count {
    case 0: "no network interface is up that can multicast"
    case 1: "\(names[0]) is not up"
    default: "none of \(names.joined(separator: ", ")) is up"
    }
  }
}
