import HAPAlmanac
import HAPModel

/// The texts of times, periods and offsets in JSON and in `.hashome` files: "18:00", "1d", "-30min".
///
/// Each `…Text` function writes what the function of the same name parses to the same value.
package enum HomeText {
  // MARK: Offsets and durations

  /// Parses a number of seconds, such as "30min", "-1.5h" or "+90s", without a fraction of a second; nil for anything
  /// else.
  package static func seconds(_ text: String) -> Int? {
    let isNegative = text.hasPrefix("-")
    let amount = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard let duration = Duration(String(amount)), duration.components.attoseconds == 0 else { return nil }
    let seconds = Int(duration.components.seconds)
    return isNegative ? -seconds : seconds
  }

  /// Returns the text of a number of seconds; nil for more than 1000 hours, before or after.
  package static func secondsText(_ seconds: Int) -> String? {
    guard seconds.magnitude <= 3_600_000 else { return nil }
    return (seconds < 0 ? "-" : "") + Duration.seconds(seconds.magnitude).roundText
  }

  // MARK: Periods

  /// Parses a period, such as "1d", "1mo" or "1h 30min": numbers with their units, the longest unit first; nil for
  /// anything else, and for a period that `CivilPeriod` refuses.
  package static func period(_ text: String) -> CivilPeriod? {
    var amounts = [Int](repeating: 0, count: units.count)
    var rest = text.utf8[...]
    var next = 0
    while !rest.isEmpty {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest[digits.endIndex...]
      let letters = rest.prefix { (0x61...0x7A).contains($0) }
      rest = rest[letters.endIndex...]
      guard digits.count <= 10, let amount = Int(Substring(digits)),
        let unit = units[next...].firstIndex(of: String(Substring(letters)))
      else { return nil }
      amounts[unit] = amount
      next = unit + 1
      if rest.first == UInt8(ascii: " "), rest.count > 1 { rest = rest.dropFirst() }
    }
    return CivilPeriod(
      months: amounts[0], weeks: amounts[1], days: amounts[2], hours: amounts[3], minutes: amounts[4])
  }

  /// Returns the text of a period.
  package static func periodText(_ period: CivilPeriod) -> String {
    zip([period.months, period.weeks, period.days, period.hours, period.minutes], units)
      .compactMap { $0 == 0 ? nil : "\($0)\($1)" }.joined(separator: " ")
  }

  /// The units of a period, from long to short.
  private static let units = ["mo", "w", "d", "h", "min"]

  // MARK: Dates and times

  /// Parses a time of day ("18:00", "18:00:30"), a date ("2026-06-01"), or both ("2026-06-01T18:00"); nil for anything
  /// else, and for a day that does not exist.
  package static func parts(_ text: String) -> DateParts? {
    let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = halves.first, let last = halves.last else { return nil }
    var date: CivilDate?
    if halves.count == 2 || first.contains("-") {
      date = try? CivilDate(String(first))
      guard date != nil else { return nil }
    }
    var time: CivilTime?
    if halves.count == 2 || date == nil {
      time = try? CivilTime("2000-01-01T\(last)")
      guard time != nil, !last.contains(".") else { return nil }
    }
    let hasSeconds = last.utf8.count > 5
    return try? DateParts(
      year: date?.year, month: date?.month, day: date?.day, hour: time?.hour, minute: time?.minute,
      second: hasSeconds ? time?.second : nil)
  }

  /// Returns the text of a time of day, a date, or both; nil for any other parts, which need an object.
  package static func partsText(_ parts: DateParts) -> String? {
    var texts: [String] = []
    var rest = [parts.year, parts.month, parts.day, parts.weekday?.rawValue, parts.hour, parts.minute, parts.second]
    if let year = parts.year, let month = parts.month, let day = parts.day,
      let date = try? CivilDate(year: year, month: month, day: day)
    {
      texts.append("\(date)")
      rest.replaceSubrange(0...2, with: [nil, nil, nil])
    }
    if let hour = parts.hour, let minute = parts.minute {
      texts.append(([hour, minute] + (parts.second.map { [$0] } ?? [])).map(twoDigits).joined(separator: ":"))
      rest.replaceSubrange(4...6, with: [nil, nil, nil])
    }
    return texts.isEmpty || rest.contains { $0 != nil } ? nil : texts.joined(separator: "T")
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Parses a moment in UTC, such as "2026-06-01T19:00:00Z"; nil for anything else, and outside of the years 1677 to
  /// 2262.
  package static func instant(_ text: String) -> Instant? {
    guard text.hasSuffix("Z"), let time = try? CivilTime(String(text.dropLast())) else { return nil }
    let instant = ZoneRules.utc.instant(of: time)
    return ZoneRules.utc.civilTime(at: instant) == time ? instant : nil
  }

  /// Returns the text of a moment in UTC.
  package static func instantText(_ instant: Instant) -> String { instant.description }
}

extension Weekday {
  /// The word in JSON and in `.hashome` files: the first three letters of the English name.
  package var word: String {
    switch self {
    case .sunday: "sun"
    case .monday: "mon"
    case .tuesday: "tue"
    case .wednesday: "wed"
    case .thursday: "thu"
    case .friday: "fri"
    case .saturday: "sat"
    }
  }

  /// The English name.
  package var name: String { "\(self)".prefix(1).uppercased() + "\(self)".dropFirst() }
}

extension Comparison {
  /// The member that compares a characteristic in JSON and in `.hashome` files: `{"characteristic": …, "below": 20}`.
  package var word: String {
    switch self {
    case .equal: "is"
    case .notEqual: "is-not"
    case .less: "below"
    case .lessOrEqual: "at-most"
    case .greater: "above"
    case .greaterOrEqual: "at-least"
    }
  }
}
