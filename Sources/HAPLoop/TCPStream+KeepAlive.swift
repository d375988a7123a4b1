import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension TCPStream {
  /// Has the system ask the peer for a sign of life after so much silence, and every 10 s then; after three questions without an answer the
  /// connection has failed. A peer that lost its power says nothing, and nobody would ever know.
  /// - Parameter silence: in whole seconds, from 1.
  package func keepAlive(after silence: Duration) {
    guard !isClosed else { return }
    let seconds = UInt32(min(max(silence.components.seconds, 1), 3600))
    uv_tcp_keepalive(memory.assumingMemoryBound(to: uv_tcp_t.self), 1, seconds)
    var descriptor: uv_os_fd_t = -1
    guard uv_fileno(memory.handle, &descriptor) == 0 else { return }
    var (interval, count): (Int32, Int32) = (10, 3)
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Where the system doesn't know them, its own hold.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, &interval, size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, &count, size)
  }
}
