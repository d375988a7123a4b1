/// Where to listen: at one address, or on one interface with all its present and future addresses.
package struct ListeningPlace: Equatable, Sendable {
  /// `0.0.0.0` or `::` for every address.
  package let host: IPAddress
  /// The interface name; nil: any interface with that address.
  package let interface: String?

  package init(_ host: IPAddress, interface: String? = nil) {
    self.host = host
    self.interface = interface
  }
}
