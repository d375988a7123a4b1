/// A timer on the loop's monotonic clock; fires never early, and on an idle machine about a millisecond late at most.
package final class LoopTimer: LoopHandle {
  package var onFire: () -> Void
  /// In nanoseconds of the loop's clock.
  private var deadline: UInt64 = 0
  private var interval: UInt64 = 0
  /// Its place in the loop's `TimerQueue`; nil: not running.
  var queuePlace: Int?

  package init(_ loop: EventLoop, onFire: @escaping () -> Void = {}) {
    self.onFire = onFire
    super.init(loop)
    open()
  }

  /// Starts the timer, anew if it is running.
  /// - Parameters:
  ///   - delay: from this moment; zero or less means the next turn. Anything beyond a century is a century.
  ///   - interval: between firings after the first, at least 1 ms; a firing that was missed is not made up for.
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

  /// Stops the timer, which can be started again.
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
  /// Nanoseconds from 0 to a century, rounded up: a timer that fires a fraction early and is started again for that fraction would never come to
  /// its time on a clock that stands still meanwhile.
  package var cappedNanoseconds: UInt64 {
    let century: Int64 = 100 * 366 * 86_400
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    return UInt64(min(seconds, century)) * 1_000_000_000 + UInt64((attoseconds + 999_999_999) / 1_000_000_000)
  }
}
