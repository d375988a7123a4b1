import HAPLoop

/// A network interface of a simulated host.
package final class SimulatedInterface {
  /// An address with the length of its network's prefix in bits.
  package struct Address: Equatable, Sendable {
    package let address: IPAddress
    package let prefixLength: Int

    package init(_ address: IPAddress, prefixLength: Int) {
      self.address = address
      self.prefixLength = min(max(prefixLength, 0), address.bytes.count * 8)
    }

    func contains(_ other: IPAddress) -> Bool {
      guard other.bytes.count == address.bytes.count else { return false }
      let whole = prefixLength / 8
      guard address.bytes[..<whole] == other.bytes[..<whole] else { return false }
      let rest = prefixLength % 8
      return rest == 0 || (address.bytes[whole] ^ other.bytes[whole]) >> UInt8(8 - rest) == 0
    }
  }

  package let name: String
  /// The index, from 1. The loopback interface has index 1.
  package let index: UInt32
  package let isLoopback: Bool
  package let mtu: Int
  // The host owns its interfaces.
  package unowned let host: SimulatedHost
  let id: UInt64
  package private(set) var isUp = true
  /// A link-local IPv6 address has `index` as its scope.
  package private(set) var addresses: [Address] = []
  package private(set) var link: SimulatedLink?
  /// The time at which all queued packets will have been sent.
  var busyUntil: UInt64 = 0

  init(_ host: SimulatedHost, name: String, index: UInt32, mtu: Int, isLoopback: Bool, _ addresses: [Address]) {
    self.host = host
    self.name = name
    self.index = index
    self.mtu = max(mtu, 576)
    self.isLoopback = isLoopback
    id = host.network.newID()
    self.addresses = addresses.map(scoped)
  }

  /// Sets the interface up or down. Its addresses stay.
  package func setUp(_ isUp: Bool) {
    guard isUp != self.isUp else { return }
    self.isUp = isUp
    host.network.trace.note("interface.up", id, isUp ? 1 : 0)
    host.interfacesChanged()
  }

  /// Replaces all addresses. Connections on a removed address receive no more packets.
  package func setAddresses(_ addresses: [Address]) {
    self.addresses = addresses.map(scoped)
    host.network.trace.note("interface.addresses", id, UInt64(addresses.count))
    host.interfacesChanged()
  }

  /// Connects the interface to a link; nil: disconnects it. Has no effect on a loopback interface.
  package func attach(to link: SimulatedLink?) {
    guard !isLoopback, link !== self.link else { return }
    let memberships = host.memberships(of: self)
    self.link?.detach(self)
    self.link = link
    link?.attach(self)
    for group in memberships { link?.join(group, self) }
    host.network.trace.note("interface.attach", id, link?.id ?? 0)
  }

  /// Returns the source address for a destination. An address in the destination's network is preferred, then a
  /// link-local one for a link-local destination or an IPv6 group, then any.
  func source(for destination: IPAddress) -> IPAddress? {
    let family = addresses.filter { $0.address.isV4 == destination.isV4 }
    if let same = family.first(where: { $0.contains(destination) }) { return same.address }
    let wantsLinkLocal = destination.isLinkLocal || (destination.isV6 && destination.isMulticast)
    return (family.first { $0.address.isLinkLocal == wantsLinkLocal } ?? family.first)?.address
  }

  func has(_ address: IPAddress) -> Bool {
    for entry in addresses where entry.address.bytes == address.bytes { return true }
    return false
  }

  private func scoped(_ entry: Address) -> Address {
    let address = entry.address
    let scope = address.isV6 && address.isLinkLocal ? index : 0
    return Address(IPAddress(bytes: address.bytes, scope: scope)!, prefixLength: entry.prefixLength)
  }

  func forgetAll() {
    link?.forgetAll()
    link = nil
  }
}
