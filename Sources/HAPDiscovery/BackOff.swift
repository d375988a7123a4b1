/// How long to wait before the next try of something that failed: 1 s, 2 s, 4 s, …, a minute at most.
package struct BackOff: Equatable, Sendable {
  private static let longest = Duration.seconds(60)
  private var next = Duration.seconds(1)

  package init() {}

  /// The time to wait now; the one after it is longer.
  package mutating func delay() -> Duration {
    defer { next = min(next * 2, Self.longest) }
    return next
  }

  /// It worked: the next failure starts over.
  package mutating func reset() { next = .seconds(1) }
}
