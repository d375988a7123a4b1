import Testing

@testable import HAPAlmanac

/// The vectors of `Tests/Vectors/almanac/sun.json`.
@Suite("Sunrise and sunset") struct SunTests {
  @Test("Events are those of libastro: 10 s below 65° of latitude, 30 s beyond", arguments: SunVector.all)
  func vectors(_ vector: SunVector) throws {
    let bar = abs(vector.place.latitude) < 65 ? 10 : 30
    for (day, expected) in vector.days {
      let noon = (Double(day) + 0.5 - vector.place.longitude / 360) * 86_400
      for (event, seconds) in zip([SunEvent.sunrise, .sunset], expected) {
        let found = event.time(onSolarDay: day, at: vector.place)
        #expect((found == nil) == (seconds == nil), "\(event) of day \(day): \(String(describing: found))")
        guard let found, let seconds else { continue }
        #expect(abs(Int(found.seconds) - Int(noon) - seconds) <= bar, "\(event) of day \(day): \(found)")
      }
    }
  }

  @Test("Events of a civil day are those of libastro", arguments: CityVector.all)
  func cities(_ vector: CityVector) throws {
    let rules = zone(vector.zone)
    for (event, expected) in zip([SunEvent.sunrise, .sunset], [vector.sunrise, vector.sunset]) {
      let found = event.time(on: vector.date, at: vector.place, in: rules)
      #expect((found == nil) == (expected == nil), "\(event): \(String(describing: found))")
      guard let found, let expected else { continue }
      let error = abs(rules.civilTime(at: found).civilSeconds - expected.civilSeconds)
      #expect(error <= (abs(vector.place.latitude) < 65 ? 10 : 30), "\(event): \(rules.civilTime(at: found))")
    }
  }

  @Test("The next event is the first one that is later")
  func next() throws {
    let berlin = try #require(Coordinate(latitude: 52.52, longitude: 13.405))
    for event in SunEvent.allCases {
      var instant = Instant(seconds: 1_767_225_600)
      for day in 0..<366 {
        let date = try #require(CivilDate(dayNumber: 20_454 + day))
        let expected = try #require(event.time(on: date, at: berlin, in: zone("Europe/Berlin")))
        let found = try #require(event.next(after: instant, at: berlin))
        #expect(found == expected)
        #expect(event.next(after: found.advanced(by: .nanoseconds(-1)), at: berlin) == found)
        instant = found
      }
    }
  }

  @Test("After a polar night, the next event is months away")
  func polarNight() throws {
    let north = try #require(Coordinate(latitude: 78.2, longitude: 15.6))
    let start = ZoneRules.utc.instant(of: try CivilTime("2026-11-10T12:00"))
    #expect("\(try #require(SunEvent.sunrise.next(after: start, at: north)))".hasPrefix("2027-02-1"))
    for day in ["2026-12-21", "2026-06-21"] {
      for event in SunEvent.allCases { #expect(event.time(on: try CivilDate(day), at: north, in: .utc) == nil) }
    }
  }

  @Test("At the poles, and at the ends of time, there is no event", arguments: [-90.0, 90])
  func poles(_ latitude: Double) throws {
    let pole = try #require(Coordinate(latitude: latitude, longitude: 0))
    for event in SunEvent.allCases {
      for text in ["2026-03-20T12:00", "2026-06-21T12:00", "2026-09-23T00:00"] {
        #expect(event.next(after: ZoneRules.utc.instant(of: try CivilTime(text)), at: pole) == nil)
      }
      let place = try #require(Coordinate(latitude: latitude / 2, longitude: 180))
      #expect(event.next(after: .distantFuture, at: place) == nil)
      #expect(event.next(after: .distantPast, at: place) != nil)
      #expect(event.time(on: try CivilDate("9999-12-31"), at: place, in: .utc) == nil)
      #expect(event.time(on: try CivilDate("0001-01-01"), at: place, in: .utc) == nil)
    }
  }

  @Test("The day is that of the zone, not of UTC: each day has a sunrise before its sunset")
  func civilDay() throws {
    let auckland = try ZoneRules(posix: "NZST-12NZDT,M9.5.0,M4.1.0/3")
    for (rules, latitude, longitude) in [
      (zone("Pacific/Apia"), -13.83, -171.77), (zone("America/Los_Angeles"), 37.33, -122.03),
      (zone("Australia/Lord_Howe"), -31.55, 159.08), (zone("Asia/Kathmandu"), 27.7, 85.3), (auckland, -36.85, 174.76),
    ] {
      let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
      for day in 20_454..<20_819 {
        let date = try #require(CivilDate(dayNumber: day))
        let times = SunEvent.allCases.compactMap { $0.time(on: date, at: place, in: rules) }
        #expect(times.count == 2 && times[0] < times[1])
        #expect(times.map { rules.civilTime(at: $0).date } == [date, date])
      }
    }
  }

  @Test("Places outside of the earth are refused")
  func coordinates() {
    for (latitude, longitude) in [
      (90.001, 0), (-90.001, 0), (0, 180.001), (0, -180.001), (.nan, 0), (0, .nan), (.infinity, 0), (0, -.infinity),
    ] {
      #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }
    #expect(Coordinate(latitude: -90, longitude: 180) != nil)
  }
}
