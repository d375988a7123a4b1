/// The timers that a device has set, by token.
///
/// Belongs to the loop's thread.
final class DeviceTimers {
  private let clock: SimulationClock
  private var timers: [Int: SimulationTimer] = [:]
  /// Called with the token of a due timer.
  var onFire: (Int) -> Void = { _ in }

  init(_ clock: SimulationClock) { self.clock = clock }

  /// Starts a timer. A timer with the same token is replaced.
  func start(_ token: Int, after delay: Duration) {
    let timer = timers[token] ?? SimulationTimer(clock) { [unowned self] in onFire(token) }
    timers[token] = timer
    timer.start(after: delay)
  }

  func cancel(_ token: Int) { timers[token]?.cancel() }

  /// Transfers the timers to another device. They keep their deadlines.
  /// - Parameter newToken: returns the token that a timer has in the other device; `nil`: the timer is cancelled.
  func handOver(_ newToken: (Int) -> Int?) {
    var kept: [Int: SimulationTimer] = [:]
    for (old, timer) in timers {
      if let token = newToken(old) {
        timer.setAction { [unowned self] in onFire(token) }
        kept[token] = timer
      } else {
        timer.close()
      }
    }
    timers = kept
  }

  func close() { handOver { _ in nil } }
}
