/// Nanoseconds since the origin that the caller chose.
extension Int64 {
  static func seconds(_ count: some BinaryInteger) -> Int64 { Int64(count) * 1_000_000_000 }

  static func milliseconds(_ count: some BinaryInteger) -> Int64 { Int64(count) * 1_000_000 }

  /// Times that are more than 146 years from the origin are taken for that.
  init(clamping duration: Duration) {
    let limit: Int64 = .max / 2_000_000_000
    let (seconds, attoseconds) = duration.components
    self = .seconds(Swift.min(Swift.max(seconds, -limit), limit)) + attoseconds / 1_000_000_000
  }
}
