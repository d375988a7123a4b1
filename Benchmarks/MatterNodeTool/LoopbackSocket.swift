#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A UDP socket on 127.0.0.1 that blocks, for one peer.
final class LoopbackSocket {
  private let descriptor: Int32
  private var peer = sockaddr_in()
  private var buffer = [UInt8](repeating: 0, count: 2048)

  /// - Parameters:
  ///   - port: its own port; 0: any.
  ///   - peer: the port of the peer; nil: the sender of the last datagram.
  init(port: UInt16 = 0, peer: UInt16? = nil) {
    #if canImport(Glibc)
      let kind = Int32(SOCK_DGRAM.rawValue)
    #else
      let kind = SOCK_DGRAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var own = Self.loopback(port)
    let isBound = withUnsafePointer(to: &own) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(descriptor >= 0 && isBound == 0, "no socket at port \(port)")
    if let peer { self.peer = Self.loopback(peer) }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Waits for a datagram.
  /// - Parameter limit: nil: forever.
  /// - Returns: nil after the limit.
  func receive(within limit: Duration? = nil) -> [UInt8]? {
    if let limit {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Int32(max(0, limit / .milliseconds(1)).rounded(.up))) > 0 else { return nil }
    }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = withUnsafeMutablePointer(to: &peer) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
      }
    }
    return count < 0 ? nil : Array(buffer[..<count])
  }

  func send(_ bytes: [UInt8]) {
    _ = withUnsafePointer(to: &peer) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
