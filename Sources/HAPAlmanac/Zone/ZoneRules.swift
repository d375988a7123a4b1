/// The differences between civil time and UTC in a time zone: in the past as a table, in later years by a rule.
public struct ZoneRules: Equatable, Sendable {
  /// Seconds from 1970, ascending.
  let times: [Int]
  /// The index of the type from each of the times.
  let types: [UInt8]
  /// At least one. The first one applies before the first time.
  let localTypes: [LocalTimeType]
  /// The rule for the years after the last time. Without it, the last local time type stays in effect.
  let footer: PosixRule?
  /// The first second to which the rule applies.
  private let footerStart: Int

  /// UTC, without data of time zones.
  public static let utc = ZoneRules(times: [], types: [], localTypes: [.utc], footer: nil)

  /// Creates rules from data that a reader has checked.
  init(times: [Int], types: [UInt8], localTypes: [LocalTimeType], footer: PosixRule?) {
    precondition(times.count == types.count && types.allSatisfy { $0 < localTypes.count } && !localTypes.isEmpty)
    self.times = times
    self.types = types
    self.localTypes = localTypes
    self.footer = footer
    footerStart = Self.start(of: footer, after: times.last, with: localTypes[types.last.map(Int.init) ?? 0])
  }

  /// The first second to which a rule applies. It is the last time of the table. If the rule has another type at that
  /// time, it is the first change of the rule after that time: zic writes such a file if a zone changes its rules
  /// within a daylight-saving time. The reference implementation (localtime.c of the IANA database) reads it in this
  /// way.
  private static func start(of footer: PosixRule?, after last: Int?, with type: LocalTimeType) -> Int {
    // The table may end at any 64-bit number. These limits are outside of the range of instants.
    let limits = -1_000_000_000_000_000...1_000_000_000_000_000
    guard let footer, last ?? 0 <= limits.upperBound else { return .max }
    guard let last, last >= limits.lowerBound else { return .min }
    return footer.type(at: last) == type ? last : footer.nextChange(after: last) ?? .max
  }

  /// Creates the same rules with another rule for later years.
  init(_ rules: ZoneRules, footer: PosixRule?) {
    self.init(times: rules.times, types: rules.types, localTypes: rules.localTypes, footer: footer)
  }

  /// Creates a zone without a table from the value of a TZ variable (POSIX §8.3), such as "CET-1CEST,M3.5.0,M10.5.0/3".
  public init(posix text: String) throws(PosixRuleError) {
    let rule = try PosixRule(text.utf8)
    self.init(times: [], types: [], localTypes: [rule.standard], footer: rule)
  }

  /// Returns the local time type at an instant.
  public func type(at instant: Instant) -> LocalTimeType { type(at: Int(instant.seconds)) }

  /// Returns the civil time at an instant.
  public func civilTime(at instant: Instant) -> CivilTime {
    CivilTime(of: instant, offset: type(at: instant).offset)
  }

  func type(at seconds: Int) -> LocalTimeType {
    if let footer, seconds >= footerStart { return footer.type(at: seconds) }
    let count = countOfTimes(upTo: seconds)
    return localTypes[count == 0 ? 0 : Int(types[count - 1])]
  }

  /// The number of times that are not later than a time.
  func countOfTimes(upTo seconds: Int) -> Int {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
