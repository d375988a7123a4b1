import CUV

/// The one owner of a libuv handle.
///
/// libuv closes handles asynchronously, so the loop keeps an open owner alive until the handle's close callback. An
/// owner that is let go of without `close()` stays open until the loop is stopped.
package class LoopHandle {
  package let loop: EventLoop
  /// Memory of the `uv_…_t`; freed with this object, which outlives the close callback.
  let memory: UnsafeMutableRawPointer
  private var isOpen = false
  /// Whether `close()` was called, or the loop was stopped. A closed handle ignores all further calls.
  package private(set) var isClosed = false
  /// Called once, when the handle is wholly closed.
  package var onClosed: (() -> Void)?

  init<Handle>(_ loop: EventLoop, _: Handle.Type) {
    loop.preconditionOnLoop()
    self.loop = loop
    memory = .allocate(byteCount: MemoryLayout<Handle>.size, alignment: MemoryLayout<Handle>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Handle>.size)
  }

  deinit {
    precondition(!isOpen, "an open handle is kept by its loop")
    memory.deallocate()
  }

  /// To be called when libuv has initialised the memory as a handle.
  final func open() {
    isOpen = true
    loop.openHandleCount += 1
    memory.handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  /// Closes the handle: no callback comes after this but `onClosed`. Any number of times, also from callbacks.
  package func close() {
    guard startClosing() else { return }
    uv_close(memory.handle, LoopHandle.closed)
  }

  /// Marks the handle closed.
  /// - Returns: whether it was open, and libuv has to be told.
  final func startClosing() -> Bool {
    loop.preconditionOnLoop()
    guard !isClosed else { return false }
    isClosed = true
    letGoOfCallbacks()
    return isOpen
  }

  /// Sets all stored closures but `onClosed` to nil, so that no cycle through them survives.
  func letGoOfCallbacks() {}

  static let closed: uv_close_cb = { handle in
    let owner = Unmanaged<LoopHandle>.fromOpaque(handle!.pointee.data).takeRetainedValue()
    owner.isOpen = false
    owner.loop.openHandleCount -= 1
    let onClosed = owner.onClosed
    owner.onClosed = nil
    onClosed?()
  }

  /// The owner whose handle begins at `handle`.
  static func owner(of data: UnsafeMutableRawPointer) -> Self {
    unsafeDowncast(Unmanaged<LoopHandle>.fromOpaque(data).takeUnretainedValue(), to: Self.self)
  }
}
