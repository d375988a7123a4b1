/// Where to listen: at one address, or on one interface whatever addresses it has and will have.
package struct ListeningPlace: Equatable, Sendable {
  /// `0.0.0.0` or `::` for every address.
  package let host: IPAddress
  /// Its name; nil: whichever has the address.
  package let interface: String?

  package init(_ host: IPAddress, interface: String? = nil) {
    self.host = host
    self.interface = interface
  }
}
