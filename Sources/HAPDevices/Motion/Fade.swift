/// A transition from one number to another in a set time.
struct Fade {
  enum Curve: String, CaseIterable {
    /// All at once, at the end.
    case jump
    /// Evenly.
    case linear
    /// Slowly at both ends.
    case ease
  }

  let from, to: Double
  let start, duration: Duration
  let curve: Curve

  var end: Duration { start + duration }

  func value(at now: Duration) -> Double {
    guard now < end else { return to }
    let done = max(0, (now - start) / duration)
    switch curve {
    case .jump: return from
    case .linear: return from + (to - from) * done
    case .ease: return from + (to - from) * done * done * (3 - 2 * done)
    }
  }

  /// Returns the time until the next report: one after each `report` interval, and one at the end.
  func untilNext(_ report: Duration, at now: Duration) -> Duration {
    if curve == .jump { return end - now }
    return now < start ? start - now + min(report, duration) : min(report, end - now)
  }
}
