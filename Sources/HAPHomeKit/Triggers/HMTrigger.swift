import Foundation
import HAPHome
import HAPLoop

// Safe: its state is in a lock. The subclasses have constants and locks.
/// Executes action sets at a time or after an event. Each trigger is an ``HMTimerTrigger`` or an ``HMEventTrigger``.
/// HMTrigger
///
/// An app makes a trigger and adds it to a home; the same object is then the trigger of the home. Requests about a trigger
/// are sent one after another, so that an app may make several changes without waiting in between.
public class HMTrigger: NSObject, HomeKitObject, @unchecked Sendable {
  private enum Place: Sendable {
    /// The app made it, and it is in no home.
    case draft(name: String, UUID)
    case home(TriggerLink)
  }

  private let place: Guarded<Place>

  required init(_ handle: Handle<Trigger>) { place = Guarded(.home(TriggerLink(handle))) }

  init(draft name: String) { place = Guarded(.draft(name: name, UUID())) }

  /// The home's side; nil for a trigger that is in no home.
  var link: TriggerLink? { place.withLock { if case .home(let link) = $0 { link } else { nil } } }

  /// The record and the session; nil for a trigger that is in no home.
  var handle: Handle<Trigger>? { link?.handle }

  /// The content for a home: that of the draft, or of the record.
  /// - Throws: 3, 11, 12, 42 to 46, 70, 72 for content that the home can't have.
  func kind(in home: Home) throws(HMError) -> Trigger.Kind {
    guard let handle else { preconditionFailure("each draft is an HMTimerTrigger or an HMEventTrigger") }
    return handle.record.kind
  }

  /// A home took the draft.
  func join(_ handle: Handle<Trigger>) { place.withLock { $0 = .home(TriggerLink(handle)) } }

  // MARK: Properties

  /// The name, unique in the home.
  public var name: String {
    let (name, link): (String, TriggerLink?) = place.withLock { place in
      switch place {
      case .draft(let name, _): (name, nil)
      case .home(let link): ("", link)
      }
    }
    return link?.handle.record.name.text ?? name
  }

  /// The identifier, which stays the same after renames and relaunches. A home gives the trigger another one when it is
  /// added.
  public var uniqueIdentifier: UUID {
    place.withLock { place in
      switch place {
      case .draft(name: _, let identifier): identifier
      case .home(let link): link.handle.uuid
      }
    }
  }

  /// Whether the trigger is active. A new trigger is not.
  public var isEnabled: Bool { handle?.record.isEnabled ?? false }

  /// The action sets that the trigger executes together, also those that belong to it alone.
  public var actionSets: [HMActionSet] {
    guard let handle, let session = handle.session, let home = handle.homeRecord else { return [] }
    return handle.record.actionSets.compactMap { id in
      home.actionSets.find(id).map { session.actionSet($0, in: home.id) }
    }
  }

  /// The time of the last execution; nil: never executed.
  @available(*, deprecated, message: "Apple's system does not give it any more.")
  public var lastFireDate: Date? { handle?.record.lastFire.map { Date($0) } }

  // MARK: Changes

  /// Performs a command of a trigger that is in a home.
  func perform(_ request: @escaping TriggerLink.Request, _ done: @escaping ((any Error)?) -> Void) {
    guard let link else { return AppSession.refuse(.notInHome) { done($0.error) } }
    link.perform(request, done)
  }

  /// Performs a command with an action set.
  private func perform(
    with set: HMActionSet, _ request: @escaping TriggerLink.Request, _ done: @escaping ((any Error)?) -> Void
  ) {
    if let problem = handle?.home?.problem(with: set.handle) {
      return AppSession.refuse(problem) { done($0.error) }
    }
    perform(request, done)
  }

  /// Renames the trigger.
  /// - Throws: 12 for a trigger that is in no home, as all methods; 31, 35, 36, 60 for the name.
  public func updateName(_ name: String, completionHandler completion: @escaping ((any Error)?) -> Void) {
    perform({ .rename($0.id, name) }, completion)
  }

  /// Renames the trigger.
  /// - Throws: as the form with a handler.
  public func updateName(_ name: String) async throws { try await awaiting { updateName(name, completionHandler: $0) } }

  /// Adds an action set, which can be in several triggers.
  /// - Throws: 1 for a set that the trigger executes; 11 for a set of another home; 48 for a set of another trigger; 25 for
  ///   a set without actions while the trigger is enabled.
  public func addActionSet(_ actionSet: HMActionSet, completionHandler completion: @escaping ((any Error)?) -> Void) {
    let set = actionSet.handle.id
    perform(with: actionSet, { .addActionSetToTrigger(actionSet: set, trigger: $0.id) }, completion)
  }

  /// Adds an action set.
  /// - Throws: as the form with a handler.
  public func addActionSet(_ actionSet: HMActionSet) async throws {
    try await awaiting { addActionSet(actionSet, completionHandler: $0) }
  }

  /// Removes an action set from the trigger. It stays in the home, unless it belongs to the trigger alone.
  /// - Throws: 2 for a set that the trigger does not execute.
  public func removeActionSet(
    _ actionSet: HMActionSet, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    let set = actionSet.handle.id
    perform(with: actionSet, { .removeActionSetFromTrigger(actionSet: set, trigger: $0.id) }, completion)
  }

  /// Removes an action set from the trigger.
  /// - Throws: as the form with a handler.
  public func removeActionSet(_ actionSet: HMActionSet) async throws {
    try await awaiting { removeActionSet(actionSet, completionHandler: $0) }
  }

  /// Enables or disables the trigger.
  /// - Throws: 26 without action sets; 25 for a set without actions; 28 for a timer whose time is over, and 71 for one that
  ///   fires in 5 weeks or later; 84 for an event that needs the location of a home without one.
  public func enable(_ enable: Bool, completionHandler completion: @escaping ((any Error)?) -> Void) {
    perform({ enable ? .enableTrigger($0.id) : .disableTrigger($0.id) }, completion)
  }

  /// Enables or disables the trigger.
  /// - Throws: as the form with a handler.
  public func enable(_ enable: Bool) async throws { try await awaiting { self.enable(enable, completionHandler: $0) } }
}
