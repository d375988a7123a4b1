#if !canImport(CoreLocation)
  import Foundation
  import HAPLoop

  /// Degrees of latitude or longitude.
  public typealias CLLocationDegrees = Double
  /// Metres.
  public typealias CLLocationDistance = Double

  /// A place on the earth. Linux has no Core Location; this type has Apple's names.
  public struct CLLocationCoordinate2D: Sendable {
    /// Degrees, -90...90, positive in the north.
    public var latitude: CLLocationDegrees
    /// Degrees, -180...180, positive in the east.
    public var longitude: CLLocationDegrees

    /// Creates the place with latitude 0 and longitude 0.
    public init() { self.init(latitude: 0, longitude: 0) }

    /// Creates a place. The numbers are not checked.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
      (self.latitude, self.longitude) = (latitude, longitude)
    }
  }

  /// Creates a place. The numbers are not checked.
  public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
  ) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
  }

  /// Returns whether latitude and longitude are in their ranges.
  public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    (-90...90).contains(coord.latitude) && (-180...180).contains(coord.longitude)
  }

  // Safe: the flags are in a lock, and the other properties are constants.
  /// An area on the earth, and whether its entry and its exit count. Events accept a ``CLCircularRegion``.
  public class CLRegion: NSObject, NSCopying, @unchecked Sendable {
    private struct Flags: Sendable { var (onEntry, onExit) = (true, true) }

    /// The name that the app gave.
    public let identifier: String
    private let flags = Guarded(Flags())

    init(identifier: String) { self.identifier = identifier }

    /// Whether the entry counts; true at first.
    public var notifyOnEntry: Bool {
      get { flags.withLock { $0.onEntry } }
      set { flags.withLock { $0.onEntry = newValue } }
    }

    /// Whether the exit counts; true at first.
    public var notifyOnExit: Bool {
      get { flags.withLock { $0.onExit } }
      set { flags.withLock { $0.onExit = newValue } }
    }

    /// Returns a region with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any { flagged(CLRegion(identifier: identifier)) }

    /// Gives a copy the flags of this region.
    fileprivate func flagged(_ copy: CLRegion) -> CLRegion {
      (copy.notifyOnEntry, copy.notifyOnExit) = (notifyOnEntry, notifyOnExit)
      return copy
    }
  }

  // Safe: it adds constants to `CLRegion`.
  /// A circle on the earth.
  public final class CLCircularRegion: CLRegion, @unchecked Sendable {
    /// The centre.
    public let center: CLLocationCoordinate2D
    /// The radius in metres.
    public let radius: CLLocationDistance

    /// Creates a circle. The numbers are checked when an event with the circle is added to a home.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
      (self.center, self.radius) = (center, radius)
      super.init(identifier: identifier)
    }

    /// Returns a circle with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
      flagged(CLCircularRegion(center: center, radius: radius, identifier: identifier))
    }
  }
#endif
