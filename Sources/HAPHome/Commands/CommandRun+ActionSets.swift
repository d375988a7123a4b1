extension CommandRun {
  mutating func performActionSet(_ command: HomeCommand) throws(HomeError) {
    switch command {
    case .addActionSet(let id, let text):
      let home = try editableHome(id)
      try checkLimit(home.actionSets.count, context.policy.objects, of: "action sets", in: "the home")
      emit(id, .actionSetAdded(ActionSet(id: newID(), name: try newName(text, in: home), kind: .userDefined)))
    case .removeActionSet(let id): try removeActionSet(id)
    case .addAction(let id, let action):
      let (home, set) = try actionSet(id)
      let added = try checked(action, in: home)
      try refuseTwice([action] + set.actions)
      try checkLimit(set.actions.count, context.policy.actions, of: "actions", in: "the action set \"\(set.name)\"")
      emit(home.id, .actionsChanged(id, set.actions + [added]))
    case .updateAction(let id, let action):
      let (home, set) = try actionSet(id)
      let index = try position(of: action.characteristic, in: set, home)
      var actions = set.actions
      actions[index] = try checked(action, in: home)
      if actions != set.actions { emit(home.id, .actionsChanged(id, actions)) }
    case .removeAction(let id, let characteristic):
      let (home, set) = try actionSet(id)
      var actions = set.actions
      actions.remove(at: try position(of: characteristic, in: set, home))
      emit(home.id, .actionsChanged(id, actions))
    default: preconditionFailure("\(command) is not a command of action sets")
    }
  }

  private func actionSet(_ id: HomeObjectID) throws(HomeError) -> (Home, ActionSet) {
    let home = try home(of: .actionSet, id)
    return (home, home.actionSets.find(id)!)
  }

  private func position(
    of characteristic: HomeObjectID, in set: ActionSet, _ home: Home
  ) throws(HomeError) -> Int {
    try check(.characteristic, characteristic, in: home)
    guard let index = set.actions.firstIndex(where: { $0.characteristic == characteristic }) else {
      throw HomeError(
        .notFound, .s3, "the action set \"\(set.name)\" has no action for this characteristic: add the action")
    }
    return index
  }

  private mutating func removeActionSet(_ id: HomeObjectID) throws(HomeError) {
    let (home, set) = try actionSet(id)
    try refuseOwned(set)
    guard !set.kind.isBuiltIn else {
      throw HomeError(
        .cannotRemoveBuiltinActionSet, .s1,
        "the action set \"\(set.name)\" is one of the home's own: remove its actions instead")
    }
    for trigger in home.triggers { detach(id, from: trigger.id, in: home.id) }
    emit(home.id, .actionSetRemoved(id))
  }

  /// - Throws: rule S4 for a set that belongs to a trigger.
  func refuseOwned(_ set: ActionSet) throws(HomeError) {
    guard set.kind != .triggerOwned else {
      throw HomeError(
        .operationNotSupported, .s4,
        "this action set is part of a trigger: change its actions, or remove it from the trigger")
    }
  }

  /// - Throws: rule S3 if two actions have one characteristic.
  func refuseTwice(_ actions: [HomeAction]) throws(HomeError) {
    var seen: Set<HomeObjectID> = []
    for action in actions where !seen.insert(action.characteristic).inserted {
      throw HomeError(
        .alreadyExists, .s3, "the action set has an action for the characteristic \(action.characteristic): change it")
    }
  }

  /// Returns the action with the canonical form of its value.
  /// - Throws: rules O1, O2 and S2.
  func checked(_ action: HomeAction, in home: Home) throws(HomeError) -> HomeAction {
    try check(.characteristic, action.characteristic, in: home)
    let (accessory, _, characteristic) = home.characteristic(action.characteristic)!
    guard characteristic.permissions.contains(.pairedWrite) else {
      throw HomeError.readOnly(characteristic, of: accessory.name)
    }
    return HomeAction(action.characteristic, try characteristic.canonical(action.value))
  }
}
