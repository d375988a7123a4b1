import CMath

/// The position of the sun at a time, as seen from the earth's centre.
///
/// Method: the solar coordinates of lower accuracy in chapter 25 of J. Meeus, "Astronomical Algorithms", and the equation
/// of time of chapter 28, with the constants of NOAA's solar calculation spreadsheets.
struct SunPosition {
  /// The angle above the plane of the equator, in radians.
  let declination: Double
  /// Apparent minus mean solar time, in seconds.
  let equationOfTime: Double

  /// - Parameter seconds: seconds from 1970.
  init(at seconds: Double) {
    // Julian centuries from the epoch J2000.0, which is 10957.5 days after 1970.
    let t = (seconds / 86_400 - 10_957.5) / 36_525
    let meanLongitude = radians(280.46646 + t * (36_000.76983 + t * 0.000_303_2))
    let anomaly = radians(357.52911 + t * (35_999.05029 - t * 0.000_153_7))
    let eccentricity = 0.016_708_634 - t * (0.000_042_037 + t * 0.000_000_126_7)
    let centre =
      sin(anomaly) * (1.914602 - t * (0.004817 + t * 0.000014)) + sin(2 * anomaly) * (0.019993 - t * 0.000101)
      + sin(3 * anomaly) * 0.000289
    let node = radians(125.04 - 1934.136 * t)
    let longitude = meanLongitude + radians(centre - 0.00569 - 0.00478 * sin(node))
    let meanObliquity = 23 + (26 + (21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))) / 60) / 60
    let obliquity = radians(meanObliquity + 0.00256 * cos(node))
    declination = asin(sin(obliquity) * sin(longitude))

    let y = tan(obliquity / 2) * tan(obliquity / 2)
    let equation =
      y * sin(2 * meanLongitude) - 2 * eccentricity * sin(anomaly)
      + 4 * eccentricity * y * sin(anomaly) * cos(2 * meanLongitude) - y * y * sin(4 * meanLongitude) / 2
      - 1.25 * eccentricity * eccentricity * sin(2 * anomaly)
    // A turn of 2π is a day.
    equationOfTime = equation * 43_200 / .pi
  }
}

func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
