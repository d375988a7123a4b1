/// The difference between civil time and UTC during a period, and its name (RFC 9636 §2, "local time type").
public struct LocalTimeType: Hashable, Sendable {
  /// Seconds east of UTC: -89999...93599, the range of RFC 9636 §3.2.
  public let offset: Int
  /// The abbreviation in the zone's data, such as "CEST" or "+0530"; may be empty.
  public let abbreviation: String

  static let offsets = -89_999...93_599
  static let utc = LocalTimeType(offset: 0, abbreviation: "UTC")
}
