import CUV

/// A timer on the loop's monotonic clock; fires never early, and on an idle machine about a millisecond late at most.
package final class LoopTimer: LoopHandle {
  package var onFire: () -> Void
  /// In nanoseconds of the loop's clock.
  private var deadline: UInt64 = 0
  private var interval: UInt64 = 0
  private var timer: UnsafeMutablePointer<uv_timer_t> { memory.assumingMemoryBound(to: uv_timer_t.self) }

  package init(_ loop: EventLoop, onFire: @escaping () -> Void = {}) {
    self.onFire = onFire
    super.init(loop, uv_timer_t.self)
    uv_timer_init(loop.loop, timer)
    open()
  }

  /// Starts the timer, anew if it is running.
  /// - Parameters:
  ///   - delay: from this moment; zero or less means the next turn. Anything beyond a century is a century.
  ///   - interval: between firings after the first, at least 1 ms; a firing that was missed is not made up for.
  package func start(after delay: Duration, repeat interval: Duration? = nil) {
    guard !isClosed else { return }
    deadline = uv_hrtime() + delay.cappedNanoseconds
    self.interval = interval.map { max($0.cappedNanoseconds, 1_000_000) } ?? 0
    arm()
  }

  /// Stops the timer, which can be started again.
  package func cancel() {
    guard !isClosed else { return }
    uv_timer_stop(timer)
  }

  package var isActive: Bool { !isClosed && uv_is_active(memory.handle) != 0 }

  private func arm() {
    // libuv counts whole milliseconds from its own idea of now, which may lie a little back.
    let due = (deadline + 999_999) / 1_000_000
    let now = uv_now(loop.loop)
    uv_timer_start(timer, { LoopTimer.owner(of: $0!.pointee.data).fire() }, due > now ? due - now : 0, 0)
  }

  private func fire() {
    if interval > 0 {
      deadline = max(deadline + interval, uv_hrtime())
      arm()
    }
    onFire()
  }

  override func letGoOfCallbacks() { onFire = {} }
}

extension Duration {
  /// Nanoseconds from 0 to a century.
  fileprivate var cappedNanoseconds: UInt64 {
    let century: Int64 = 100 * 366 * 86_400
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    return UInt64(min(seconds, century)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
