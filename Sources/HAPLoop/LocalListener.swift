import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A listening socket in the file system, its owner's alone (0600). It is there under its name only while it listens: made beside, and renamed.
package final class LocalListener {
  package let path: String
  private let descriptor: Int32
  private let watcher: DescriptorWatcher
  private let retry: LoopTimer
  private var onConnection: ((LocalStream) -> Void)?
  /// While true, those who come wait in the system's queue.
  package var isHeld = false { didSet { if isHeld != oldValue { watcher.watch(isHeld ? [] : .readable) } } }

  /// - Parameters:
  ///   - path: what is there gives way. At most `LocalSocket.longestPath` bytes, less four.
  ///   - onConnection: gets each new connection, which is then its to keep and to close.
  package init(
    _ loop: EventLoop, path: String, backlog: Int32 = 64, onConnection: @escaping (LocalStream) -> Void
  ) throws(LoopError) {
    loop.preconditionOnLoop()
    self.path = path
    self.onConnection = onConnection
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
    do throws(LoopError) {
      watcher = try DescriptorWatcher(loop, descriptor: made)
    } catch {
      unlink(path)
      closeDescriptor(made)
      throw error
    }
    retry = LoopTimer(loop)
    // For a loop that is stopped with the listener open, too.
    watcher.onClosed = { closeDescriptor(made) }
    watcher.onEvent = { _ in self.accept() }
    retry.onFire = { if !self.isHeld { self.watcher.watch(.readable) } }
    watcher.watch(.readable)
  }

  /// Takes the name away; connections already accepted stay. Any number of times.
  package func close() {
    if watcher.isClosed { return }
    onConnection = nil
    unlink(path)
    watcher.close()
    retry.close()
  }

  private func accept() {
    while !watcher.isClosed, !isHeld {
      let socket = systemAccept(descriptor)
      if socket >= 0 {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        if let stream = LocalStream(watcher.loop, socket) { onConnection?(stream) }
        continue
      }
      switch systemErrorNumber {
      case EAGAIN: return
      case EINTR, ECONNABORTED: continue
      default:
        // No descriptor is left, say: those who wait go on waiting.
        watcher.watch([])
        return retry.start(after: .milliseconds(100))
      }
    }
  }
}

private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
