import HAPLoop

/// A service that was found on the network, as its records are now.
package struct DiscoveredService: Equatable, Sendable {
  /// The instance's name, which people see. It can be any text of 1...63 bytes.
  package var name: String
  /// In full, "lamp.local".
  package var host: String
  /// 1...65535.
  package var port: UInt16
  /// Of the host, on all interfaces, one at least: IPv4 first, link-local IPv6 last and with its interface.
  package var addresses: [SocketAddress]
  /// Index of the interface on which its place was heard last.
  package var interface: UInt32
  /// The strings of its TXT record, in their order: by rule "key=value", but any bytes may come.
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

/// What a browser has to tell.
package enum BrowserEvent: Equatable, Sendable {
  /// Found, with all that is needed to connect to it.
  case appeared(DiscoveredService)
  /// Something of it is another than was told before.
  case changed(DiscoveredService)
  /// It said goodbye, wasn't heard of for as long as its records last, or can't be seen any more.
  case gone(name: String)
  /// Nothing can be found now, for this reason. Where that can change, it is tried again.
  case trouble(String)
}
