import CUV

/// Watches a descriptor of another library (a socket, a pipe) for readiness. The descriptor's owner closes it,
/// preferably after this watcher's `onClosed`, and never before `close()`.
package final class DescriptorWatcher: KernelHandle {
  package struct Events: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let readable = Events(rawValue: Int32(bitPattern: UV_READABLE.rawValue))
    package static let writable = Events(rawValue: Int32(bitPattern: UV_WRITABLE.rawValue))
    /// The other side has hung up.
    package static let disconnect = Events(rawValue: Int32(bitPattern: UV_DISCONNECT.rawValue))
    /// The descriptor has an error. Always reported. It ends the watching; `watch(_:)` resumes it.
    package static let failure = Events(rawValue: 1 << 16)
  }

  package var onEvent: (Events) -> Void
  private var poll: UnsafeMutablePointer<uv_poll_t> { memory.assumingMemoryBound(to: uv_poll_t.self) }

  /// Makes the descriptor non-blocking. A loop can have only one active watcher per descriptor.
  /// - Throws: `LoopError` if the descriptor is closed, or can't be watched (a regular file).
  package init(_ loop: EventLoop, descriptor: Int32, onEvent: @escaping (Events) -> Void = { _ in }) throws(LoopError) {
    self.onEvent = onEvent
    super.init(loop, uv_poll_t.self)
    let status = uv_poll_init(loop.kernelLoop, poll, descriptor)
    if status != 0 { throw LoopError(status: status, while: "watching descriptor \(descriptor)") }
    open()
  }

  /// Watches for these events from now on; an empty set stops watching.
  package func watch(_ events: Events) {
    guard !isClosed else { return }
    let asked = events.intersection([.readable, .writable, .disconnect])
    if asked.isEmpty {
      uv_poll_stop(poll)
    } else {
      uv_poll_start(poll, asked.rawValue) { handle, status, events in
        let watcher = DescriptorWatcher.owner(of: handle!.pointee.data)
        watcher.onEvent(status == 0 ? Events(rawValue: events) : .failure)
      }
    }
  }

  override func dropCallbacks() { onEvent = { _ in } }
}
