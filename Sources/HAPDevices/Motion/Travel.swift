/// An object that moves evenly from its position to a target. Its position can be computed for any time.
struct Travel {
  private var from: Double
  private var start = Duration.zero
  private(set) var target: Double
  private let ends: ClosedRange<Double>
  /// Distance per second.
  let speed: Double

  /// At rest.
  /// - Parameters:
  ///   - ends: the limits of the position. A target beyond them is limited to them.
  ///   - fullTime: time from end to end; zero: every target is reached at once.
  init(at position: Double, between ends: ClosedRange<Double>, fullTime: Duration) {
    self.ends = ends
    from = min(max(position, ends.lowerBound), ends.upperBound)
    target = from
    speed = fullTime > .zero ? (ends.upperBound - ends.lowerBound) / (fullTime / .seconds(1)) : .infinity
  }

  func position(at now: Duration) -> Double {
    let way = target - from
    guard way != 0, speed.isFinite else { return target }
    let done = max(0, (now - start) / .seconds(1)) * speed
    return done >= abs(way) ? target : from + (way < 0 ? -done : done)
  }

  /// Returns the time until arrival.
  func timeLeft(at now: Duration) -> Duration {
    speed.isFinite ? .seconds(abs(target - position(at: now)) / speed) : .zero
  }

  mutating func go(to target: Double, at now: Duration) {
    from = position(at: now)
    start = now
    self.target = min(max(target, ends.lowerBound), ends.upperBound)
  }

  mutating func stop(at now: Duration) { go(to: position(at: now), at: now) }
}
