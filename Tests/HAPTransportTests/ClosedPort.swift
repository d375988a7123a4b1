import Foundation
import HAPLoop

/// A loopback TCP port without a listener that no other process gets in the meantime: it is bound, but not listening.
final class ClosedPort: Sendable {
  let number: UInt16
  private let descriptor: Int32

  init() {
    descriptor = socket(AF_INET, SocketType.stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let opened = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(opened, $0, length) == 0 && getsockname(opened, $0, &length) == 0
      }
    }
    precondition(isBound, "no port is available")
    number = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}
