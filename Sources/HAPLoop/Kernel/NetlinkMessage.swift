/// A message of the Linux kernel about interfaces and addresses, from a NETLINK_ROUTE socket. The layouts are those
/// of linux/netlink.h, linux/rtnetlink.h and linux/if_addr.h, which are stable.
package enum NetlinkMessage: Equatable, Sendable {
  /// An interface exists, with these flags.
  case link(index: UInt32, isUp: Bool, isRunning: Bool)
  case linkGone(index: UInt32)
  /// An address exists. It is unusable while duplicate address detection is running or if it has failed.
  case address(index: UInt32, bytes: [UInt8], isUsable: Bool)
  case addressGone(index: UInt32, bytes: [UInt8])
  /// The socket's buffer overflowed: anything may have changed.
  case overrun

  private enum Kind {
    static let error: UInt16 = 2
    static let overrun: UInt16 = 4
    static let newLink: UInt16 = 16
    static let delLink: UInt16 = 17
    static let newAddress: UInt16 = 20
    static let delAddress: UInt16 = 21
  }

  private static let headerSize = 16

  /// Returns all messages of a datagram about interfaces or addresses. Parsing stops at a malformed message; earlier
  /// messages are returned.
  package static func messages(in datagram: [UInt8]) -> [NetlinkMessage] {
    var found: [NetlinkMessage] = []
    var rest = datagram[...]
    // nlmsghdr: length with the header (4), kind (2), flags (2), sequence (4), sender (4). Each begins at a multiple of 4.
    while rest.count >= headerSize {
      let length = Int(rest.native32(at: 0))
      guard length >= headerSize, length <= rest.count else { break }
      let body = rest.dropFirst(headerSize).prefix(length - headerSize)
      if let message = NetlinkMessage(kind: rest.native16(at: 4), body) { found.append(message) }
      rest = rest.dropFirst(aligned(length))
    }
    return found
  }

  /// - Returns: nil for other types, other address families, and a body that is too short.
  private init?(kind: UInt16, _ body: ArraySlice<UInt8>) {
    switch kind {
    case Kind.newLink, Kind.delLink:
      // ifinfomsg: family (1), padding (1), type (2), index (4), flags (4), change mask (4).
      guard body.count >= 16 else { return nil }
      let index = body.native32(at: 4)
      let flags = body.native32(at: 8)
      self =
        kind == Kind.delLink
        ? .linkGone(index: index) : .link(index: index, isUp: flags & 1 != 0, isRunning: flags & 0x40 != 0)
    case Kind.newAddress, Kind.delAddress:
      guard let (index, bytes, flags) = Self.address(body) else { return nil }
      // IFA_F_DADFAILED and IFA_F_TENTATIVE, unless IFA_F_OPTIMISTIC.
      let isUsable = flags & 0x08 == 0 && (flags & 0x40 == 0 || flags & 0x04 != 0)
      self =
        kind == Kind.delAddress
        ? .addressGone(index: index, bytes: bytes) : .address(index: index, bytes: bytes, isUsable: isUsable)
    case Kind.overrun: self = .overrun
    default: return nil
    }
  }

  private static func address(_ body: ArraySlice<UInt8>) -> (index: UInt32, bytes: [UInt8], flags: UInt32)? {
    // ifaddrmsg: family (1), prefix length (1), flags (1), scope (1), index (4); attributes follow.
    guard body.count >= 8, let family = body.first, let size = [2: 4, 10: 16][family] else { return nil }
    var flags = UInt32(body[body.startIndex + 2])
    var address: [UInt8]?
    var local: [UInt8]?
    var rest = body.dropFirst(8)
    // rtattr: length with these four bytes (2), kind (2).
    while rest.count >= 4 {
      let length = Int(rest.native16(at: 0))
      guard length >= 4, length <= rest.count else { break }
      let value = rest.dropFirst(4).prefix(length - 4)
      switch rest.native16(at: 2) {
      case 1 where value.count == size: address = Array(value)  // IFA_ADDRESS: the peer's on a point-to-point link
      case 2 where value.count == size: local = Array(value)  // IFA_LOCAL
      case 8 where value.count == 4: flags = value.native32(at: 0)  // IFA_FLAGS, which has more bits
      default: break
      }
      rest = rest.dropFirst(aligned(length))
    }
    guard let bytes = local ?? address else { return nil }
    return (body.native32(at: 4), bytes, flags)
  }

  private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
  /// Returns the value in the machine's byte order; the slice must contain it.
  fileprivate func native16(at offset: Int) -> UInt16 {
    withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self) }
  }

  fileprivate func native32(at offset: Int) -> UInt32 {
    withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
  }
}
