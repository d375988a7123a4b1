/// Something that moves evenly from where it is to where it is told to be, and knows at any time where that is.
struct Travel {
  private var from: Double
  private var start = Duration.zero
  private(set) var target: Double
  private let ends: ClosedRange<Double>
  /// Per second.
  let speed: Double

  /// At rest.
  /// - Parameters:
  ///   - ends: it goes no further, whatever it is told.
  ///   - fullTime: from end to end; with none it is there at once.
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

  /// How long until it arrives.
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
