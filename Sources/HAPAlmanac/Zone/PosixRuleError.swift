/// The reason why a text is not a rule of a time zone, as in a TZ variable.
public struct PosixRuleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The part that is malformed.
  public enum Part: String, Hashable, Sendable {
    /// An abbreviation: three or more letters, or in `<>` letters, digits and signs.
    case abbreviation = "an abbreviation of three or more letters, or of letters, digits and signs in <>"
    /// The difference to UTC: hours to 24, minutes and seconds to 59, positive in the west.
    case offset = "a difference to UTC, such as -5 or 3:30, of less than 25 hours"
    /// The dates of a daylight-saving time, which are required.
    case dates = "a comma and a date, because a daylight-saving time has a start and an end"
    /// A date: Jn with n from 1 to 365, n from 0 to 365, or Mm.w.d.
    case date = "a date: J1 to J365, 0 to 365, or M1.1.0 to M12.5.6"
    /// A time of day: hours from -167 to 167, minutes and seconds to 59.
    case time = "a time of day of -167 to 167 hours"
    /// Bytes after the rule.
    case end = "nothing more"
  }

  /// The expected part.
  public let expected: Part
  /// The offset of the first byte that does not belong to it.
  public let position: Int

  /// An explanation for people.
  public var description: String { "at byte \(position), the rule needs \(expected.rawValue)" }
}
