/// The remote address under which a connection is counted when connection slots are shared.
///
/// An IPv4 address counts as a whole. An IPv6 address counts by its /64, because one machine may use every address of
/// it. A link-local IPv6 address counts as a whole with its interface, because all of them share one /64.
package struct RemoteAddress: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64
  /// The interface of a link-local address with "%", or the text of a peer that is not an IP address; otherwise
  /// empty.
  private let scope: String

  /// - Parameter peer: "192.0.2.1:51826" or "[2001:db8::1]:51826". Any other text counts as a separate address.
  package init(peer: String) {
    var host = Substring(peer)
    if peer.hasPrefix("["), let end = peer.lastIndex(of: "]") {
      host = peer[peer.index(after: peer.startIndex)..<end]
    } else if let colon = peer.lastIndex(of: ":") {
      host = peer[..<colon]
    }
    guard let groups = Self.groups(of: host.prefix { $0 != "%" }) else {
      (high, low, scope) = (.max, .max, String(host))
      return
    }
    func joined(_ part: ArraySlice<UInt16>) -> UInt64 { part.reduce(0) { $0 << 16 | UInt64($1) } }
    let isLinkLocal = groups[0] & 0xFFC0 == 0xFE80
    let isMappedV4 = groups[..<5].allSatisfy { $0 == 0 } && groups[5] == 0xFFFF
    high = joined(groups[..<4])
    low = isLinkLocal || isMappedV4 ? joined(groups[4...]) : 0
    scope = isLinkLocal ? String(host.drop { $0 != "%" }) : ""
  }

  /// Returns the eight groups of an IPv6 address, or of an IPv4 address in mapped form; nil for any other text. RFC
  /// 4291 §2.2.
  private static func groups(of text: Substring) -> [UInt16]? {
    if text.contains("."), !text.contains(":") { return part(text).map { [0, 0, 0, 0, 0, 0xFFFF] + $0 } }
    guard let gap = text.firstRange(of: "::") else {
      let groups = part(text)
      return groups?.count == 8 ? groups : nil
    }
    guard let left = part(text[..<gap.lowerBound]), let right = part(text[gap.upperBound...]),
      left.count + right.count < 8
    else { return nil }
    return left + Array(repeating: 0, count: 8 - left.count - right.count) + right
  }

  /// Returns the groups on one side of "::". The last four bytes may be written as an IPv4 address.
  private static func part(_ text: Substring) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    for piece in text.split(separator: ":", omittingEmptySubsequences: false) {
      if piece.contains(".") {
        let bytes = piece.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
        guard bytes.count == 4, piece.endIndex == text.endIndex else { return nil }
        groups.append(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        groups.append(UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
      } else {
        guard let group = UInt16(piece, radix: 16) else { return nil }
        groups.append(group)
      }
    }
    return groups
  }
}
