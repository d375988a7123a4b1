import HAPLoop

/// A service that was found on the network, with its current records.
package struct DiscoveredService: Equatable, Sendable {
  /// The instance name, which users see. It can be any text of 1...63 bytes.
  package var name: String
  /// The full host name, such as "lamp.local".
  package var host: String
  /// 1...65535.
  package var port: UInt16
  /// The addresses of the host on all interfaces, at least one: IPv4 first, link-local IPv6 last and with its interface.
  package var addresses: [SocketAddress]
  /// The index of the interface on which its SRV record was received last.
  package var interface: UInt32
  /// The strings of its TXT record in their order. Each one should be "key=value", but can be any bytes.
  package var txt: [[UInt8]]

  package init(
    name: String, host: String, port: UInt16, addresses: [SocketAddress], interface: UInt32, txt: [[UInt8]]
  ) {
    self.name = name
    self.host = host
    self.port = port
    self.addresses = addresses
    self.interface = interface
    self.txt = txt
  }
}

/// An event of a browser.
package enum BrowserEvent: Equatable, Sendable {
  /// A service was found and can be connected to.
  case appeared(DiscoveredService)
  /// A service differs from the last event about it.
  case changed(DiscoveredService)
  /// The service said goodbye, its records expired, or it is no longer reachable.
  case gone(name: String)
  /// No service can be found now, for this reason. If the reason can change, the browser tries again.
  case trouble(String)
}
