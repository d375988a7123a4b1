import HAPCommandLine
import HAPLoop

/// The address where a proxy listens: "51900", "127.0.0.1:51900" or "[::1]:0".
struct ListenAddress: Equatable, Sendable {
  var host: IPAddress
  /// The port; 0 selects a free one.
  var port: UInt16

  /// - Parameter anywhere: whether an address that other machines can reach is permitted.
  init(_ text: String, anywhere: Bool) throws(UsageError) {
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      throw UsageError("\(shown(text)) contains no port; write [HOST:]PORT")
    }
    self.port = port
    guard let colon else {
      host = .loopbackV4
      return
    }
    var name = String(text[..<colon])
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    do throws(LoopError) {
      host = try IPAddress(name == "localhost" ? "127.0.0.1" : name)
    } catch { throw UsageError("\(shown(text)): \(error.detail)") }
    guard host.isLoopback || anywhere else {
      throw UsageError("\(host) can be reached from other machines; add --listen-any to permit that")
    }
  }
}
