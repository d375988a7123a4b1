/// Exponential back-off: the delay before the next retry is 1 s, 2 s, 4 s, …, at most one minute.
package struct BackOff: Equatable, Sendable {
  private let first: Duration
  private let longest: Duration
  private var next: Duration

  package init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
    self.first = min(first, longest)
    self.longest = longest
    next = self.first
  }

  /// Returns the time to wait now, and lengthens the next one.
  package mutating func delay() -> Duration {
    defer { next = min(next * 2, longest) }
    return next
  }

  /// Resets the delay after a success: the next failure starts with the shortest delay.
  package mutating func reset() { next = first }
}
