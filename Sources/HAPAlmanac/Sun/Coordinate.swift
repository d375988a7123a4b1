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
}
