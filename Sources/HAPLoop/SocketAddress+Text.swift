extension SocketAddress {
  /// Parses "192.0.2.7:51826", "[fe80::1%eth0]:51826" or "localhost:51826". Returns nil for any other text.
  /// - Throws: `.malformedAddress`; `.noSuchInterface` for the part after a %.
  package init?(text: String) throws(LoopError) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      return nil
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    // A device ID such as AA:BB:CC:DD:EE:11 ends like an address with a port.
    let parts = host.split(separator: ":")
    if parts.count == 5, parts.allSatisfy({ $0.count == 2 }) { return nil }
    self.init(host: try IPAddress(host == "localhost" ? "127.0.0.1" : host), port: port)
  }
}
