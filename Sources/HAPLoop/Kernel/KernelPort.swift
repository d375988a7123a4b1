// The compiler finds <sys/socket.h> only through CUV, whose header includes it too.
import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A bound TCP port of the machine.
///
/// It calls `accept` itself instead of using `uv_listen`, which would close connections if the process has no
/// descriptor left. Here they wait in the backlog, and accepting is retried ten times a second.
final class KernelPort: BoundPort {
  /// -1: closed.
  private var descriptor: Int32
  let address: SocketAddress
  private var watcher: DescriptorWatcher?
  private var retry: LoopTimer?
  /// Keeps the listener alive while it listens.
  private var listener: TCPListener?

  /// - Parameters:
  ///   - interface: the only interface that accepts connections; nil: any.
  ///   - port: 0 for any free port.
  /// - Throws: `.addressInUse`, `.addressNotAvailable`, `.permissionDenied`, …
  init(host: IPAddress, interface: String?, port: UInt16) throws(LoopError) {
    let wanted = SocketAddress(host: host, port: port)
    let socket = try Self.makeSocket(wanted, interface: interface)
    guard wanted.withSockaddr({ bind(socket, $0, $1) }) == 0, let actual = Self.address(of: socket) else {
      let error = Self.refusal(of: wanted)
      closeDescriptor(socket)
      throw error
    }
    (descriptor, address) = (socket, actual)
  }

  deinit { if descriptor >= 0 { closeDescriptor(descriptor) } }

  private static func makeSocket(_ wanted: SocketAddress, interface: String?) throws(LoopError) -> Int32 {
    let host = wanted.host
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let descriptor = socket(host.isV4 ? AF_INET : AF_INET6, type, 0)
    if descriptor < 0 { throw LoopError(status: LoopError.lastStatus, while: "listening on \(wanted)") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    preventBrokenPipeSignal(of: descriptor)
    var on: Int32 = 1
    var off: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if host.isV6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size) }
    if let interface, !Self.keep(descriptor, to: interface, isV6: host.isV6) {
      let status = LoopError.lastStatus
      closeDescriptor(descriptor)
      throw LoopError(status: status, while: "listening on \(interface)")
    }
    return descriptor
  }

  // MARK: Listening

  func listen(_ listener: TCPListener, on loop: EventLoop, backlog: Int32) throws(LoopError) {
    guard systemListen(descriptor, backlog) == 0 else { throw Self.refusal(of: address) }
    let watcher = try DescriptorWatcher(loop, descriptor: descriptor)
    let retry = LoopTimer(loop)
    // For a loop that is stopped while the port is open.
    watcher.onClosed = { self.close() }
    watcher.onEvent = { self.accept(after: $0) }
    retry.onFire = { watcher.watch(.readable) }
    self.watcher = watcher
    self.retry = retry
    self.listener = listener
    watcher.watch(.readable)
  }

  func close() {
    if descriptor < 0 { return }
    let listener = listener
    self.listener = nil
    watcher?.onClosed = nil
    watcher?.close()
    watcher = nil
    retry?.close()
    retry = nil
    // A child process that is just being started has copies of our descriptors until it calls exec. It would keep
    // listening, and the port would stay in use for that moment.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    closeDescriptor(descriptor)
    descriptor = -1
    listener?.end()
  }

  private func accept(after events: DescriptorWatcher.Events) {
    if events.contains(.failure) { return pause(LoopError(.other(0), "the listening socket \(address) failed")) }
    // Limited, so that existing connections also get their turn.
    for _ in 0..<64 {
      guard let listener, let watcher else { return }
      let accepted = systemAccept(descriptor)
      if accepted >= 0 {
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        let socket = KernelStreamSocket(watcher.loop.kernelLoop)
        if socket.open(accepted) { listener.accepted(TCPStream(watcher.loop, accepted: socket)) }
        continue
      }
      switch LoopError.lastStatus {
      case UV_EAGAIN.rawValue: return
      case UV_EINTR.rawValue, UV_ECONNABORTED.rawValue: continue
      case let status: return pause(LoopError(status: status, while: "accepting a connection on \(address)"))
      }
    }
  }

  private func pause(_ error: LoopError) {
    watcher?.watch([])
    retry?.start(after: .milliseconds(100))
    listener?.failed(error)
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

  /// Returns the reason of the last failed call.
  private static func refusal(of wanted: SocketAddress) -> LoopError {
    let status = LoopError.lastStatus
    let code = LoopError.Code(status: status)
    switch code {
    case .addressInUse: return LoopError(code, "port \(wanted.port) is in use")
    case .addressNotAvailable: return LoopError(code, "address \(wanted.host) does not belong to this machine")
    case .permissionDenied: return LoopError(code, "no permission to listen on port \(wanted.port)")
    default: return LoopError(status: status, while: "listening on \(wanted)")
    }
  }
}

/// The system functions, which methods of the same names hide.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
