import Foundation
import HAPHome
import HAPHubLink

extension HMHome {
  // MARK: Action sets

  /// The action sets, which apps call scenes, without those that belong to one trigger.
  public var actionSets: [HMActionSet] { objects(record.listedActionSets) { $0.actionSet($1, in: $2) } }

  /// Adds an action set without actions.
  /// - Throws: 31 for a name that something in the home has; 35, 36, 60 for characters; 49 for too many sets.
  public func addActionSet(
    withName actionSetName: String, completionHandler completion: @escaping (HMActionSet?, (any Error)?) -> Void
  ) {
    let id = handle.id
    add(.addActionSet(home: id, name: actionSetName), completion) {
      if case .actionSetAdded(let set) = $1 { $0.actionSet(set, in: id) } else { nil }
    }
  }

  /// Adds an action set without actions.
  /// - Throws: as the form with a handler.
  public func addActionSet(named actionSetName: String) async throws -> HMActionSet {
    try await awaiting { addActionSet(withName: actionSetName, completionHandler: $0) }
  }

  /// Removes an action set, also from its triggers.
  /// - Throws: 83 for a built-in set.
  public func removeActionSet(
    _ actionSet: HMActionSet, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    perform(.removeActionSet(actionSet.handle.id), with: actionSet.handle, completion)
  }

  /// Removes an action set.
  /// - Throws: as the form with a handler.
  public func removeActionSet(_ actionSet: HMActionSet) async throws {
    try await awaiting { removeActionSet(actionSet, completionHandler: $0) }
  }

  /// Writes all values of an action set. Each accessory gets its writes in one request, and all accessories at once.
  /// - Throws: 25 without actions; 63 if no write succeeded, 64 if some did; 65 while the set is being executed.
  public func executeActionSet(
    _ actionSet: HMActionSet, completionHandler completion: @escaping ((any Error)?) -> Void
  ) {
    if let problem = problem(with: actionSet.handle) {
      return AppSession.refuse(problem) { completion($0.error) }
    }
    let (session, set) = (session, actionSet.handle.id)
    let isFirst = session?.state.withLock { $0.executing.insert(set).inserted } ?? false
    handle.ask(.execute([set])) { result in
      if isFirst { session?.state.withLock { _ = $0.executing.remove(set) } }
      guard case .success(.executed(let execution)) = result else { return completion(result.error) }
      completion(execution.problem)
    }
  }

  /// Writes all values of an action set.
  /// - Throws: as the form with a handler.
  public func executeActionSet(_ actionSet: HMActionSet) async throws {
    try await awaiting { executeActionSet(actionSet, completionHandler: $0) }
  }

  /// Returns the built-in action set of a type; nil for other types.
  /// - Parameter actionSetType: such as `HMActionSetTypeSleep`.
  public func builtinActionSet(ofType actionSetType: String) -> HMActionSet? {
    guard let kind = ActionSet.Kind(type: actionSetType), kind.isBuiltIn, let session else { return nil }
    return record.actionSets.first { $0.kind == kind }.map { session.actionSet($0, in: handle.id) }
  }

  // MARK: Triggers

  /// The triggers.
  public var triggers: [HMTrigger] { objects(record.triggers) { $0.trigger($1, in: $2) } }

  /// Adds a trigger, which is then disabled and has no action sets. The object belongs to this home afterwards.
  /// - Throws: 13 for a trigger of a home; 31, 35, 36, 60 for the name; 28, 42, 70, 72 for a timer; 11 for an object of
  ///   another home; 84 for an event that needs the location of a home without one.
  public func addTrigger(_ trigger: HMTrigger, completionHandler completion: @escaping ((any Error)?) -> Void) {
    if trigger.handle != nil {
      let error = HMError(.objectAlreadyAssociatedToHome, "the trigger \"\(trigger.name)\" is in a home")
      return AppSession.refuse(error) { completion($0.error) }
    }
    let command: HomeCommand
    do throws(HMError) {
      command = .addTrigger(home: handle.id, name: trigger.name, try trigger.kind(in: record))
    } catch {
      let error = error
      return AppSession.refuse(error) { completion($0.error) }
    }
    let (session, path) = (session, handle.path)
    handle.ask(.perform(command)) { result in
      let added: Trigger? = result.added { if case .triggerAdded(let trigger) = $0 { trigger } else { nil } }
      if let session, let added {
        // It may have changed since, and a delegate may have got another object for it.
        let known = session.known(HMTrigger.self, added.id)?.handle
        let record = session.homeRecord(path.home)?.triggers.find(added.id) ?? added
        let handle = known ?? Handle(record, path, session)
        session.adopt(trigger, handle, as: added.id)
        trigger.join(handle)
      }
      completion(result.error)
    }
  }

  /// Adds a trigger.
  /// - Throws: as the form with a handler.
  public func addTrigger(_ trigger: HMTrigger) async throws {
    try await awaiting { addTrigger(trigger, completionHandler: $0) }
  }

  /// Removes a trigger.
  public func removeTrigger(_ trigger: HMTrigger, completionHandler completion: @escaping ((any Error)?) -> Void) {
    guard let handle = trigger.handle else { return AppSession.refuse(.notInHome) { completion($0.error) } }
    perform(.removeTrigger(handle.id), with: handle, completion)
  }

  /// Removes a trigger.
  /// - Throws: as the form with a handler.
  public func removeTrigger(_ trigger: HMTrigger) async throws {
    try await awaiting { removeTrigger(trigger, completionHandler: $0) }
  }

  // MARK: Users

  /// The user of this app: the owner of the home, or the user to whom another hub shares it.
  public var currentUser: HMUser {
    let user = record.ownUser
    return session?.user(user, in: handle.id) ?? HMUser(handle.detached(user))
  }

  /// The other users.
  @available(*, deprecated, message: "Apple's system manages the users.")
  public var users: [HMUser] {
    let own = record.ownUser.id
    return objects(record.users.filter { $0.id != own }) { $0.user($1, in: $2) }
  }

  /// Lets the person add users by `HMSetupUI.shared`.
  /// - Throws: 23 if the person cancels.
  public func manageUsers(completionHandler completion: @escaping ((any Error)?) -> Void) {
    inviteUser { completion($1) }
  }

  /// Lets the person add users.
  /// - Throws: as the form with a handler.
  public func manageUsers() async throws { try await awaiting { manageUsers(completionHandler: $0) } }

  /// Adds a user, whom `HMSetupUI.shared` asks for.
  /// - Throws: 23 if the person cancels; 49 for too many users.
  @available(*, deprecated, message: "Use manageUsers(completionHandler:).")
  public func addUser(completionHandler completion: @escaping (HMUser?, (any Error)?) -> Void) {
    inviteUser(completion)
  }

  /// Adds a user.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Use manageUsers().")
  public func addUser() async throws -> HMUser { try await awaiting { inviteUser($0) } }

  /// Removes a user.
  /// - Throws: 17 for the owner.
  @available(*, deprecated, message: "Use manageUsers(completionHandler:).")
  public func removeUser(_ user: HMUser, completionHandler completion: @escaping ((any Error)?) -> Void) {
    perform(.removeUser(user.handle.id), with: user.handle, completion)
  }

  /// Removes a user.
  /// - Throws: as the form with a handler.
  @available(*, deprecated, message: "Use manageUsers().")
  public func removeUser(_ user: HMUser) async throws {
    try await awaiting { perform(.removeUser(user.handle.id), with: user.handle, $0) }
  }

  /// Returns what a user may do with the home.
  public func homeAccessControl(for user: HMUser) -> HMHomeAccessControl {
    HMHomeAccessControl(isAdministrator: user.handle.record.role != .guest)
  }

  private func inviteUser(_ completion: @escaping (HMUser?, (any Error)?) -> Void) {
    let (handler, id) = (MainHandler<(HMUser?, (any Error)?)> { completion($0.0, $0.1) }, handle.id)
    askPerson {
      try await $0.userToInvite(to: self)
    } then: { [self] result in
      switch result {
      case .failure(let error): handler.call((nil, error))
      case .success(let invitation):
        add(
          .addUser(home: id, name: invitation.name, role: invitation.isAdministrator ? .administrator : .guest),
          completion
        ) { if case .userAdded(let user) = $1 { $0.user(user, in: id) } else { nil } }
      }
    }
  }
}
