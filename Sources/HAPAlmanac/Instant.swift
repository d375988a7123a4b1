/// A moment: whole nanoseconds since 1970-01-01T00:00:00Z, without leap seconds, as in POSIX.
///
/// Range: 1677-09-21 to 2262-04-11. Arithmetic that would leave the range gives its first or last instant.
public struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Nanoseconds since 1970, negative before.
  public let nanoseconds: Int64

  /// The first instant, in 1677.
  public static let distantPast = Instant(nanoseconds: .min)
  /// The last instant, in 2262.
  public static let distantFuture = Instant(nanoseconds: .max)

  /// Creates an instant from nanoseconds since 1970.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates an instant from seconds since 1970 and the nanoseconds of the second. Values outside of the range are
  /// limited to it.
  /// - Parameter nanosecond: any value; more than a second counts as seconds.
  public init(seconds: Int64, nanosecond: Int64 = 0) {
    let total = Int128(seconds) * 1_000_000_000 + Int128(nanosecond)
    nanoseconds = Int64(clamping: total)
  }

  /// Whole seconds since 1970, rounded down.
  public var seconds: Int64 {
    let quotient = nanoseconds / 1_000_000_000
    return nanoseconds % 1_000_000_000 < 0 ? quotient - 1 : quotient
  }

  /// The nanoseconds since the start of the second: 0...999999999.
  public var nanosecond: Int64 {
    let rest = nanoseconds % 1_000_000_000
    return rest < 0 ? rest + 1_000_000_000 : rest
  }

  /// Returns the instant that is later by a duration, or earlier by a negative one.
  public func advanced(by duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    let added = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
    return Instant(nanoseconds: Int64(clamping: Int128(nanoseconds) + added))
  }

  /// Returns the duration from this instant to a later one; negative if the other one is earlier.
  public func duration(to other: Instant) -> Duration {
    let difference = Int128(other.nanoseconds) - Int128(nanoseconds)
    return Duration(
      secondsComponent: Int64(difference / 1_000_000_000),
      attosecondsComponent: Int64(difference % 1_000_000_000) * 1_000_000_000)
  }

  /// The civil time in UTC with a "Z", such as "2026-10-25T01:00:00Z".
  public var description: String { "\(CivilTime(of: self, offset: 0))Z" }

  /// Compares the moments.
  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
}
