// The part of Core Location that HAPHomeKit uses, with Apple's declarations. For Scripts/typecheck-macos only.
@_exported import Foundation

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double

public struct CLLocationCoordinate2D: Sendable {
  public var latitude: CLLocationDegrees
  public var longitude: CLLocationDegrees
  public init() { (latitude, longitude) = (0, 0) }
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    (self.latitude, self.longitude) = (latitude, longitude)
  }
}

public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool { true }

open class CLRegion: NSObject, NSCopying {
  open var identifier: String { "" }
  open var notifyOnEntry: Bool = true
  open var notifyOnExit: Bool = true
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

open class CLCircularRegion: CLRegion {
  open private(set) var center: CLLocationCoordinate2D
  open private(set) var radius: CLLocationDistance
  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    (self.center, self.radius) = (center, radius)
  }
}
