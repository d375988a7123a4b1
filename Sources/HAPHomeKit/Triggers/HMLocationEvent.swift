import Foundation
import HAPAlmanac
import HAPHome
import HAPLoop

// Safe: its content is in a lock.
/// The current user enters or leaves a region. HMLocationEvent
public class HMLocationEvent: HMEvent, NSCopying, NSMutableCopying, @unchecked Sendable {
  // Safe: the app gives the region away, as it would give it to Apple's framework, which keeps the object, too.
  /// A region between threads. `CLRegion` of Apple's systems has no statement about them.
  fileprivate struct Content: @unchecked Sendable { var region: CLRegion? }

  fileprivate let content: Guarded<Content>

  /// Creates an event.
  /// - Parameter region: a ``CLCircularRegion`` with `notifyOnEntry` or `notifyOnExit`. A home refuses other regions, a
  ///   radius of 0, and one above 1,000,000 m.
  public convenience init(region: CLRegion) { self.init(region) }

  fileprivate init(_ region: CLRegion?) {
    content = Guarded(Content(region: region))
    super.init(of: ())
  }

  /// The region.
  public var region: CLRegion? { content.withLock { $0.region } }

  /// Returns whether triggers of this home may have the event: the home needs a location.
  public override class func isSupported(for home: HMHome) -> Bool {
    super.isSupported(for: home) && home.record.location != nil
  }

  /// Replaces the region in the trigger.
  /// - Throws: 2 if the trigger lost the event; 3 for the region; 12 for an event that is in no home.
  @available(*, deprecated, message: "Use updateEvents(_:completionHandler:) of the trigger.")
  public func updateRegion(_ region: CLRegion, completionHandler completion: @escaping ((any Error)?) -> Void) {
    replaceRegion(region, completion)
  }

  /// Replaces the region in the trigger.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Use updateEvents(_:) of the trigger.")
  public func updateRegion(_ region: CLRegion) async throws { try await awaiting { replaceRegion(region, $0) } }

  private func replaceRegion(_ region: CLRegion, _ done: @escaping ((any Error)?) -> Void) {
    let record: HomeEvent
    do throws(HMError) { record = try HomeEvent(region) } catch { return AppSession.refuse(error) { done($0.error) } }
    let new = Content(region: region)
    update(to: record, { [content] in content.withLock { $0 = new } }, done)
  }

  /// Returns the event itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns an event with the same content that can be changed.
  public func mutableCopy(with zone: NSZone? = nil) -> Any { HMMutableLocationEvent(region) }

  override func record(in home: Home) throws(HMError) -> HomeEvent { try HomeEvent(region) }

  override var isLasting: Bool { true }
}

// Safe: its content is in the lock of `HMLocationEvent`.
/// The current user enters or leaves a region, which the app can change. HMMutableLocationEvent
///
/// A trigger of a home does not see the changes before `updateEvents`.
public final class HMMutableLocationEvent: HMLocationEvent, @unchecked Sendable {
  /// The region. A home refuses an event without one.
  public override var region: CLRegion? {
    get { content.withLock { $0.region } }
    set { content.withLock { $0.region = newValue } }
  }

  /// Returns an event with the same content that never changes.
  public override func copy(with zone: NSZone? = nil) -> Any { HMLocationEvent(region) }

  override var isLasting: Bool { false }
}

extension HomeEvent {
  /// The event of a region.
  /// - Throws: 3 for a region that is not a circle, and for numbers out of range.
  fileprivate init(_ region: CLRegion?) throws(HMError) {
    guard let region else { throw .invalid("a location event needs a region: give a CLCircularRegion") }
    guard let circle = region as? CLCircularRegion else {
      throw .invalid("\(type(of: region)) is not supported: give a CLCircularRegion")
    }
    let (latitude, longitude) = (circle.center.latitude, circle.center.longitude)
    guard let centre = Coordinate(latitude: latitude, longitude: longitude) else {
      throw .invalid(
        "there is no place with latitude \(latitude) and longitude \(longitude): the limits are 90 and 180")
    }
    guard let record = Region(centre: centre, radius: circle.radius) else {
      throw .invalid("a radius of \(circle.radius) m: give more than 0 m, and at most 1,000,000 m")
    }
    self = .location(record, onEntry: region.notifyOnEntry, onExit: region.notifyOnExit)
  }
}

extension CLCircularRegion {
  /// The region of an event of a home. Its name is the place, because homes have no names for regions.
  convenience init(_ region: Region, onEntry: Bool, onExit: Bool) {
    let (latitude, longitude) = (region.centre.latitude, region.centre.longitude)
    self.init(
      center: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), radius: region.radius,
      identifier: "\(latitude),\(longitude)")
    (notifyOnEntry, notifyOnExit) = (onEntry, onExit)
  }
}
