/// How long to wait before the next try of something that failed: 1 s, 2 s, 4 s, …, a minute at most.
package struct BackOff: Equatable, Sendable {
  private let first: Duration
  private let longest: Duration
  private var next: Duration

  package init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
    self.first = min(first, longest)
    self.longest = longest
    next = self.first
  }

  /// The time to wait now; the one after it is longer.
  package mutating func delay() -> Duration {
    defer { next = min(next * 2, longest) }
    return next
  }

  /// It worked: the next failure starts over.
  package mutating func reset() { next = first }
}
