import Foundation
import HAPAlmanac
import HAPHome
import HAPTestSupport
import Testing

@testable import HAPHomeKit

@Suite("Date components of triggers") struct DateComponentsTests {
  private let berlin = ZoneName("Europe/Berlin")!

  private func refusal<Value>(_ conversion: () throws(HMError) -> Value) -> HMError? {
    do throws(HMError) {
      _ = try conversion()
      return nil
    } catch { return error }
  }

  @Test("Parts of a time are the same after both conversions") func parts() throws {
    var generator = SeededGenerator(seed: 3)
    func optional(_ range: ClosedRange<Int>) -> Int? {
      Bool.random(using: &generator) ? Int.random(in: range, using: &generator) : nil
    }
    for _ in 0..<500 {
      let weekday = optional(1...7).flatMap { Weekday(rawValue: $0) }
      let parts = try DateParts(
        year: optional(1...9999), month: optional(1...12), day: optional(1...31), weekday: weekday,
        hour: optional(0...23), minute: optional(0...59), second: optional(0...59))
      let components = DateComponents(parts)
      #expect(try DateParts(components, in: berlin) == parts)
      #expect(components.calendar == nil && components.timeZone == nil)
    }
  }

  @Test("A time has no other fields, and its numbers are in their ranges") func wrongParts() throws {
    let fields: [Calendar.Component] = [
      .era, .yearForWeekOfYear, .quarter, .weekOfYear, .weekOfMonth, .weekdayOrdinal, .nanosecond,
    ]
    for field in fields {
      var components = DateComponents(hour: 6)
      components.setValue(2, for: field)
      let error = refusal { () throws(HMError) in try DateParts(components, in: berlin) }
      #expect(error?.code == .invalidParameter && error?.localizedDescription.contains("\(field)") == true)
      // Foundation itself sets some fields to 0.
      components.setValue(0, for: field)
      #expect(try DateParts(components, in: berlin) == DateParts(hour: 6))
    }
    let wrong: [DateComponents] = [
      DateComponents(hour: 24), DateComponents(hour: -1), DateComponents(minute: 60), DateComponents(second: 60),
      DateComponents(month: 13), DateComponents(month: 0), DateComponents(day: 32), DateComponents(year: 0),
      DateComponents(weekday: 0), DateComponents(weekday: 8), DateComponents(hour: .max - 1),
      DateComponents(weekday: .min),
    ]
    for components in wrong {
      let error = refusal { () throws(HMError) in try DateParts(components, in: berlin) }
      #expect(error?.code == .invalidParameter, "\(components)")
    }
  }

  @Test("A time is in the zone of the home, and in the Gregorian calendar") func surroundings() throws {
    let (own, other) = (TimeZone(identifier: "Europe/Berlin"), TimeZone(identifier: "Asia/Tokyo"))
    func components(_ zone: TimeZone?, _ calendar: Calendar.Identifier?) -> DateComponents {
      var components = DateComponents(hour: 6)
      (components.timeZone, components.calendar) = (zone, calendar.map { Calendar(identifier: $0) })
      return components
    }
    for calendar in [nil, Calendar.Identifier.gregorian, .iso8601] {
      #expect(try DateParts(components(own, calendar), in: berlin) == DateParts(hour: 6))
    }
    #expect(try DateParts(components(TimeZone(identifier: "UTC"), nil), in: .utc) == DateParts(hour: 6))
    let zone = refusal { () throws(HMError) in try DateParts(components(other, nil), in: berlin) }
    #expect(zone?.code == .invalidParameter && zone?.localizedDescription.contains("Asia/Tokyo") == true)
    let calendar = refusal { () throws(HMError) in try DateParts(components(nil, .buddhist), in: berlin) }
    #expect(calendar?.code == .invalidParameter && calendar?.localizedDescription.contains("buddhist") == true)
  }

  @Test("A period is the same after both conversions") func periods() throws {
    var generator = SeededGenerator(seed: 4)
    func number() -> Int { Bool.random(using: &generator) ? Int.random(in: 1...500, using: &generator) : 0 }
    for _ in 0..<500 {
      guard
        let period = CivilPeriod(
          months: number(), weeks: number(), days: number(), hours: number(), minutes: number())
      else { continue }
      #expect(try CivilPeriod(recurrence: DateComponents(period)) == period)
    }
    #expect(DateComponents(CivilPeriod(weeks: 2, minutes: 5)!) == DateComponents(minute: 5, weekOfYear: 2))
    #expect(try CivilPeriod(recurrence: DateComponents(weekOfMonth: 1, weekOfYear: 2)) == CivilPeriod(weeks: 3)!)
    #expect(try CivilPeriod(recurrence: DateComponents(year: 0, hour: 1, second: 0)) == CivilPeriod(hours: 1)!)
  }

  @Test("A period that the hub does not have is refused, with the name of its field") func wrongPeriods() {
    let cases: [(DateComponents, HMError.Code, String)] = [
      (DateComponents(year: 1), .invalidParameter, "year"),
      (DateComponents(day: 1, weekday: 2), .invalidParameter, "weekday"),
      (DateComponents(quarter: 1), .invalidParameter, "quarter"), (DateComponents(day: -1), .invalidParameter, "day"),
      (DateComponents(hour: 5, minute: -1), .invalidParameter, "minute"),
      (DateComponents(minute: 5, nanosecond: 1), .invalidParameter, "nanosecond"),
      (DateComponents(second: 300), .dateMustBeOnSpecifiedBoundaries, "300"),
      (DateComponents(minute: 5, second: -1), .dateMustBeOnSpecifiedBoundaries, "-1"),
      (DateComponents(), .recurrenceTooSmall, "5 minutes"), (DateComponents(day: 0), .recurrenceTooSmall, "5 minutes"),
      (DateComponents(hour: .max - 1), .recurrenceTooLarge, "5 weeks"),
      (DateComponents(weekOfMonth: .max - 1, weekOfYear: .max - 1), .recurrenceTooLarge, "5 weeks"),
    ]
    for (components, code, part) in cases {
      let error = refusal { () throws(HMError) in try CivilPeriod(recurrence: components) }
      #expect(error?.code == code && error?.localizedDescription.contains(part) == true, "\(components)")
    }
  }

  @Test("Recurrences of events are days of the week") func recurrences() throws {
    let days: Set<Weekday> = [.sunday, .friday]
    #expect(days.recurrences == [DateComponents(weekday: 1), DateComponents(weekday: 6)])
    #expect(try Set(recurrences: days.recurrences) == days)
    #expect(Set<Weekday>().recurrences == nil)
    #expect(try Set(recurrences: nil).isEmpty && Set(recurrences: []).isEmpty)
    #expect(try Set(recurrences: [DateComponents(hour: 99, weekday: 6), DateComponents(weekday: 6)]) == [.friday])
    for wrong in [DateComponents(hour: 6), DateComponents(weekday: 0), DateComponents(weekday: 8)] {
      let error = refusal { () throws(HMError) in try Set(recurrences: [DateComponents(weekday: 1), wrong]) }
      #expect(error?.code == .invalidParameter && error?.localizedDescription.contains("weekday") == true)
    }
  }

  @Test("An offset of the sun is the same after both conversions, and at most 12 hours") func offsets() throws {
    for offset in stride(from: -43_200, through: 43_200, by: 37) {
      let moment = try #require(SunMoment(.sunset, offset: offset))
      #expect(try SunMoment(moment.significantEvent, moment.components) == moment)
    }
    #expect(SunMoment(.sunset, offset: -5400)!.components == DateComponents(hour: -1, minute: -30))
    #expect(try SunMoment(.sunrise, DateComponents(hour: 1, minute: -10)) == SunMoment(.sunrise, offset: 3000)!)
    #expect(try SunMoment(.sunrise, DateComponents()) == SunMoment(.sunrise)!)
    let wrong: [(HMSignificantEvent, DateComponents?, String)] = [
      (.sunset, DateComponents(hour: 12, second: 1), "12 hours"), (.sunset, DateComponents(hour: .min), "12 hours"),
      (.sunset, DateComponents(hour: .max - 1, minute: .max - 1), "12 hours"), (.sunset, DateComponents(day: 1), "day"),
      (HMSignificantEvent(rawValue: "noon"), nil, "noon"),
    ]
    for (event, offset, part) in wrong {
      let error = refusal { () throws(HMError) in try SunMoment(event, offset) }
      #expect(error?.code == .invalidParameter && error?.localizedDescription.contains(part) == true)
    }
  }

  @Test("A time zone has a name in the database of zones") func zones() throws {
    func name(_ zone: TimeZone?) throws -> String { try ZoneName(#require(zone)).text }
    #expect(try name(TimeZone(identifier: "Europe/Berlin")) == "Europe/Berlin")
    #expect(try name(TimeZone(identifier: "UTC")) == "UTC" && name(TimeZone(secondsFromGMT: 0)) == "UTC")
    // The signs of these names are those of POSIX.
    #expect(try name(TimeZone(secondsFromGMT: 3600)) == "Etc/GMT-1")
    #expect(try name(TimeZone(secondsFromGMT: -12 * 3600)) == "Etc/GMT+12")
  }
}
