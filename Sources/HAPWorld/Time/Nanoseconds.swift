extension Duration {
  /// Whole nanoseconds from 0 to a century.
  package var clampedNanoseconds: UInt64 {
    let century: Int64 = 100 * 366 * 86_400
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    return UInt64(min(seconds, century)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

enum Nanoseconds {
  static let microsecond: UInt64 = 1000
  static let millisecond: UInt64 = 1_000_000
  static let second: UInt64 = 1_000_000_000

  /// Returns the sum, or the largest value if it is too large.
  static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
