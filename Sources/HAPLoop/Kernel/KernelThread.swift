import CUV

/// A thread that libuv starts. The type of its handle differs: a number on Linux, an optional pointer on macOS.
struct KernelThread {
  #if canImport(Darwin)
    private var handle: uv_thread_t?
  #else
    private var handle = uv_thread_t()
  #endif

  init() {}

  /// Starts a thread that calls `body` with `argument`.
  /// - Returns: 0, or a libuv status.
  mutating func start(_ argument: UnsafeMutableRawPointer?, _ body: uv_thread_cb) -> Int32 {
    uv_thread_create(&handle, body, argument)
  }

  /// Waits for the end of the thread. Once, and not after `detach`.
  mutating func join() { uv_thread_join(&handle) }

  /// Lets the thread end without a `join`.
  func detach() {
    #if canImport(Darwin)
      if let handle { detachThread(handle) }
    #else
      detachThread(handle)
    #endif
  }
}
