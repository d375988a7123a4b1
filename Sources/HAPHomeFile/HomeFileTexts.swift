import HAPAlmanac
import HAPHome
import HAPModel

/// The texts of times and words in a document, for reading and writing.
enum HomeFileText {
  static let weekdays: [(day: Weekday, word: String)] = [
    (.monday, "mon"), (.tuesday, "tue"), (.wednesday, "wed"), (.thursday, "thu"), (.friday, "fri"), (.saturday, "sat"),
    (.sunday, "sun"),
  ]

  static func weekday(_ word: String) -> Weekday? { weekdays.first { $0.word == word }?.day }
  static func word(_ day: Weekday) -> String { weekdays.first { $0.day == day }?.word ?? "" }

  /// The members that compare a value, and the comparisons.
  static let comparisons: [(word: String, comparison: Comparison)] = [
    ("is", .equal), ("not", .notEqual), ("below", .less), ("at-most", .lessOrEqual), ("above", .greater),
    ("at-least", .greaterOrEqual),
  ]

  // MARK: Periods

  private static let units = ["mo", "w", "d", "h", "min"]

  /// Parses "1d" or "1mo 2w 3d 4h 5min": each unit at most once, from long to short.
  static func period(_ text: String) -> CivilPeriod? {
    var counts = [0, 0, 0, 0, 0]
    var next = 0
    for part in text.split(separator: " ") {
      let digits = part.utf8.prefix { (0x30...0x39).contains($0) }
      guard let count = Int(part[..<digits.endIndex]), count > 0,
        let unit = units.firstIndex(of: String(part[digits.endIndex...])), unit >= next
      else { return nil }
      counts[unit] = count
      next = unit + 1
    }
    return CivilPeriod(months: counts[0], weeks: counts[1], days: counts[2], hours: counts[3], minutes: counts[4])
  }

  static func text(_ period: CivilPeriod) -> String {
    zip([period.months, period.weeks, period.days, period.hours, period.minutes], units)
      .filter { $0.0 > 0 }.map { "\($0)\($1)" }.joined(separator: " ")
  }

  // MARK: Seconds

  /// Parses "10min", "90s" or "-1h" in whole seconds.
  static func seconds(_ text: String, mayBeNegative: Bool) -> Int? {
    let isNegative = mayBeNegative && text.hasPrefix("-")
    guard let duration = Duration(isNegative ? String(text.dropFirst()) : text), duration.components.attoseconds == 0
    else { return nil }
    let seconds = Int(duration.components.seconds)
    return isNegative ? -seconds : seconds
  }

  static func text(seconds: Int) -> String {
    let (sign, seconds) = (seconds < 0 ? "-" : "", seconds.magnitude)
    if seconds > 0, seconds % 3600 == 0 { return "\(sign)\(seconds / 3600)h" }
    if seconds > 0, seconds % 60 == 0 { return "\(sign)\(seconds / 60)min" }
    return "\(sign)\(seconds)s"
  }

  // MARK: Times of the day

  /// Parses "18:00" or "18:00:30".
  static func timeOfDay(_ text: String) -> DateParts? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count),
      parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let numbers = parts.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    return try? DateParts(hour: numbers[0], minute: numbers[1], second: numbers.count == 3 ? numbers[2] : nil)
  }

  /// Returns "18:00" or "18:00:30"; nil for parts that `timeOfDay` does not return.
  static func timeOfDay(_ parts: DateParts) -> String? {
    guard let hour = parts.hour, let minute = parts.minute, parts.year == nil, parts.month == nil, parts.day == nil,
      parts.weekday == nil
    else { return nil }
    return ([hour, minute] + (parts.second.map { [$0] } ?? [])).map { $0 < 10 ? "0\($0)" : "\($0)" }
      .joined(separator: ":")
  }
}
