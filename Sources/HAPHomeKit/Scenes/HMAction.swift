import Foundation
import HAPHome
import HAPLoop
import HAPModel

// Safe: its properties are constants of types that any thread may use.
/// An action of an action set. Each one is an ``HMCharacteristicWriteAction``. HMAction
public class HMAction: NSObject, @unchecked Sendable {
  struct State: Sendable {
    /// nil: the app made it, and it is in no set.
    var set: Handle<ActionSet>?
    /// The last known value.
    var value: Value
  }

  let target: HMCharacteristic
  let state: Guarded<State>

  init(_ target: HMCharacteristic, _ value: Value, _ set: Handle<ActionSet>?) {
    self.target = target
    state = Guarded(State(set: set, value: value))
  }

  /// The set of the action.
  var set: Handle<ActionSet>? { state.withLock { $0.set } }

  /// The value: in a set, as the set has it.
  var value: Value {
    state.withLock { state in
      // Afterwards, the last value of the set stays known.
      if let value = state.set?.record.actions.first(where: { $0.characteristic == target.id })?.value {
        state.value = value
      }
      return state.value
    }
  }

  /// The identifier: of the set and the characteristic, so that it stays the same after a relaunch.
  public var uniqueIdentifier: UUID { UUID((set?.id).map { $0.combined(with: target.id) } ?? target.id) }

  /// The record for a set in a home.
  func record(in home: HomeObjectID) throws(HMError) -> HomeAction {
    guard target.handle.path.home == home else {
      throw HMError(.objectAssociatedToAnotherHome, "the characteristic of the action is in another home than the set")
    }
    return HomeAction(target.id, value)
  }

  /// The action was added to a set.
  func join(_ set: Handle<ActionSet>) { state.withLock { $0.set = set } }

  /// The action was removed from its set, and keeps its value.
  func leave(with value: Value) {
    state.withLock { $0 = State(set: nil, value: value) }
  }
}

// Safe: its property is a constant with a lock. A value of the app leaves the lock only to the app.
/// An action that writes a value to a characteristic. HMCharacteristicWriteAction
///
/// An action that is read from a set is an `HMCharacteristicWriteAction<NSCopying>`.
public final class HMCharacteristicWriteAction<TargetValueType>: HMAction, @unchecked Sendable {
  /// The last value that the app gave.
  private let given: Guarded<UncheckedValue>

  /// Creates an action for an action set. A value of the wrong kind is refused when the action is added.
  /// - Parameters:
  ///   - characteristic: the characteristic to write.
  ///   - targetValue: a number, a text or data, as the format of the characteristic demands.
  public init(characteristic: HMCharacteristic, targetValue: TargetValueType) {
    given = Guarded(UncheckedValue(targetValue))
    super.init(characteristic, Value(written: targetValue, format: characteristic.record.rules.format), nil)
  }

  /// - Returns: nil for a value that is not of the type.
  init?(_ target: HMCharacteristic, _ value: Value, in set: Handle<ActionSet>) {
    guard let given = value.foundationValue as? TargetValueType else { return nil }
    self.given = Guarded(UncheckedValue(given))
    super.init(target, value, set)
  }

  /// The characteristic to write.
  public var characteristic: HMCharacteristic { target }

  /// The value to write.
  public var targetValue: TargetValueType {
    // Another app may have written a value that has no form in the type, and an app may have given a wrong one.
    if let value = value.foundationValue as? TargetValueType { return value }
    guard let given = given.withLock({ $0 }).value as? TargetValueType else {
      preconditionFailure("an action keeps the value that the app gave")
    }
    return given
  }

  /// Changes the value.
  /// - Throws: 43 to 46, 51, 3 for the value.
  public func updateTargetValue(
    _ targetValue: TargetValueType, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    let value = Value(written: targetValue, format: target.record.rules.format)
    guard let set else {
      state.withLock { $0.value = value }
      given.withLock { [kept = UncheckedValue(targetValue)] in $0 = kept }
      return AppSession.refuse(.notInHome) { _ in completion(nil) }
    }
    set.perform(.updateAction(actionSet: set.id, HomeAction(target.id, value)), completion)
  }

  /// Changes the value.
  /// - Throws: as the form with a handler.
  public func updateTargetValue(_ targetValue: TargetValueType) async throws {
    try await awaiting { updateTargetValue(targetValue, completionHandler: $0) }
  }
}
