import CUV

extension EventLoop {
  /// Runs `work` on a thread of the pool, and `then` with its result on the loop.
  ///
  /// For what takes longer than a turn should: modular exponentiations, a file made durable. A loop that is stopped
  /// waits for it, and `then` is always called.
  package func offload<T: Sendable>(_ work: @escaping @Sendable () -> T, then: @escaping (T) -> Void) {
    preconditionOnLoop()
    PoolWorkWithResult(work, then).queue(on: loop)
  }

  /// Runs `work` on a thread of the pool. From any thread; traps when the loop has ended.
  package func offload<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      let isScheduled = schedule { self.offload(work) { continuation.resume(returning: $0) } }
      precondition(isScheduled, "the event loop \(name) has ended")
    }
  }
}

/// One piece of work on its way to the pool and back; it keeps itself alive meanwhile.
private class PoolWork {
  private let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)

  deinit { request.deallocate() }

  func queue(on loop: UnsafeMutablePointer<uv_loop_t>) {
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    let status = uv_queue_work(
      loop, request,
      { Unmanaged<PoolWork>.fromOpaque($0!.pointee.data).takeUnretainedValue().perform() },
      { request, _ in Unmanaged<PoolWork>.fromOpaque(request!.pointee.data).takeRetainedValue().finish() })
    precondition(status == 0, "the work pool takes any work: \(LoopError.text(of: status))")
  }

  /// On a thread of the pool.
  func perform() {}
  /// On the loop's thread.
  func finish() {}
}

private final class PoolWorkWithResult<T: Sendable>: PoolWork {
  private let work: @Sendable () -> T
  private let then: (T) -> Void
  private var result: T?

  init(_ work: @escaping @Sendable () -> T, _ then: @escaping (T) -> Void) {
    self.work = work
    self.then = then
  }

  override func perform() { result = work() }
  override func finish() { then(result!) }
}
