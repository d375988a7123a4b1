import Foundation
import HAPAlmanac
import HAPHome

extension HMError {
  static func invalid(_ message: String) -> HMError { HMError(.invalidParameter, message) }
}

extension DateComponents {
  private static let allFields: [Calendar.Component] = [
    .era, .year, .yearForWeekOfYear, .quarter, .month, .weekOfYear, .weekOfMonth, .weekday, .weekdayOrdinal, .day,
    .dayOfYear, .hour, .minute, .second, .nanosecond,
  ]

  /// Refuses the components if another field than those in the list is set to a number other than 0.
  /// - Parameter purpose: a plural, such as "times of triggers".
  func refuseFields(except allowed: [Calendar.Component], in purpose: String) throws(HMError) {
    for field in Self.allFields where !allowed.contains(field) {
      guard let number = value(for: field), number != 0 else { continue }
      let names = allowed.map { "\($0)" }.joined(separator: ", ")
      throw .invalid("\(purpose) do not have the field \(field), which is \(number): use \(names)")
    }
    if isLeapMonth == true { throw .invalid("\(purpose) do not have leap months: leave isLeapMonth unset") }
    if let calendar { try calendar.requireGregorian() }
  }
}

extension Calendar {
  /// - Throws: 3 for another calendar than the Gregorian one.
  func requireGregorian() throws(HMError) {
    guard identifier == .gregorian || identifier == .iso8601 else {
      throw .invalid("triggers use the Gregorian calendar: the calendar \(identifier) is not supported")
    }
  }
}

// MARK: Times

extension DateParts {
  /// The parts of a time.
  /// - Parameter zone: the zone of the home, in which the hub evaluates the time.
  /// - Throws: 3 for a field that the hub does not use, for a number out of range, or for another zone or calendar.
  init(_ components: DateComponents, in zone: ZoneName) throws(HMError) {
    try components.refuseFields(
      except: [.year, .month, .day, .weekday, .hour, .minute, .second], in: "times of triggers")
    if let other = components.timeZone {
      guard try ZoneName(other) == zone else {
        throw .invalid("times of triggers are in the zone of the home, \(zone): \(other.identifier) is another zone")
      }
    }
    do throws(CivilError) {
      self = try DateParts(
        year: components.year, month: components.month, day: components.day, weekday: Weekday(components),
        hour: components.hour, minute: components.minute, second: components.second)
    } catch { throw .invalid("\(error)") }
  }
}

extension DateComponents {
  /// The parts, without a calendar and a zone.
  init(_ parts: DateParts) {
    self.init(
      year: parts.year, month: parts.month, day: parts.day, hour: parts.hour, minute: parts.minute,
      second: parts.second, weekday: parts.weekday?.rawValue)
  }
}

extension Weekday {
  /// The weekday of components; nil if there is none.
  /// - Throws: a number that is not 1 (Sunday) to 7.
  fileprivate init?(_ components: DateComponents) throws(CivilError) {
    guard let number = components.weekday else { return nil }
    guard let weekday = Weekday(rawValue: number) else { throw .outOfRange(.weekday, number) }
    self = weekday
  }
}

extension Set<Weekday> {
  /// The days of recurrences, each of which has a weekday. Other fields are ignored, as Apple's reference says.
  /// - Throws: 3 for a recurrence without a weekday, or with a number that is not 1 (Sunday) to 7.
  init(recurrences: [DateComponents]?) throws(HMError) {
    self = []
    for recurrence in recurrences ?? [] {
      let weekday: Weekday?
      do throws(CivilError) { weekday = try Weekday(recurrence) } catch { throw .invalid("\(error)") }
      guard let weekday else { throw .invalid("a recurrence of events needs a weekday, from 1 (Sunday) to 7") }
      insert(weekday)
    }
  }

  /// One recurrence for each day, from Sunday; nil for all days.
  var recurrences: [DateComponents]? {
    isEmpty ? nil : map(\.rawValue).sorted().map { DateComponents(weekday: $0) }
  }
}

// MARK: Offsets

extension SunMoment {
  /// A moment of the sun, moved by an offset in hours, minutes and seconds; nil: not moved.
  /// - Throws: 3 for an unknown event, another field, or more than 12 hours.
  init(_ event: HMSignificantEvent, _ offset: DateComponents?) throws(HMError) {
    guard let event = SunEvent(rawValue: event.rawValue) else {
      throw .invalid("the sun has no event \"\(event.rawValue)\": use sunrise or sunset")
    }
    guard let moment = SunMoment(event, offset: try offset?.offsetSeconds() ?? 0) else {
      throw .invalid("an offset is at most 12 hours before or after the \(event.rawValue)")
    }
    self = moment
  }

  var significantEvent: HMSignificantEvent { HMSignificantEvent(rawValue: event.rawValue) }

  /// The offset as Apple's API has it; nil for 0.
  var components: DateComponents? { offset == 0 ? nil : DateComponents(offset: offset) }
}

extension DateComponents {
  /// An offset in hours, minutes and seconds with one sign, without those that are 0.
  init(offset seconds: Int) {
    func part(_ number: Int) -> Int? { number == 0 ? nil : number }
    self.init(hour: part(seconds / 3600), minute: part(seconds / 60 % 60), second: part(seconds % 60))
  }

  /// The seconds of an offset in hours, minutes and seconds, limited to one million in both directions.
  /// - Throws: 3 for another field.
  func offsetSeconds() throws(HMError) -> Int {
    try refuseFields(except: [.hour, .minute, .second], in: "offsets")
    let total = Int128(hour ?? 0) * 3600 + Int128(minute ?? 0) * 60 + Int128(second ?? 0)
    return Int(max(-1_000_000, min(1_000_000, total)))
  }
}

// MARK: Periods

extension CivilPeriod {
  /// The period of a timer.
  /// - Throws: 3 for a field that the hub does not use, and for a negative number; 42 for a period of 0; 70 for seconds; 72
  ///   for more than 10,000 years.
  init(recurrence components: DateComponents) throws(HMError) {
    if let second = components.second, second != 0 {
      throw HMError(.dateMustBeOnSpecifiedBoundaries, "the period of a timer has \(second) s: use whole minutes")
    }
    let fields: [Calendar.Component] = [.month, .weekOfYear, .weekOfMonth, .day, .hour, .minute]
    try components.refuseFields(except: fields, in: "periods of timers")
    var numbers: [Calendar.Component: Int] = [:]
    for field in fields {
      let number = components.value(for: field) ?? 0
      guard number >= 0 else {
        throw .invalid("the period of a timer has a negative number: the \(field) is \(number)")
      }
      numbers[field] = number
    }
    func number(_ field: Calendar.Component) -> Int { numbers[field] ?? 0 }
    let (weeks, isTooLarge) = number(.weekOfYear).addingReportingOverflow(number(.weekOfMonth))
    guard numbers.values.contains(where: { $0 > 0 }) else {
      throw HMError(.recurrenceTooSmall, "the period of a timer is 0: a timer repeats after 5 minutes or more")
    }
    guard !isTooLarge,
      let period = CivilPeriod(
        months: number(.month), weeks: weeks, days: number(.day), hours: number(.hour), minutes: number(.minute))
    else { throw HMError(.recurrenceTooLarge, "the period of a timer is longer than 5 weeks: use a shorter one") }
    self = period
  }
}

extension DateComponents {
  /// The fields of a period, without those that are 0.
  init(_ period: CivilPeriod) {
    func part(_ number: Int) -> Int? { number == 0 ? nil : number }
    self.init(
      month: part(period.months), day: part(period.days), hour: part(period.hours), minute: part(period.minutes),
      weekOfYear: part(period.weeks))
  }
}

// MARK: Zones

extension ZoneName {
  /// The name of a time zone. A zone with a fixed number of hours from GMT gets its name in the database of zones.
  /// - Throws: 3 for a zone that this database does not have.
  init(_ zone: TimeZone) throws(HMError) {
    let name = zone.identifier == "GMT" ? ZoneName.utc : zone.fixedName ?? ZoneName(zone.identifier)
    guard let name else {
      throw .invalid("the time zone \(zone.identifier) has no name in the database: use one such as \"Europe/Berlin\"")
    }
    self = name
  }
}

extension TimeZone {
  /// The name of a zone such as "GMT+0100", whose name in the database is "Etc/GMT-1"; nil for other zones.
  fileprivate var fixedName: ZoneName? {
    guard identifier.hasPrefix("GMT"), identifier.utf8.count > 3 else { return nil }
    let seconds = secondsFromGMT()
    guard seconds % 3600 == 0, (-12 * 3600...14 * 3600).contains(seconds) else { return nil }
    return ZoneName(seconds == 0 ? "UTC" : "Etc/GMT\(seconds > 0 ? "-" : "+")\(abs(seconds) / 3600)")
  }
}
