#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The types of sockets as numbers. On Linux, the constants of the C library are an enumeration.
package enum SocketType {
  #if canImport(Glibc)
    package static let stream = Int32(SOCK_STREAM.rawValue)
    package static let datagram = Int32(SOCK_DGRAM.rawValue)
  #else
    package static let stream = SOCK_STREAM
    package static let datagram = SOCK_DGRAM
  #endif
}
