import HAPCommandLine
import HAPLoop

/// Where a proxy listens: "51900", "127.0.0.1:51900", "[::1]:0".
struct ListenAddress: Equatable, Sendable {
  var host: IPAddress
  /// 0: any that is free.
  var port: UInt16

  /// - Parameter anywhere: also where other machines can reach it.
  init(_ text: String, anywhere: Bool) throws(UsageError) {
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      throw UsageError("\(shown(text)) says no port to listen on: [HOST:]PORT")
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
      throw UsageError("\(host) can be reached from other machines: --listen-any if that is meant")
    }
  }
}
