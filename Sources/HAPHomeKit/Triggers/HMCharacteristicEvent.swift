import Foundation
import HAPHome
import HAPLoop
import HAPModel

// Safe: its content is in a lock.
/// A characteristic gets a value. HMCharacteristicEvent
///
/// An event that is read from a trigger of a home is an `HMCharacteristicEvent<NSCopying>`.
public class HMCharacteristicEvent<TriggerValueType>: HMEvent, NSCopying, NSMutableCopying, @unchecked Sendable {
  // Safe: a value is a number, a text or data, which never change, and the characteristic is Sendable.
  fileprivate struct Content: @unchecked Sendable {
    var characteristic: HMCharacteristic
    var value: TriggerValueType?
  }

  fileprivate let content: Guarded<Content>

  /// The event of a home; the characteristic is not checked.
  init(_ characteristic: HMCharacteristic, triggerValue: TriggerValueType?) {
    content = Guarded(Content(characteristic: characteristic, value: triggerValue))
    super.init(of: ())
  }

  /// Creates an event. A characteristic without notifications is a mistake of the app, as on Apple's systems.
  /// - Parameters:
  ///   - characteristic: the characteristic.
  ///   - triggerValue: a number, a text or data; nil: any other value than before.
  public convenience init(characteristic: HMCharacteristic, triggerValue: TriggerValueType?) {
    characteristic.requireNotifications()
    self.init(characteristic, triggerValue: triggerValue)
  }

  /// The characteristic.
  public var characteristic: HMCharacteristic { content.withLock { $0.characteristic } }
  /// The value; nil: any other value than before.
  public var triggerValue: TriggerValueType? { content.withLock { $0.value } }

  /// Replaces the value in the trigger.
  /// - Throws: 2 if the trigger lost the event; 12 for an event that is in no home; 43 to 46, 51, 3 for the value.
  @available(*, deprecated, message: "Use updateEvents(_:completionHandler:) of the trigger.")
  public func updateTriggerValue(
    _ triggerValue: TriggerValueType?, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    replaceValue(triggerValue, completion)
  }

  /// Replaces the value in the trigger.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Use updateEvents(_:) of the trigger.")
  public func updateTriggerValue(_ triggerValue: TriggerValueType?) async throws {
    try await awaiting { replaceValue(triggerValue, $0) }
  }

  private func replaceValue(_ value: TriggerValueType?, _ done: @escaping ((any Error)?) -> Void) {
    let new = Content(characteristic: characteristic, value: value)
    let record: HomeEvent
    do throws(HMError) { record = try Self.record(new) } catch { return AppSession.refuse(error) { done($0.error) } }
    update(to: record, { [content] in content.withLock { $0 = new } }, done)
  }

  /// Returns the event itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns an event with the same content that can be changed.
  public func mutableCopy(with zone: NSZone? = nil) -> Any {
    HMMutableCharacteristicEvent<TriggerValueType>(characteristic, triggerValue: triggerValue)
  }

  override func record(in home: Home) throws(HMError) -> HomeEvent {
    let content = content.withLock { $0 }
    try content.characteristic.require(in: home)
    return try Self.record(content)
  }

  private static func record(_ content: Content) throws(HMError) -> HomeEvent {
    let characteristic = content.characteristic.record
    let value: Value? =
      switch content.value {
      case nil, is NSNull: nil
      case let value?: try Value(value, for: characteristic)
      }
    return .characteristic(characteristic.id, equals: value)
  }

  override var isLasting: Bool { type(of: self) == HMCharacteristicEvent<any NSCopying>.self }
}

/// A characteristic gets a value; the app can change the event. HMMutableCharacteristicEvent
///
/// A trigger of a home does not see the changes before `updateEvents`.
public final class HMMutableCharacteristicEvent<TriggerValueType>: HMCharacteristicEvent<TriggerValueType>,
  // Safe: its content is in the lock of the superclass.
  @unchecked Sendable
{
  /// The characteristic. A home refuses one without notifications.
  public override var characteristic: HMCharacteristic {
    get { content.withLock { $0.characteristic } }
    set { content.withLock { $0.characteristic = newValue } }
  }

  /// The value; nil: any other value than before.
  public override var triggerValue: TriggerValueType? {
    get { content.withLock { $0.value } }
    set { content.withLock { $0.value = newValue } }
  }

  /// Returns an event with the same content that never changes.
  public override func copy(with zone: NSZone? = nil) -> Any {
    HMCharacteristicEvent<TriggerValueType>(characteristic, triggerValue: triggerValue)
  }
}

// MARK: Ranges

// Safe: its content is in a lock.
/// The value of a characteristic enters a range. HMCharacteristicThresholdRangeEvent
public class HMCharacteristicThresholdRangeEvent: HMEvent, NSCopying, NSMutableCopying, @unchecked Sendable {
  fileprivate struct Content: Sendable {
    var characteristic: HMCharacteristic
    var range: HMNumberRange
  }

  fileprivate let content: Guarded<Content>

  /// The event of a home; the characteristic is not checked.
  init(_ characteristic: HMCharacteristic, _ range: HMNumberRange) {
    content = Guarded(Content(characteristic: characteristic, range: range))
    super.init(of: ())
  }

  /// Creates an event. A characteristic without notifications is a mistake of the app, as on Apple's systems.
  public convenience init(characteristic: HMCharacteristic, thresholdRange: HMNumberRange) {
    characteristic.requireNotifications()
    self.init(characteristic, thresholdRange)
  }

  /// The characteristic.
  public var characteristic: HMCharacteristic { content.withLock { $0.characteristic } }
  /// The range, both ends included.
  public var thresholdRange: HMNumberRange { content.withLock { $0.range } }

  /// Returns the event itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns an event with the same content that can be changed.
  public func mutableCopy(with zone: NSZone? = nil) -> Any {
    HMMutableCharacteristicThresholdRangeEvent(characteristic, thresholdRange)
  }

  override func record(in home: Home) throws(HMError) -> HomeEvent {
    let content = content.withLock { $0 }
    try content.characteristic.require(in: home)
    return .threshold(content.characteristic.id, try ThresholdRange(content.range))
  }

  override var isLasting: Bool { true }
}

/// The value of a characteristic enters a range; the app can change the event. HMMutableCharacteristicThresholdRangeEvent
///
/// A trigger of a home does not see the changes before `updateEvents`.
public final class HMMutableCharacteristicThresholdRangeEvent: HMCharacteristicThresholdRangeEvent,
  // Safe: its content is in the lock of the superclass.
  @unchecked Sendable
{
  /// The characteristic. A home refuses one without notifications.
  public override var characteristic: HMCharacteristic {
    get { content.withLock { $0.characteristic } }
    set { content.withLock { $0.characteristic = newValue } }
  }

  /// The range, both ends included.
  public override var thresholdRange: HMNumberRange {
    get { content.withLock { $0.range } }
    set { content.withLock { $0.range = newValue } }
  }

  /// Returns an event with the same content that never changes.
  public override func copy(with zone: NSZone? = nil) -> Any {
    HMCharacteristicThresholdRangeEvent(characteristic, thresholdRange)
  }

  override var isLasting: Bool { false }
}

extension HMCharacteristic {
  /// Traps for a characteristic that does not report changes (rule T7), because Apple's framework raises an exception.
  fileprivate func requireNotifications() {
    precondition(
      record.permissions.contains(.events),
      "\(localizedDescription) does not report changes: choose a characteristic with notifications for an event")
  }

  /// - Throws: 12 for a removed characteristic; 11 for one of another home.
  func require(in home: Home) throws(HMError) {
    if handle.isGone { throw .removedObject }
    guard handle.path.home == home.id else {
      throw HMError(
        .objectAssociatedToAnotherHome, "\(localizedDescription) is in another home than \"\(home.name)\"")
    }
  }
}
