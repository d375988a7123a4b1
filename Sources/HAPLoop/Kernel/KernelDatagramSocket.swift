import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A UDP socket of the machine.
///
/// It calls `recvmsg` itself, because `uv_udp_recv_start` doesn't report the destination of a datagram: multicast or
/// unicast.
final class KernelDatagramSocket: DatagramSocket {
  /// -1: closed.
  private var descriptor: Int32
  private var watcher: DescriptorWatcher?
  /// Keeps the owner alive while it receives.
  private var owner: UDPSocket?
  let memory: DatagramMemory
  let address: SocketAddress
  private(set) var droppedCount: UInt64 = 0
  /// The system's counter, which wraps after 32 bits.
  private var lastDropCount: UInt32 = 0

  init(host: IPAddress, port: UInt16, sharing: Bool, memory: DatagramMemory) throws(LoopError) {
    let wanted = SocketAddress(host: host, port: port)
    let socket = try Self.boundSocket(wanted, sharing: sharing)
    guard
      let actual = SocketAddress({ address, length in
        withUnsafeMutablePointer(to: &length) {
          $0.withMemoryRebound(to: socklen_t.self, capacity: 1) { getsockname(socket, address, $0) }
        }
      })
    else {
      let status = LoopError.lastStatus
      closeDescriptor(socket)
      throw LoopError(status: status, while: "receiving at \(wanted)")
    }
    (descriptor, address, self.memory) = (socket, actual, memory)
  }

  deinit { if descriptor >= 0 { closeDescriptor(descriptor) } }

  func startReceiving(for owner: UDPSocket, on loop: EventLoop) throws(LoopError) {
    let watcher = try DescriptorWatcher(loop, descriptor: descriptor)
    // For a loop that is stopped while the socket is open.
    watcher.onClosed = { self.close() }
    watcher.onEvent = { self.receive(after: $0) }
    self.watcher = watcher
    self.owner = owner
    watcher.watch(.readable)
  }

  func close() {
    if descriptor < 0 { return }
    let owner = owner
    self.owner = nil
    watcher?.onClosed = nil
    watcher?.close()
    watcher = nil
    closeDescriptor(descriptor)
    descriptor = -1
    owner?.end()
  }

  // MARK: Receiving

  private func receive(after events: DescriptorWatcher.Events) {
    if events.contains(.failure) {
      // Reading the error clears it, and receiving continues.
      let status = uv_translate_sys_error(option(SOL_SOCKET, SO_ERROR))
      watcher?.watch(.readable)
      owner?.failed(LoopError(status: status, while: "receiving at \(address)"))
      return
    }
    // Limited, so that other handles also get their turn.
    for _ in 0..<64 {
      guard let owner else { return }
      let (status, datagram) = receiveOne()
      if let datagram {
        owner.received(datagram)
        continue
      }
      switch status {
      case 0, UV_EINTR.rawValue: continue
      case UV_EAGAIN.rawValue: return
      // The ICMP answer to an earlier datagram: its port is closed.
      case UV_ECONNREFUSED.rawValue, UV_EHOSTUNREACH.rawValue, UV_ENETUNREACH.rawValue: continue
      default:
        owner.failed(LoopError(status: status, while: "receiving at \(address)"))
        return
      }
    }
  }

  /// - Returns: a libuv status without a datagram if there is none; 0 without a datagram if it must be ignored.
  private func receiveOne() -> (status: Int32, UDPSocket.Datagram?) {
    var source = sockaddr_storage()
    let (bytes, control) = (memory.bytes, memory.control)
    var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
    var message = msghdr()
    let count = withUnsafeMutablePointer(to: &source) { source in
      withUnsafeMutablePointer(to: &part) { part in
        message.msg_name = UnsafeMutableRawPointer(source)
        message.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
        message.msg_iov = part
        message.msg_iovlen = 1
        message.msg_control = control.baseAddress
        message.msg_controllen = numericCast(control.count)
        return recvmsg(descriptor, &message, 0)
      }
    }
    if count < 0 { return (LoopError.lastStatus, nil) }
    let sender = withUnsafePointer(to: &source) {
      SocketAddress(UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self))
    }
    let notes = ControlMessages(UnsafeRawBufferPointer(rebasing: control[..<Int(message.msg_controllen)]))
    if let dropCount = notes.dropCount {
      droppedCount += UInt64(dropCount &- lastDropCount)
      lastDropCount = dropCount
    }
    guard let sender else { return (0, nil) }
    let datagram = UDPSocket.Datagram(
      bytes: UnsafeRawBufferPointer(rebasing: bytes[..<count]), source: sender, destination: notes.destination,
      interface: notes.interface, hopLimit: notes.hopLimit)
    return (0, datagram)
  }

  // MARK: Sending

  func send(_ bytes: [UInt8], to target: SocketAddress) throws(LoopError) {
    let sent = bytes.withUnsafeBytes { bytes in
      target.withSockaddr { sendto(descriptor, bytes.baseAddress, bytes.count, 0, $0, $1) }
    }
    if sent < 0 { throw LoopError(status: LoopError.lastStatus, while: "sending to \(target)") }
  }

  // MARK: Groups

  func join(_ group: IPAddress, on interface: UInt32) throws(LoopError) {
    let status: Int32
    if group.isV4 {
      status = joinV4(group, on: interface)
    } else {
      var request = ipv6_mreq()
      withUnsafeMutableBytes(of: &request.ipv6mr_multiaddr) { $0.copyBytes(from: group.bytes) }
      request.ipv6mr_interface = numericCast(interface)
      status = set(Int32(IPPROTO_IPV6), SocketOption.joinGroupV6, request)
    }
    if status != 0 { throw LoopError(status: status, while: "joining \(group)") }
  }

  private func joinV4(_ group: IPAddress, on interface: UInt32) -> Int32 {
    #if canImport(Darwin)
      // IP_ADD_MEMBERSHIP ignores the index of an `ip_mreqn` here. struct group_req: the index, then the address; it is
      // packed to four bytes.
      var request = withUnsafeBytes(of: interface) { Array($0) }
      SocketAddress(host: group, port: 0).withSockaddr { address, length in
        request += UnsafeRawBufferPointer(start: address, count: Int(length))
      }
      request += [UInt8](repeating: 0, count: 4 + MemoryLayout<sockaddr_storage>.size - request.count)
      let size = socklen_t(request.count)
      return setsockopt(descriptor, IPPROTO_IP, MCAST_JOIN_GROUP, request, size) == 0 ? 0 : LoopError.lastStatus
    #else
      var request = ip_mreqn()
      withUnsafeMutableBytes(of: &request.imr_multiaddr) { $0.copyBytes(from: group.bytes) }
      request.imr_ifindex = numericCast(interface)
      return set(Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, request)
    #endif
  }

  func multicast(on interface: UInt32, source: IPAddress?) throws(LoopError) {
    let status: Int32
    if address.host.isV4 {
      var request = ip_mreqn()
      request.imr_ifindex = numericCast(interface)
      if let source, source.isV4 {
        withUnsafeMutableBytes(of: &request.imr_address) { $0.copyBytes(from: source.bytes) }
      }
      status = set(Int32(IPPROTO_IP), IP_MULTICAST_IF, request)
    } else {
      status = set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_IF, interface)
    }
    if status != 0 { throw LoopError(status: status, while: "multicasting on interface \(interface)") }
  }

  func setHops(_ hops: UInt8) {
    let hops = Int32(hops)
    let on: Int32 = 1
    if address.host.isV4 {
      _ = set(Int32(IPPROTO_IP), IP_MULTICAST_TTL, hops)
      _ = set(Int32(IPPROTO_IP), IP_TTL, hops)
      _ = set(Int32(IPPROTO_IP), IP_MULTICAST_LOOP, on)
    } else {
      _ = set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, hops)
      _ = set(Int32(IPPROTO_IPV6), IPV6_UNICAST_HOPS, hops)
      _ = set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_LOOP, on)
    }
  }

  func setReceiveBuffer(_ bytes: Int) { _ = set(SOL_SOCKET, SO_RCVBUF, Int32(clamping: bytes)) }

  // MARK: System calls

  private func set<Value>(_ level: Int32, _ name: Int32, _ value: Value) -> Int32 {
    Self.set(descriptor, level, name, value)
  }

  /// - Returns: 0, or a libuv status.
  private static func set<Value>(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Value) -> Int32 {
    withUnsafeBytes(of: value) {
      setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) == 0 ? 0 : LoopError.lastStatus
    }
  }

  private func option(_ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, level, name, &value, &size)
    return value
  }

  private static func boundSocket(_ address: SocketAddress, sharing: Bool) throws(LoopError) -> Int32 {
    let isV4 = address.host.isV4
    let descriptor = socket(isV4 ? AF_INET : AF_INET6, SocketType.datagram, 0)
    if descriptor < 0 { throw LoopError(status: LoopError.lastStatus, while: "receiving at \(address)") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let on: Int32 = 1
    if sharing {
      _ = set(descriptor, SOL_SOCKET, SO_REUSEADDR, on)
      _ = set(descriptor, SOL_SOCKET, SO_REUSEPORT, on)
    }
    for (level, name) in SocketOption.wanted(isV4: isV4) { _ = set(descriptor, level, name, on) }
    #if os(Linux)
      // Otherwise it receives all groups that any program of the machine has joined.
      let off: Int32 = 0
      _ =
        isV4
        ? set(descriptor, Int32(IPPROTO_IP), SocketOption.multicastAllV4, off)
        : set(descriptor, Int32(IPPROTO_IPV6), SocketOption.multicastAllV6, off)
    #endif
    if address.withSockaddr({ system.bind(descriptor, $0, $1) }) == 0 { return descriptor }
    let status = LoopError.lastStatus
    closeDescriptor(descriptor)
    switch LoopError.Code(status: status) {
    case .addressInUse: throw LoopError(.addressInUse, "UDP port \(address.port) is in use")
    default: throw LoopError(status: status, while: "receiving at \(address)")
    }
  }

  /// The C library's `bind`, under a name that no method hides.
  private enum system {
    static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> Int32 {
      #if canImport(Glibc)
        Glibc.bind(descriptor, address, length)
      #else
        Darwin.bind(descriptor, address, length)
      #endif
    }
  }
}

/// The memory into which all sockets of a loop receive. One is enough, because a datagram is valid only until its
/// callback returns.
final class DatagramMemory {
  /// The maximum size of a datagram in bytes.
  static let longestDatagram = 65_535

  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: DatagramMemory.longestDatagram, alignment: 16)
  let control = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 16)

  deinit {
    bytes.deallocate()
    control.deallocate()
  }
}

/// Socket options whose names the C library doesn't define, or doesn't export to a Swift module.
private enum SocketOption {
  #if os(Linux)
    static let joinGroupV6: Int32 = 20  // IPV6_JOIN_GROUP
    static let packetInfoV4: Int32 = 8  // IP_PKTINFO
    static let receivePacketInfoV6: Int32 = 49  // IPV6_RECVPKTINFO
    static let packetInfoV6: Int32 = 50  // IPV6_PKTINFO
    static let receiveHopsV4: Int32 = 12  // IP_RECVTTL
    static let hopsV4: Int32 = 2  // IP_TTL
    static let receiveHopsV6: Int32 = 51  // IPV6_RECVHOPLIMIT
    static let hopsV6: Int32 = 52  // IPV6_HOPLIMIT
    static let dropCount: Int32 = 40  // SO_RXQ_OVFL
    static let multicastAllV4: Int32 = 49  // IP_MULTICAST_ALL
    static let multicastAllV6: Int32 = 29  // IPV6_MULTICAST_ALL
  #else
    static let joinGroupV6: Int32 = 12  // IPV6_JOIN_GROUP
    static let packetInfoV4: Int32 = 26  // IP_PKTINFO
    static let receivePacketInfoV6: Int32 = 61  // IPV6_RECVPKTINFO
    static let packetInfoV6: Int32 = 46  // IPV6_PKTINFO
    static let receiveHopsV4: Int32 = 24  // IP_RECVTTL
    static let hopsV4: Int32 = 24
    static let receiveHopsV6: Int32 = 37  // IPV6_RECVHOPLIMIT
    static let hopsV6: Int32 = 47  // IPV6_HOPLIMIT
  #endif

  /// The options that are switched on.
  static func wanted(isV4: Bool) -> [(level: Int32, name: Int32)] {
    let v4 = Int32(IPPROTO_IP)
    let v6 = Int32(IPPROTO_IPV6)
    var wanted =
      isV4
      ? [(v4, packetInfoV4), (v4, receiveHopsV4)]
      : [(v6, IPV6_V6ONLY), (v6, receivePacketInfoV6), (v6, receiveHopsV6)]
    #if os(Linux)
      wanted.append((SOL_SOCKET, dropCount))
    #endif
    return wanted
  }
}

/// The control messages of a datagram.
///
/// Swift can't call the C macros that iterate over them. A message is its length (including this header), level and
/// type, then the data. Each begins at a multiple of the machine's word size (on macOS, of four bytes).
private struct ControlMessages {
  private(set) var destination: IPAddress?
  private(set) var interface: UInt32 = 0
  private(set) var hopLimit: UInt8?
  private(set) var dropCount: UInt32?

  init(_ bytes: UnsafeRawBufferPointer) {
    #if os(Linux)
      let unit = MemoryLayout<Int>.size
    #else
      let unit = 4
    #endif
    let head = (MemoryLayout<cmsghdr>.size + unit - 1) / unit * unit
    var at = 0
    while bytes.count - at >= head {
      let note = bytes.loadUnaligned(fromByteOffset: at, as: cmsghdr.self)
      let length = Int(note.cmsg_len)
      guard length >= head, length <= bytes.count - at else { return }
      take(note.cmsg_level, note.cmsg_type, UnsafeRawBufferPointer(rebasing: bytes[(at + head)..<(at + length)]))
      at += (length + unit - 1) / unit * unit
    }
  }

  private mutating func take(_ level: Int32, _ kind: Int32, _ data: UnsafeRawBufferPointer) {
    switch (level, kind) {
    case (Int32(IPPROTO_IP), SocketOption.packetInfoV4) where data.count >= 12:
      // Interface index, local address, destination address of the IP header.
      interface = data.loadUnaligned(as: UInt32.self)
      destination = IPAddress(bytes: Array(data[8..<12]))
    case (Int32(IPPROTO_IPV6), SocketOption.packetInfoV6) where data.count >= 20:
      interface = data.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
      destination = IPAddress(bytes: Array(data[..<16]))
    case (Int32(IPPROTO_IP), SocketOption.hopsV4) where data.count >= 1:
      // A 32-bit integer on Linux, a byte on macOS.
      hopLimit = UInt8(truncatingIfNeeded: data.count >= 4 ? data.loadUnaligned(as: Int32.self) : Int32(data[0]))
    case (Int32(IPPROTO_IPV6), SocketOption.hopsV6) where data.count >= 4:
      hopLimit = UInt8(truncatingIfNeeded: data.loadUnaligned(as: Int32.self))
    default: takeDropCount(level, kind, data)
    }
  }

  private mutating func takeDropCount(_ level: Int32, _ kind: Int32, _ data: UnsafeRawBufferPointer) {
    #if os(Linux)
      guard level == SOL_SOCKET, kind == SocketOption.dropCount, data.count >= 4 else { return }
      dropCount = data.loadUnaligned(as: UInt32.self)
    #endif
  }
}
