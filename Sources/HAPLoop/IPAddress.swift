import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes in network order.
  package let bytes: [UInt8]
  /// Index of the interface that a link-local IPv6 address belongs to; 0 for every other address.
  package let scope: UInt32

  package var isV4: Bool { bytes.count == 4 }
  package var isV6: Bool { bytes.count == 16 }
  /// 127.0.0.0/8 or ::1.
  package var isLoopback: Bool { isV4 ? bytes[0] == 127 : bytes == Self.v6Loopback }
  /// 169.254.0.0/16 or fe80::/10.
  package var isLinkLocal: Bool {
    isV4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
  }
  /// 0.0.0.0 or ::, the wildcard for all addresses of the machine.
  package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

  private static let v6Loopback = [UInt8](repeating: 0, count: 15) + [1]

  package static let anyV6 = IPAddress(bytes: [UInt8](repeating: 0, count: 16))!
  package static let anyV4 = IPAddress(bytes: [0, 0, 0, 0])!
  package static let loopbackV4 = IPAddress(bytes: [127, 0, 0, 1])!

  /// - Parameter bytes: 4 or 16 in network order; any other count returns nil. An IPv4-mapped IPv6 address becomes
  ///   IPv4.
  package init?(bytes: [UInt8], scope: UInt32 = 0) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    let isMapped = bytes.count == 16 && bytes[10] == 0xFF && bytes[11] == 0xFF && bytes[..<10].allSatisfy { $0 == 0 }
    self.bytes = isMapped ? Array(bytes[12...]) : bytes
    self.scope = isMapped || bytes.count == 4 ? 0 : scope
  }

  /// - Parameter text: "192.168.1.2", "fd00::1", "fe80::1%eth0".
  /// - Throws: `.malformedAddress`; `.noSuchInterface` for the part after a %.
  package init(_ text: String) throws(LoopError) {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let host = parts.first ?? ""
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      guard !host.utf8.contains(0) else { break }
      var bytes = [UInt8](repeating: 0, count: count)
      guard uv_inet_pton(family, host, &bytes) == 0 else { continue }
      guard parts.count == 2 else {
        self.init(bytes: bytes)!
        return
      }
      guard family == AF_INET6 else { break }
      self.init(bytes: bytes, scope: try NetworkInterface.named(parts[1]).index)!
      return
    }
    throw LoopError(.malformedAddress, "\"\(text)\" is not an IP address")
  }

  package var description: String {
    var text = [CChar](repeating: 0, count: 64)
    _ = bytes.withUnsafeBytes { uv_inet_ntop(isV4 ? AF_INET : AF_INET6, $0.baseAddress!, &text, text.count) }
    let plain = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    return scope == 0 ? plain : "\(plain)%\(NetworkInterface.name(ofIndex: scope) ?? "\(scope)")"
  }
}

/// An IP address and a port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  package var host: IPAddress
  package var port: UInt16

  package init(host: IPAddress, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// "192.168.1.2:51826" or "[fe80::1%eth0]:51826".
  package var description: String { host.isV4 ? "\(host):\(port)" : "[\(host)]:\(port)" }

  /// Returns nil for an address family other than IPv4 and IPv6.
  init?(_ address: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let v4 = raw.loadUnaligned(as: sockaddr_in.self)
      host = IPAddress(bytes: withUnsafeBytes(of: v4.sin_addr) { Array($0) })!
      port = UInt16(bigEndian: v4.sin_port)
    case AF_INET6:
      let v6 = raw.loadUnaligned(as: sockaddr_in6.self)
      host = IPAddress(bytes: withUnsafeBytes(of: v6.sin6_addr) { Array($0) }, scope: v6.sin6_scope_id)!
      port = UInt16(bigEndian: v6.sin6_port)
    default:
      return nil
    }
  }

  /// Gets an address from `question` (getsockname or a similar call).
  init?(_ question: (UnsafeMutablePointer<sockaddr>, inout Int32) -> Int32) {
    var storage = sockaddr_storage()
    var length = Int32(MemoryLayout<sockaddr_storage>.size)
    let answer = withUnsafeMutablePointer(to: &storage) { storage -> SocketAddress? in
      let address = UnsafeMutableRawPointer(storage).assumingMemoryBound(to: sockaddr.self)
      return question(address, &length) == 0 ? SocketAddress(address) : nil
    }
    guard let answer else { return nil }
    self = answer
  }

  func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    var storage = sockaddr_storage()
    let length = withUnsafeMutablePointer(to: &storage) { storage -> Int in
      let raw = UnsafeMutableRawPointer(storage)
      if host.isV4 {
        let v4 = raw.assumingMemoryBound(to: sockaddr_in.self)
        uv_ip4_addr("0.0.0.0", Int32(port), v4)
        withUnsafeMutableBytes(of: &v4.pointee.sin_addr) { $0.copyBytes(from: host.bytes) }
        return MemoryLayout<sockaddr_in>.size
      }
      let v6 = raw.assumingMemoryBound(to: sockaddr_in6.self)
      uv_ip6_addr("::", Int32(port), v6)
      withUnsafeMutableBytes(of: &v6.pointee.sin6_addr) { $0.copyBytes(from: host.bytes) }
      v6.pointee.sin6_scope_id = host.scope
      return MemoryLayout<sockaddr_in6>.size
    }
    return withUnsafePointer(to: &storage) {
      body(UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(length))
    }
  }
}
