/// A timer on the loop's monotonic clock. It never fires early. On an idle machine it fires at most about a
/// millisecond late.
package final class LoopTimer: LoopHandle {
  package var onFire: () -> Void
  /// In nanoseconds of the loop's clock.
  private var deadline: UInt64 = 0
  private var interval: UInt64 = 0
  /// Its index in the loop's `TimerQueue`; nil: not running.
  var queuePlace: Int?

  package init(_ loop: EventLoop, onFire: @escaping () -> Void = {}) {
    self.onFire = onFire
    super.init(loop)
    open()
  }

  /// Starts the timer, or restarts it if it is running.
  /// - Parameters:
  ///   - delay: from now; zero or less means the next turn. The maximum is a century.
  ///   - interval: between firings after the first, at least 1 ms; a missed firing is not repeated.
  package func start(after delay: Duration, repeat interval: Duration? = nil) {
    guard !isClosed else { return }
    self.interval = interval.map { max($0.cappedNanoseconds, 1_000_000) } ?? 0
    start(at: loop.readClock() + delay.cappedNanoseconds)
  }

  private func start(at deadline: UInt64) {
    self.deadline = deadline
    loop.cancel(self)
    loop.start(self, at: deadline)
  }

  /// Stops the timer, which can be restarted.
  package func cancel() { loop.cancel(self) }

  package var isActive: Bool { queuePlace != nil }

  func fire() {
    if interval > 0 { start(at: max(deadline + interval, loop.readClock())) }
    onFire()
  }

  override func dropCallbacks() {
    cancel()
    onFire = {}
  }
}

extension Duration {
  /// The duration in nanoseconds, from 0 to a century, rounded up. Otherwise a timer that fires a fraction early, and
  /// is restarted for that fraction, would never finish on a frozen clock.
  package var cappedNanoseconds: UInt64 {
    let century: Int64 = 100 * 366 * 86_400
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    return UInt64(min(seconds, century)) * 1_000_000_000 + UInt64((attoseconds + 999_999_999) / 1_000_000_000)
  }
}
