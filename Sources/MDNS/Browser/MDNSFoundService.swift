/// A service that the browser found, as its records are now.
package struct MDNSFoundService: Equatable, Sendable {
  /// An address of a service's host.
  package struct Address: Equatable, Sendable {
    package var address: MDNSAddress
    /// Index of the interface of a link-local IPv6 address; 0 for all other addresses.
    package var scope: UInt32

    package init(_ address: MDNSAddress, scope: UInt32 = 0) {
      self.address = address
      self.scope = scope
    }
  }

  /// The first label of the instance's name: 1...63 bytes, UTF-8 by rule.
  package var name: [UInt8]
  /// As given to `MDNSBrowser.browse(_:at:)`.
  package var type: String
  /// In full and in lower case, with escapes as in `DNSName.description`: "lamp.local".
  package var host: String
  /// 1...65535.
  package var port: UInt16
  /// Of the host on all interfaces, one at least: IPv4 first, link-local IPv6 last.
  package var addresses: [Address]
  /// Index of the interface on which the newest SRV record was heard.
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

/// What a browser found.
package enum MDNSBrowserReport: Equatable, Sendable {
  /// SRV, TXT and at least one address are known.
  case appeared(MDNSFoundService)
  /// Something is different from the last report.
  case changed(MDNSFoundService)
  /// It said goodbye, its records expired or were refuted, or its interface is gone.
  case gone(name: [UInt8], type: String)
}

/// An output of the browser.
package enum MDNSBrowserOutput: Equatable, Sendable {
  case send(MDNSPacket)
  case report(MDNSBrowserReport)
}
