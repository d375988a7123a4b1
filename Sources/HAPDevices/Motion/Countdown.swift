/// Time that runs out, told in whole seconds: what has begun counts, so that 0 is said at the end alone.
struct Countdown: Equatable {
  let end: Duration

  /// - Parameter seconds: what is beyond 30 years is 30 years.
  init(_ seconds: Double, from now: Duration) { end = now + .seconds(min(max(0, seconds), 1e9)) }

  func timeLeft(at now: Duration) -> Duration { max(.zero, end - now) }

  func secondsLeft(at now: Duration) -> Double { (timeLeft(at: now) / .seconds(1) - 1e-6).rounded(.up) }
}
