import HAPLoop

/// The value of an option that names where a server listens.
package struct ListeningAddress: Equatable, Sendable {
  package var host: IPAddress
  /// Nil: the default port of the program.
  package var port: UInt16?

  /// Parses "127.0.0.1:8080", "8080", ":8080", "192.168.1.2" or "[::1]:0". Without an address, it is that of loopback.
  /// - Returns: nil for another text.
  package init?(_ text: String) {
    var (host, port) = (text, nil as String?)
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      port = rest.isEmpty ? nil : String(rest.dropFirst())
    } else if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      (host, port) = ("", text)
    } else if let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon {
      (host, port) = (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
    if host.isEmpty || host == "localhost" { host = "127.0.0.1" }
    guard let address = try? IPAddress(host) else { return nil }
    self.host = address
    guard let port else { return }
    guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port) else { return nil }
    self.port = number
  }
}
