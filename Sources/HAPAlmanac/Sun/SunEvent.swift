import CMath

/// Sunrise or sunset: the sun's upper limb is at the horizon, with the usual refraction. Its centre is then 50′ below the
/// horizon.
///
/// Errors against the ephemeris of libastro are less than 10 s below 65° of latitude and less than 30 s beyond
/// (docs/internals/almanac.md). Mountains, the observer's height and the weather are not considered.
public enum SunEvent: String, CaseIterable, Hashable, Sendable {
  /// The sun appears.
  case sunrise
  /// The sun disappears.
  case sunset

  /// Returns the event of a civil day; nil if there is none, on a polar day or in a polar night.
  ///
  /// The events of a day are those before and after its solar noon. A sunset after midnight belongs to the day before.
  public func time(on date: CivilDate, at place: Coordinate, in zone: ZoneRules) -> Instant? {
    let noon = zone.instant(of: CivilTime(date, secondOfDay: 43_200))
    // Days outside of the range of instants lead to its ends.
    guard noon > .distantPast, noon < .distantFuture else { return nil }
    let day = Double(noon.seconds) / 86_400 + place.longitude / 360
    // The solar noon that is nearest to noon in the zone.
    return time(onSolarDay: Int((day - 0.5).rounded()), at: place)
  }

  /// Returns the first event after an instant; nil if there is none within 400 days, as at the poles, or none before
  /// the year 2262.
  public func next(after instant: Instant, at place: Coordinate) -> Instant? {
    let day = Int((Double(instant.seconds) / 86_400 + place.longitude / 360).rounded(.down))
    for day in day - 1...day + 400 {
      if let time = time(onSolarDay: day, at: place), time > instant { return time }
    }
    return nil
  }

  /// The sun's distance from the zenith at the event, in degrees. The position is that for the earth's centre; on the
  /// surface, the sun at the horizon is lower by its parallax of 8.8″.
  private static let zenith = 90 + 50.0 / 60 - 8.794 / 3600

  /// Returns the event next to a solar noon, rounded to a second.
  /// - Parameter day: the number of mean solar days from 1970-01-01 at the longitude.
  func time(onSolarDay day: Int, at place: Coordinate) -> Instant? {
    let noon = (Double(day) + 0.5 - place.longitude / 360) * 86_400
    let latitude = radians(place.latitude)
    var time = noon
    var exists = false
    // The sun moves between noon and the event: each step uses its position at the time that the last one found. The last
    // step decides whether there is an event, because the sun may not reach the horizon with its position at noon.
    for _ in 0..<4 {
      let sun = SunPosition(at: time)
      let cosine =
        (cos(radians(Self.zenith)) - sin(latitude) * sin(sun.declination)) / (cos(latitude) * cos(sun.declination))
      exists = (-1...1).contains(cosine)
      let hourAngle = acos(max(-1, min(1, cosine))) * 43_200 / .pi
      time = noon - sun.equationOfTime + (self == .sunrise ? -hourAngle : hourAngle)
    }
    guard exists else { return nil }
    let instant = Instant(seconds: Int64(time.rounded()))
    return instant < .distantFuture && instant > .distantPast ? instant : nil
  }
}
