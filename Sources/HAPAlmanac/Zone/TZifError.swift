/// The reason why bytes are not a file of a time zone (RFC 9636).
public enum TZifError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no "TZif" at the start of a header.
  case notTZif(at: Int)
  /// The version is neither 1 (a zero byte) nor a digit from 2.
  case unknownVersion(UInt8)
  /// There are more bytes than in any time zone.
  case tooLong(Int)
  /// The bytes end within a part that starts at this offset.
  case truncated(at: Int)
  /// The zone counts leap seconds, which instants do not.
  case leapSeconds
  /// A rule of the format is broken. The offset is that of the faulty part.
  case broken(TZifRule, at: Int)
  /// The rule for the years after the last transition is malformed.
  case footer(PosixRuleError)

  /// An explanation for people.
  public var description: String {
    switch self {
    case .notTZif(let offset): "there is no header of a time zone at byte \(offset)"
    case .unknownVersion(let version): "the version \(version) of the file is unknown"
    case .tooLong(let count): "a file of \(count) bytes is too long for a time zone"
    case .truncated(let offset): "the file ends within the part that starts at byte \(offset)"
    case .leapSeconds: "the zone counts leap seconds; use the zone without \"right/\" in its name"
    case .broken(let rule, let offset): "\(rule.rawValue) (byte \(offset))"
    case .footer(let error): "the rule at the end of the file is malformed: \(error)"
    }
  }
}

/// The rules of RFC 9636 that a file must follow here.
public enum TZifRule: String, Hashable, Sendable, CaseIterable {
  /// §3.1: typecnt is not zero.
  case typeCount = "a file needs at least one local time type"
  /// §3.1: charcnt is not zero.
  case designationCount = "a file needs at least one byte of abbreviations"
  /// §3.1: isutcnt and isstdcnt are zero or typecnt.
  case indicatorCount = "the number of indicators differs from the number of local time types"
  /// §3.2: transition times ascend.
  case transitionOrder = "a transition is not later than the one before"
  /// §3.2: a transition type is less than typecnt.
  case transitionType = "a transition has a local time type that does not exist"
  /// §3.2: the offset is -89999...93599.
  case offset = "an offset is not between -25 and 26 hours"
  /// §3.2: isdst is 0 or 1.
  case daylightFlag = "a flag for daylight-saving time is neither 0 nor 1"
  /// §3.2: the index of an abbreviation is less than charcnt, and the abbreviation ends with a zero byte.
  case designation = "an abbreviation is outside of the list, has no end, or is not ASCII text"
  /// §3.3: newlines enclose the footer.
  case footerFrame = "newlines do not enclose the rule at the end of the file"
}
