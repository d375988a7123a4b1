import Foundation
import HAPHome
import HAPHubLink
import HAPLoop

// Safe: the place is in a lock, and the other property is a constant. The subclasses keep their content in locks, too.
/// An event that activates or ends a trigger. Each event is an object of a subclass. HMEvent
///
/// A trigger of a home gives the same object for an event as long as the event stays the same.
public class HMEvent: NSObject, @unchecked Sendable {
  /// The trigger of a home that has the event.
  struct Place: Sendable {
    private(set) weak var link: TriggerLink?
    var key: EventKey
    var identifier: UUID

    init(_ key: EventKey, of link: TriggerLink) {
      (self.key, self.link, identifier) = (key, link, key.identifier(in: link.handle.id))
    }
  }

  private let place = Guarded<Place?>(nil)
  private let ownIdentifier = UUID()

  /// Only subclasses have public initializers: an event without a kind never happens.
  init(of kind: Void) {}

  /// The identifier. For an event of a home, it depends on the trigger and the content of the event alone, so that it
  /// stays the same after a relaunch.
  public var uniqueIdentifier: UUID { place.withLock { $0?.identifier } ?? ownIdentifier }

  /// Returns whether triggers of this home may have the event: events of the sun and of regions need the home's location.
  public class func isSupported(for home: HMHome) -> Bool { !home.handle.isGone }

  // MARK: Records

  /// The record for a trigger in a home. Each subclass has its own.
  /// - Throws: 3, 11, 12, 43 to 46 for content that the home can't have.
  func record(in home: Home) throws(HMError) -> HomeEvent {
    preconditionFailure("\(type(of: self)) has no record")
  }

  /// Whether the object can be the home's one: it never changes, and apps find it by its type.
  var isLasting: Bool { false }

  // MARK: The place

  /// The key of the event in a trigger; nil if the event is not in it.
  func key(in link: TriggerLink) -> EventKey? { place.withLock { $0?.link === link ? $0?.key : nil } }

  /// A home took the event, or made it.
  /// - Returns: false for an event of another trigger, and for one that is in the other list of the trigger.
  func join(_ link: TriggerLink, as key: EventKey) -> Bool {
    let isLasting = isLasting
    return place.withLock { place in
      if let place, let other = place.link, other !== link || isLasting && place.key != key { return false }
      place = Place(key, of: link)
      return true
    }
  }

  /// The trigger has other content for the event.
  func move(to key: EventKey, in link: TriggerLink) { place.withLock { $0 = Place(key, of: link) } }

  /// Replaces the content of an event of a home.
  /// - Parameters:
  ///   - record: the new content.
  ///   - apply: changes the object, after the home has the new content.
  func update(
    to record: HomeEvent, _ apply: @escaping @Sendable () -> Void, _ done: @escaping ((any Error)?) -> Void
  ) {
    guard let link = place.withLock({ $0?.link }) else { return AppSession.refuse(.notInHome) { done($0.error) } }
    // An earlier request may change the event: the request uses its content at that time.
    let request: TriggerLink.Request = { [self] trigger throws(HMError) in
      guard case .event(var events) = trigger.kind, let key = key(in: link), events.replace(key, by: record) else {
        throw HMError(.notFound, "the event is no longer in the trigger \"\(trigger.name)\"")
      }
      return .updateTrigger(trigger.id, .event(events))
    }
    link.perform(request) { [self] error in
      if error == nil {
        apply()
        link.move(self, to: record)
      }
      done(error)
    }
  }
}
