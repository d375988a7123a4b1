// The compiler finds <sys/socket.h> only through CUV, whose header includes it too.
import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reports changes of the machine's interfaces or their addresses. Belongs to the thread of its loop.
///
/// On Linux it uses a netlink socket, on macOS a routing socket. If neither is available, as in some sandboxes, it
/// polls every five seconds. The messages trigger a check and list the addresses that can't be used yet; the check
/// itself reads the current interfaces.
final class KernelInterfaceWatch: InterfaceWatch {
  private(set) var interfaces: [NetworkInterface] = []
  private let onChange: () -> Void
  private var descriptor: Int32 = -1
  private var watcher: DescriptorWatcher?
  /// Changes often come in groups, so it waits briefly for more. Also the polling timer if there is no socket.
  private let timer: LoopTimer
  /// IPv6 addresses for which duplicate address detection is running or has failed.
  private var unusable: Set<Address> = []

  private struct Address: Hashable {
    let index: UInt32
    let bytes: [UInt8]
  }

  private static let settlingTime = Duration.milliseconds(20)

  /// - Parameter onChange: called when `interfaces` has changed, never before this returns.
  init(_ loop: EventLoop, onChange: @escaping () -> Void) {
    self.onChange = onChange
    timer = LoopTimer(loop)
    timer.onFire = { [unowned self] in look() }
    descriptor = Self.openSocket()
    if descriptor >= 0, let watcher = try? DescriptorWatcher(loop, descriptor: descriptor) {
      self.watcher = watcher
      watcher.onEvent = { [unowned self] _ in
        drain()
        watcher.watch(.readable)
      }
      watcher.watch(.readable)
    } else {
      timer.start(after: .seconds(5), repeat: .seconds(5))
    }
    askForAddresses()
    interfaces = NetworkInterface.all()
  }

  /// Ends the watch; `onChange` is not called again. Any number of times.
  func close() {
    timer.close()
    guard descriptor >= 0 else { return }
    watcher?.close()
    watcher = nil
    _ = closeSocket(descriptor)
    descriptor = -1
  }

  private func look() {
    let current = NetworkInterface.all().map { interface in
      interface.keeping { !unusable.contains(Address(index: interface.index, bytes: $0.bytes)) }
    }
    if current == interfaces { return }
    interfaces = current
    onChange()
  }

  // MARK: The socket

  #if os(Linux)
    private static func openSocket() -> Int32 {
      let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      if descriptor < 0 { return -1 }
      // sockaddr_nl: family (2), padding (2), sender (4): the kernel's choice, groups (4).
      let groups: UInt32 = 0x1 | 0x10 | 0x100  // RTMGRP_LINK, _IPV4_IFADDR, _IPV6_IFADDR
      var address = sockaddr_storage()
      address.ss_family = sa_family_t(AF_NETLINK)
      withUnsafeMutableBytes(of: &address) { $0.storeBytes(of: groups, toByteOffset: 8, as: UInt32.self) }
      let status = withUnsafePointer(to: &address) {
        bind(descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), 12)
      }
      if status == 0 { return descriptor }
      _ = closeSocket(descriptor)
      return -1
    }

    /// Requests a list of all addresses, because the kernel otherwise reports only changes: RTM_GETADDR with
    /// NLM_F_REQUEST and NLM_F_DUMP.
    private func askForAddresses() {
      guard descriptor >= 0 else { return }
      var request = [UInt8](repeating: 0, count: 24)
      request.withUnsafeMutableBytes {
        $0.storeBytes(of: 24, toByteOffset: 0, as: UInt32.self)
        $0.storeBytes(of: 22, toByteOffset: 4, as: UInt16.self)
        $0.storeBytes(of: 0x301, toByteOffset: 6, as: UInt16.self)
      }
      _ = send(descriptor, request, request.count, 0)
    }

    private func drain() {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
          for message in NetlinkMessage.messages(in: Array(buffer[..<count])) { take(message) }
        } else if count < 0, errno == ENOBUFS {
          take(.overrun)
        } else if count < 0, errno == EINTR {
          continue
        } else {
          break
        }
      }
      timer.start(after: Self.settlingTime)
    }

    private func take(_ message: NetlinkMessage) {
      switch message {
      case .address(let index, let bytes, let isUsable):
        let address = Address(index: index, bytes: bytes)
        if isUsable { unusable.remove(address) } else { unusable.insert(address) }
      case .addressGone(let index, let bytes): unusable.remove(Address(index: index, bytes: bytes))
      case .linkGone(let index): unusable = unusable.filter { $0.index != index }
      case .overrun:
        unusable = []
        askForAddresses()
      case .link: break
      }
    }
  #else
    private static func openSocket() -> Int32 {
      let descriptor = socket(PF_ROUTE, SOCK_RAW, 0)
      if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      return descriptor
    }

    private func askForAddresses() {}

    private func drain() {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
      timer.start(after: Self.settlingTime)
    }
  #endif
}

/// The C library's `close`, for a type with a `close` method.
private func closeSocket(_ descriptor: Int32) -> Int32 { close(descriptor) }
