import CMath

/// A place on the earth, in degrees.
public struct Coordinate: Hashable, Sendable {
  /// -90...90, positive in the north.
  public let latitude: Double
  /// -180...180, positive in the east.
  public let longitude: Double

  /// Returns nil if a number is out of range.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    (self.latitude, self.longitude) = (latitude, longitude)
  }

  /// The mean radius of the earth in metres. IUGG.
  private static let earthRadius = 6_371_008.8

  /// Returns the distance on the surface of a sphere with the earth's mean radius, in metres. The earth's flattening
  /// changes it by at most 0.6 %.
  public func distance(to other: Coordinate) -> Double {
    let (latitude, otherLatitude) = (radians(latitude), radians(other.latitude))
    let halfLatitude = sin((otherLatitude - latitude) / 2)
    let halfLongitude = sin(radians(other.longitude - longitude) / 2)
    // The haversine formula: exact for short distances, too.
    let haversine =
      halfLatitude * halfLatitude + cos(latitude) * cos(otherLatitude) * halfLongitude * halfLongitude
    return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
  }
}
