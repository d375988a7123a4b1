// The compiler may see <sys/socket.h> only through CUV, whose header includes it too.
import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A TCP socket that has an address of this machine and doesn't listen: nobody else gets the port by chance, and whoever connects to it is
/// refused.
package struct BoundSocket: ~Copyable {
  /// -1: given away.
  private var descriptor: Int32
  private let wanted: SocketAddress

  /// - Parameters:
  ///   - interface: the one on which connections may come; nil: any.
  ///   - port: 0 for any free one.
  /// - Throws: `.addressInUse`, `.addressNotAvailable`, `.permissionDenied`, …
  package init(host: IPAddress, interface: String? = nil, port: UInt16) throws(LoopError) {
    wanted = SocketAddress(host: host, port: port)
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    descriptor = socket(host.isV4 ? AF_INET : AF_INET6, type, 0)
    if descriptor < 0 { throw LoopError(status: LoopError.lastStatus, while: "listening on \(wanted)") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var on: Int32 = 1
    var off: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if host.isV6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size) }
    if let interface, !Self.keep(descriptor, to: interface, isV6: host.isV6) {
      throw LoopError(status: LoopError.lastStatus, while: "listening on \(interface)")
    }
    let socket = descriptor
    guard wanted.withSockaddr({ bind(socket, $0, $1) }) == 0 else { throw refusal() }
  }

  /// The one that was given when any would do.
  package var port: UInt16 { Self.address(of: descriptor)?.port ?? wanted.port }

  deinit { if descriptor >= 0 { closeDescriptor(descriptor) } }

  /// Begins to listen.
  /// - Returns: the descriptor, which is the caller's to close, and the address with its port.
  consuming func listening(backlog: Int32) throws(LoopError) -> (descriptor: Int32, address: SocketAddress) {
    let socket = descriptor
    guard listen(socket, backlog) == 0, let actual = Self.address(of: socket) else { throw refusal() }
    descriptor = -1
    return (socket, actual)
  }

  private static func address(of descriptor: Int32) -> SocketAddress? {
    SocketAddress { address, length in
      withUnsafeMutablePointer(to: &length) {
        $0.withMemoryRebound(to: socklen_t.self, capacity: 1) { getsockname(descriptor, address, $0) }
      }
    }
  }

  private static func keep(_ descriptor: Int32, to interface: String, isV6: Bool) -> Bool {
    #if canImport(Glibc)
      setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, interface, socklen_t(interface.utf8.count + 1)) == 0
    #else
      var index = if_nametoindex(interface)
      let size = socklen_t(MemoryLayout<UInt32>.size)
      guard index != 0, setsockopt(descriptor, IPPROTO_IP, IP_BOUND_IF, &index, size) == 0 || isV6 else { return false }
      return !isV6 || setsockopt(descriptor, IPPROTO_IPV6, IPV6_BOUND_IF, &index, size) == 0
    #endif
  }

  /// Why the system said no just now.
  private borrowing func refusal() -> LoopError {
    let status = LoopError.lastStatus
    let code = LoopError.Code(status: status)
    switch code {
    case .addressInUse: return LoopError(code, "port \(wanted.port) is in use")
    case .addressNotAvailable: return LoopError(code, "address \(wanted.host) is not of this machine")
    case .permissionDenied: return LoopError(code, "no permission to listen on port \(wanted.port)")
    default: return LoopError(status: status, while: "listening on \(wanted)")
    }
  }
}
