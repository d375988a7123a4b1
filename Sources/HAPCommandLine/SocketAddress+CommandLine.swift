import HAPLoop

extension SocketAddress {
  /// Parses "192.0.2.7:51826", "[fe80::1%eth0]:51826" or "localhost:51826"; nil for other text, which is a name.
  package init?(commandLine text: String) throws(UsageError) {
    do throws(LoopError) { try self.init(text: text) } catch { throw UsageError("\(shown(text)): \(error.detail)") }
  }
}
