import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A listening Unix domain socket of the machine.
final class KernelLocalPort: LocalPort {
  private let path: String
  /// The file at the path.
  private let file: ino_t?
  private let descriptor: Int32
  private let watcher: DescriptorWatcher
  var onReady: (() -> Void)?
  var isWatching = false { didSet { watcher.watch(isWatching ? .readable : []) } }
  var isClosed: Bool { watcher.isClosed }

  init(_ loop: EventLoop, path: String, backlog: Int32) throws(LoopError) {
    self.path = path
    let made = try LocalSocket.make()
    descriptor = made
    let temporary = path + ".new"
    unlink(temporary)
    let bound = LocalSocket.withAddress(temporary) { bind(made, $0, $1) }
    let isUp = bound == 0 && chmod(temporary, 0o600) == 0 && listen(made, backlog) == 0 && rename(temporary, path) == 0
    if !isUp {
      let status = bound == nil ? UV_ENAMETOOLONG.rawValue : LoopError.lastStatus
      unlink(temporary)
      closeDescriptor(made)
      throw LoopError(status: status, while: "listening at \(path)")
    }
    file = Self.file(at: path)
    do throws(LoopError) {
      watcher = try DescriptorWatcher(loop, descriptor: made)
    } catch {
      unlink(path)
      closeDescriptor(made)
      throw error
    }
    watcher.onEvent = { _ in self.onReady?() }
    // Also for a loop that is stopped while the listener is open.
    watcher.onClosed = {
      closeDescriptor(made)
      self.onReady = nil
    }
  }

  func accept() -> LocalAcceptance {
    while true {
      let socket = systemAccept(descriptor)
      if socket >= 0 {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        guard let stream = try? KernelLocalStream(watcher.loop, socket) else { continue }
        return .accepted(stream)
      }
      switch systemErrorNumber {
      case EAGAIN: return .nobodyWaits
      case EINTR, ECONNABORTED: continue
      default: return .failed
      }
    }
  }

  func close() {
    if isClosed { return }
    // Another process may have replaced it.
    if file == Self.file(at: path) { unlink(path) }
    watcher.close()
  }

  private static func file(at path: String) -> ino_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_ino : nil
  }
}

private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

/// One end of a connection through a Unix domain socket of the machine. The loop keeps it until it is closed.
final class KernelLocalStream: LocalStreamSocket {
  private let descriptor: Int32
  private let watcher: DescriptorWatcher
  let peer: LocalPeer?
  var onReady: ((_ canRead: Bool, _ canWrite: Bool) -> Void)?
  var onClosed: (() -> Void)?
  var isClosed: Bool { watcher.isClosed }

  convenience init(_ loop: EventLoop, connectingTo path: String) throws(LoopError) {
    try self.init(loop, try LocalSocket.connect(path))
  }

  /// Takes ownership of a descriptor, which is closed if it can't be watched.
  init(_ loop: EventLoop, _ descriptor: Int32) throws(LoopError) {
    self.descriptor = descriptor
    peer = LocalSocket.peer(of: descriptor)
    do throws(LoopError) {
      watcher = try DescriptorWatcher(loop, descriptor: descriptor)
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
    watcher.onEvent = { events in
      self.onReady?(!events.isDisjoint(with: [.readable, .failure]), events.contains(.writable))
    }
    watcher.onClosed = {
      closeDescriptor(descriptor)
      self.onReady = nil
      let onClosed = self.onClosed
      self.onClosed = nil
      onClosed?()
    }
  }

  func watch(reading: Bool, writing: Bool) {
    watcher.watch((reading ? DescriptorWatcher.Events.readable : []).union(writing ? .writable : []))
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> LocalTransfer {
    let count = systemRead(descriptor, buffer)
    if count > 0 { return .count(count) }
    return count < 0 && (systemErrorNumber == EAGAIN || systemErrorNumber == EINTR) ? .notReady : .ended
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> LocalTransfer {
    while true {
      let count = systemWrite(descriptor, bytes)
      if count > 0 { return .count(count) }
      if count < 0, systemErrorNumber == EINTR { continue }
      return count < 0 && systemErrorNumber == EAGAIN ? .notReady : .ended
    }
  }

  func close() { watcher.close() }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
