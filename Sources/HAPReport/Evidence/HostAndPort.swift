/// An address and a port in the notation of transcripts: "127.0.0.1:40000", "[fe80::1%eth0]:51826".
struct HostAndPort: Hashable, Sendable {
  /// The address: 4 or 16 bytes.
  var address: [UInt8]
  var port: UInt16

  var isIPv6: Bool { address.count == 16 }

  init(address: [UInt8], port: UInt16) {
    self.address = address
    self.port = port
  }

  /// - Returns: `nil` if the text is not an address with a port.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
      let port = UInt16(String(decoding: bytes[(colon + 1)...], as: UTF8.self))
    else { return nil }
    self.port = port
    var host = bytes[..<colon]
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
      host = host.dropFirst().dropLast()
      if let zone = host.firstIndex(of: UInt8(ascii: "%")) { host = host[..<zone] }
      guard let address = Self.ipv6(String(decoding: host, as: UTF8.self)) else { return nil }
      self.address = address
    } else {
      guard let address = Self.ipv4(String(decoding: host, as: UTF8.self)) else { return nil }
      self.address = address
    }
  }

  private static func ipv4(_ text: String) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { (1...3).contains($0.utf8.count) ? UInt8($0) : nil }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  /// Parses an address as RFC 4291 §2.2 defines it, including a trailing IPv4 address.
  private static func ipv6(_ text: String) -> [UInt8]? {
    var halves: [[UInt8]] = [[]]
    var parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if text.hasPrefix("::") { parts.removeFirst() }
    if text.hasSuffix("::") { parts.removeLast() }
    for (index, part) in parts.enumerated() {
      if part.isEmpty {
        guard halves.count == 1 else { return nil }
        halves.append([])
      } else if index == parts.count - 1, let end = ipv4(String(part)) {
        halves[halves.count - 1] += end
      } else {
        guard part.utf8.count <= 4, let group = UInt16(part, radix: 16) else { return nil }
        halves[halves.count - 1] += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    let count = halves.reduce(0) { $0 + $1.count }
    if halves.count == 1 { return count == 16 ? halves[0] : nil }
    guard count <= 14 else { return nil }
    return halves[0] + Array(repeating: 0, count: 16 - count) + halves[1]
  }
}
