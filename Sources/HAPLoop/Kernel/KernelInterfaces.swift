// The compiler finds <sys/socket.h> only through CUV, whose header includes it too.
import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension NetworkInterface {
  /// Returns all interfaces in the order of their index.
  package static func all() -> [NetworkInterface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [String: NetworkInterface] = [:]
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let name = String(cString: entry.ifa_name)
      let flags = Int(entry.ifa_flags)
      let new = NetworkInterface(
        name: name, index: if_nametoindex(entry.ifa_name), isUp: flags & Int(IFF_UP) != 0,
        isLoopback: flags & Int(IFF_LOOPBACK) != 0, isPointToPoint: flags & Int(IFF_POINTOPOINT) != 0,
        canMulticast: flags & Int(IFF_MULTICAST) != 0, mtu: found[name] == nil ? mtu(of: name) : nil, addresses: [],
        prefixLengths: [])
      var interface = found[name] ?? new
      if let address = entry.ifa_addr, let socket = SocketAddress(address) {
        interface.addresses.append(socket.host)
        interface.prefixLengths.append(entry.ifa_netmask.flatMap { prefixLength($0, isV4: socket.host.isV4) })
      }
      found[name] = interface
    }
    return found.values.sorted { $0.index < $1.index }
  }

  private static func prefixLength(_ netmask: UnsafePointer<sockaddr>, isV4: Bool) -> Int? {
    #if canImport(Darwin)
      // The kernel may cut off zero bytes at the end, and may leave out the family.
      let start = isV4 ? 4 : 8
      let end = min(Int(netmask.pointee.sa_len), start + (isV4 ? 4 : 16))
      return (start..<max(start, end)).reduce(0) {
        $0 + UnsafeRawPointer(netmask).load(fromByteOffset: $1, as: UInt8.self).nonzeroBitCount
      }
    #else
      return SocketAddress(netmask)?.host.bytes.reduce(0) { $0 + $1.nonzeroBitCount }
    #endif
  }

  private static func mtu(of name: String) -> Int? {
    #if canImport(Glibc)
      let request = UInt(SIOCGIFMTU)
    #else
      let request: UInt = 0xC020_6933  // SIOCGIFMTU, a macro that Swift doesn't import
    #endif
    let descriptor = socket(AF_INET, SocketType.datagram, 0)
    guard descriptor >= 0 else { return nil }
    defer { closeDescriptor(descriptor) }
    // struct ifreq: the name (16 bytes), then the number.
    var buffer = Array(name.utf8.prefix(15)) + [UInt8](repeating: 0, count: 64 - min(15, name.utf8.count))
    guard ioctl(descriptor, request, &buffer) == 0 else { return nil }
    return Int(buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: Int32.self) })
  }

  /// - Throws: `.noSuchInterface`, which lists the existing interfaces.
  package static func named(_ name: String) throws(LoopError) -> NetworkInterface { try all().named(name) }

  /// Returns nil if there is no interface with that index (any more).
  package static func name(ofIndex index: UInt32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      if_indextoname(index, buffer.baseAddress!).map { String(cString: $0) }
    }
  }
}
