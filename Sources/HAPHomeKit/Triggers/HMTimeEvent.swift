import Foundation
import HAPAlmanac
import HAPHome
import HAPLoop

// Safe: it adds no state to `HMEvent`.
/// An event at a time. Each event is an object of a subclass. HMTimeEvent
public class HMTimeEvent: HMEvent, @unchecked Sendable {}

// MARK: Calendar

// Safe: its content is in a lock.
/// A time in the zone of the home. HMCalendarEvent
public class HMCalendarEvent: HMTimeEvent, NSCopying, NSMutableCopying, @unchecked Sendable {
  fileprivate let content: Guarded<DateComponents>

  /// Creates an event at each time that is equal to the components.
  /// - Parameter fireDateComponents: some of minute, hour, day, weekday, month, year. A home refuses other fields.
  public init(fire fireDateComponents: DateComponents) {
    content = Guarded(fireDateComponents)
    super.init(of: ())
  }

  /// The parts of the time.
  public var fireDateComponents: DateComponents { content.withLock { $0 } }

  /// Returns the event itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns an event with the same content that can be changed.
  public func mutableCopy(with zone: NSZone? = nil) -> Any { HMMutableCalendarEvent(fire: fireDateComponents) }

  override func record(in home: Home) throws(HMError) -> HomeEvent {
    .calendar(try DateParts(fireDateComponents, in: home.zone))
  }

  override var isLasting: Bool { true }
}

// Safe: its content is in the lock of `HMCalendarEvent`.
/// A time in the zone of the home, which the app can change. HMMutableCalendarEvent
///
/// A trigger of a home does not see the changes before `updateEvents`.
public final class HMMutableCalendarEvent: HMCalendarEvent, @unchecked Sendable {
  /// The parts of the time.
  public override var fireDateComponents: DateComponents {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  /// Returns an event with the same content that never changes.
  public override func copy(with zone: NSZone? = nil) -> Any { HMCalendarEvent(fire: fireDateComponents) }

  override var isLasting: Bool { false }
}

// MARK: Sun

// Safe: its content is in a lock.
/// Sunrise or sunset at the home. HMSignificantTimeEvent
public class HMSignificantTimeEvent: HMTimeEvent, NSCopying, NSMutableCopying, @unchecked Sendable {
  fileprivate struct Content: Sendable {
    var event: HMSignificantEvent
    var offset: DateComponents?
  }

  fileprivate let content: Guarded<Content>

  /// Creates an event.
  /// - Parameters:
  ///   - significantEvent: sunrise or sunset.
  ///   - offset: hours, minutes and seconds after it; negative numbers: before it. At most 12 hours. nil: none.
  public init(significantEvent: HMSignificantEvent, offset: DateComponents?) {
    content = Guarded(Content(event: significantEvent, offset: offset))
    super.init(of: ())
  }

  /// Sunrise or sunset.
  public var significantEvent: HMSignificantEvent { content.withLock { $0.event } }
  /// Hours, minutes and seconds after it; negative numbers: before it. nil: none.
  public var offset: DateComponents? { content.withLock { $0.offset } }

  /// Returns whether triggers of this home may have the event: the home needs a location.
  public override class func isSupported(for home: HMHome) -> Bool {
    super.isSupported(for: home) && home.record.location != nil
  }

  /// Returns the event itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns an event with the same content that can be changed.
  public func mutableCopy(with zone: NSZone? = nil) -> Any {
    HMMutableSignificantTimeEvent(significantEvent: significantEvent, offset: content.withLock { $0.offset })
  }

  override func record(in home: Home) throws(HMError) -> HomeEvent {
    let content = content.withLock { $0 }
    return .sun(try SunMoment(content.event, content.offset))
  }

  override var isLasting: Bool { true }
}

// Safe: its content is in the lock of `HMSignificantTimeEvent`.
/// Sunrise or sunset at the home, which the app can change. HMMutableSignificantTimeEvent
///
/// A trigger of a home does not see the changes before `updateEvents`.
public final class HMMutableSignificantTimeEvent: HMSignificantTimeEvent, @unchecked Sendable {
  /// Sunrise or sunset.
  public override var significantEvent: HMSignificantEvent {
    get { content.withLock { $0.event } }
    set { content.withLock { $0.event = newValue } }
  }

  /// Hours, minutes and seconds after it; negative numbers: before it. Without fields: none.
  public override var offset: DateComponents {
    get { content.withLock { $0.offset } ?? DateComponents() }
    set { content.withLock { $0.offset = newValue } }
  }

  /// Returns an event with the same content that never changes.
  public override func copy(with zone: NSZone? = nil) -> Any {
    HMSignificantTimeEvent(significantEvent: significantEvent, offset: content.withLock { $0.offset })
  }

  override var isLasting: Bool { false }
}

// MARK: Duration

// Safe: its content is in a lock.
/// The end of a duration after the trigger fired. It is an end event. HMDurationEvent
public class HMDurationEvent: HMTimeEvent, NSCopying, NSMutableCopying, @unchecked Sendable {
  fileprivate let content: Guarded<TimeInterval>

  /// Creates an event.
  /// - Parameter duration: seconds, rounded to whole ones. A home refuses less than 1 and more than 5 weeks.
  public init(duration: TimeInterval) {
    content = Guarded(duration)
    super.init(of: ())
  }

  /// Seconds after the trigger fired.
  public var duration: TimeInterval { content.withLock { $0 } }

  /// Returns the event itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns an event with the same content that can be changed.
  public func mutableCopy(with zone: NSZone? = nil) -> Any { HMMutableDurationEvent(duration: duration) }

  override func record(in home: Home) throws(HMError) -> HomeEvent {
    guard let seconds = Int(exactly: duration.rounded()) else {
      throw .invalid("a duration of \(duration) s: give 1 s to 5 weeks")
    }
    return .duration(seconds: seconds)
  }

  override var isLasting: Bool { true }
}

// Safe: its content is in the lock of `HMDurationEvent`.
/// The end of a duration after the trigger fired, which the app can change. HMMutableDurationEvent
///
/// A trigger of a home does not see the changes before `updateEndEvents`.
public final class HMMutableDurationEvent: HMDurationEvent, @unchecked Sendable {
  /// Seconds after the trigger fired.
  public override var duration: TimeInterval {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }

  /// Returns an event with the same content that never changes.
  public override func copy(with zone: NSZone? = nil) -> Any { HMDurationEvent(duration: duration) }

  override var isLasting: Bool { false }
}
