import Foundation
import HAPHome
import HAPHubLink
import HAPLoop

/// An action set of a home: writes that are sent at once. Apps call it a scene. HMActionSet
public final class HMActionSet: NSObject, HomeKitObject {
  let handle: Handle<ActionSet>
  /// The actions that the app has got, by their characteristic.
  private let known = Guarded<[HomeObjectID: HMCharacteristicWriteAction<NSCopying>]>([:])

  init(_ handle: Handle<ActionSet>) { self.handle = handle }

  /// The name, unique in the home.
  public var name: String { handle.record.name.text }
  /// The identifier, which stays the same after renames and relaunches.
  public var uniqueIdentifier: UUID { handle.uuid }
  /// The type, such as `HMActionSetTypeUserDefined`.
  public var actionSetType: String { handle.record.kind.type }
  /// The end of the last execution; nil: never executed.
  public var lastExecutionDate: Date? { handle.record.lastExecution.map { Date($0) } }
  /// Whether this app is executing the set. The hub does not report the start of an execution by others.
  public var isExecuting: Bool { handle.session?.state.withLock { $0.executing.contains(handle.id) } ?? false }

  /// The actions. Each is an `HMCharacteristicWriteAction<NSCopying>`.
  public var actions: Set<HMAction> {
    guard let session = handle.liveSession, let home = handle.homeRecord else { return [] }
    let records = handle.record.actions
    return known.withLock { known in
      known = known.filter { id, _ in records.contains { $0.characteristic == id } }
      var all: Set<HMAction> = []
      for action in records {
        if let action = known[action.characteristic] {
          all.insert(action)
        } else if let characteristic = session.characteristic(action.characteristic, in: home),
          let object = HMCharacteristicWriteAction<NSCopying>(characteristic, action.value, in: handle)
        {
          known[action.characteristic] = object
          all.insert(object)
        }
      }
      return all
    }
  }

  /// Renames the set.
  /// - Throws: 31, 35, 36, 60 for the name.
  public func updateName(_ name: String, completionHandler completion: @escaping ((any Error)?) -> Void) {
    handle.perform(.rename(handle.id, name), completion)
  }

  /// Renames the set.
  /// - Throws: as the form with a handler.
  public func updateName(_ name: String) async throws { try await awaiting { updateName(name, completionHandler: $0) } }

  /// Adds an action. A set has at most one action for each characteristic.
  /// - Throws: 1 for a characteristic that has an action in the set; 5 for one that can't be written; 30 for an action of
  ///   another set; 43 to 46, 51 for the value; 3 for a value between two permitted ones; 49 for too many actions.
  public func addAction(_ action: HMAction, completionHandler completion: @escaping ((any Error)?) -> Void) {
    if let set = action.set, set.id != handle.id {
      let error = HMError(.actionInAnotherActionSet, "the action is in the set \"\(set.record.name.text)\"")
      return AppSession.refuse(error) { completion($0.error) }
    }
    let record: HomeAction
    do throws(HMError) { record = try action.record(in: handle.path.home) } catch {
      let error = error
      return AppSession.refuse(error) { completion($0.error) }
    }
    handle.ask(.perform(.addAction(actionSet: handle.id, record))) { [handle] result in
      if result.error == nil { action.join(handle) }
      completion(result.error)
    }
  }

  /// Adds an action.
  /// - Throws: as the form with a handler.
  public func addAction(_ action: HMAction) async throws {
    try await awaiting { addAction(action, completionHandler: $0) }
  }

  /// Removes an action.
  /// - Throws: 2 for an action that is not in the set.
  public func removeAction(_ action: HMAction, completionHandler completion: @escaping ((any Error)?) -> Void) {
    guard action.set?.id == handle.id else {
      let error = HMError(.notFound, "the action is not in the set \"\(name)\"")
      return AppSession.refuse(error) { completion($0.error) }
    }
    let command = HomeCommand.removeAction(actionSet: handle.id, characteristic: action.target.id)
    let value = action.value
    handle.ask(.perform(command)) { result in
      if result.error == nil { action.leave(with: value) }
      completion(result.error)
    }
  }

  /// Removes an action.
  /// - Throws: as the form with a handler.
  public func removeAction(_ action: HMAction) async throws {
    try await awaiting { removeAction(action, completionHandler: $0) }
  }
}

extension ActionSet.Kind {
  /// Apple's text.
  var type: String {
    switch self {
    case .wakeUp: HMActionSetTypeWakeUp
    case .sleep: HMActionSetTypeSleep
    case .homeDeparture: HMActionSetTypeHomeDeparture
    case .homeArrival: HMActionSetTypeHomeArrival
    case .userDefined: HMActionSetTypeUserDefined
    case .triggerOwned: HMActionSetTypeTriggerOwned
    }
  }

  init?(type: String) {
    guard let kind = ActionSet.Kind.allCases.first(where: { $0.type == type }) else { return nil }
    self = kind
  }
}

extension ExecutionResult {
  /// The error of an execution, with the reason of each action that failed.
  var problem: HMError? {
    guard let error else { return nil }
    let reasons = actions.compactMap { $0.error?.message } + skipped.map { $0.error.message }
    let code = HMError.Code(rawValue: error.code.rawValue) ?? .unexpectedError
    return HMError(code, ([error.message] + reasons).joined(separator: "; "))
  }
}
