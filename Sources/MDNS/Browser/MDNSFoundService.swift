/// A service that the browser found, with its current records.
package struct MDNSFoundService: Equatable, Sendable {
  /// An address of a service's host.
  package struct Address: Equatable, Sendable {
    package var address: MDNSAddress
    /// The index of the interface for a link-local IPv6 address; 0 for all other addresses.
    package var scope: UInt32

    package init(_ address: MDNSAddress, scope: UInt32 = 0) {
      self.address = address
      self.scope = scope
    }
  }

  /// The first label of the instance's name: 1...63 bytes, which should be UTF-8.
  package var name: [UInt8]
  /// The type that was passed to `MDNSBrowser.browse(_:at:)`.
  package var type: String
  /// The full host name in lower case, with escapes as in `DNSName.description`: "lamp.local".
  package var host: String
  /// The port, 1...65535.
  package var port: UInt16
  /// The addresses of the host on all interfaces, at least one: IPv4 first, link-local IPv6 last.
  package var addresses: [Address]
  /// The index of the interface on which the newest SRV record arrived.
  package var interface: UInt32
  /// The strings of the newest TXT record in their order, without empty ones.
  package var text: [[UInt8]]

  package init(
    name: [UInt8], type: String, host: String, port: UInt16, addresses: [Address], interface: UInt32, text: [[UInt8]]
  ) {
    self.name = name
    self.type = type
    self.host = host
    self.port = port
    self.addresses = addresses
    self.interface = interface
    self.text = text
  }
}

/// A report of a browser.
package enum MDNSBrowserReport: Equatable, Sendable {
  /// The service is resolved: its SRV and TXT records and at least one address are known.
  case appeared(MDNSFoundService)
  /// The service differs from the last report.
  case changed(MDNSFoundService)
  /// The service is gone: it sent a goodbye, its records expired or were not confirmed, or its interface was removed.
  case gone(name: [UInt8], type: String)
}

/// An output of the browser.
package enum MDNSBrowserOutput: Equatable, Sendable {
  case send(MDNSPacket)
  case report(MDNSBrowserReport)
}
