/// Remaining time in whole seconds. A started second counts in full, so only the end reads as 0.
struct Countdown: Equatable {
  let end: Duration

  /// - Parameter seconds: limited to 30 years.
  init(_ seconds: Double, from now: Duration) { end = now + .seconds(min(max(0, seconds), 1e9)) }

  func timeLeft(at now: Duration) -> Duration { max(.zero, end - now) }

  func secondsLeft(at now: Duration) -> Double { (timeLeft(at: now) / .seconds(1) - 1e-6).rounded(.up) }
}
