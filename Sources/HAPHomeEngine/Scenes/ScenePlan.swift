import HAPHome
import HAPModel

/// An execution before its start: the checked actions, and the PUTs for each connection.
struct ScenePlan {
  let home: HomeObjectID
  private(set) var sets: [HomeObjectID] = []
  private(set) var skipped: [SceneResult.SkippedSet] = []
  let actions: [SceneOutline.Action]
  let puts: [SceneOutline.Puts]

  /// - Parameter running: the sets that are being executed.
  /// - Throws: the reason why nothing can be executed. The errors of single actions are in `actions`.
  init(
    _ request: SceneRequest, in model: HomeModel, _ context: SceneContext, running: Set<HomeObjectID>,
    _ outlines: inout SceneOutlines
  ) throws(HomeError) {
    let outline: SceneOutline
    switch request {
    case .actionSets(let ids, let trigger):
      let home = try model.home(ofSets: ids)
      try home.checkUser(context.user)
      self.home = home.id
      let trigger = trigger.flatMap { home.triggers.find($0) }
      var sets: [ActionSet] = []
      for id in ids {
        do throws(HomeError) {
          let isRunning = running.contains(id) || sets.contains { $0.id == id }
          sets.append(try model.executableSet(id, in: home, for: trigger, isRunning: isRunning))
        } catch {
          skipped.append(SceneResult.SkippedSet(actionSet: id, error: error))
        }
      }
      if sets.isEmpty, let first = skipped.first { throw first.error }
      self.sets = sets.map(\.id)
      outline = outlines.outline(of: sets, in: home, model)
    case .writes(let id, let writes):
      guard let home = model.home(id) else {
        throw HomeError.unknownHome(id)
      }
      try home.checkUser(context.user)
      self.home = id
      guard !writes.isEmpty else {
        throw HomeError(.noActionsInActionSet, nil, "there is nothing to write: name at least one characteristic")
      }
      var seen: Set<HomeObjectID> = []
      for write in writes where !seen.insert(write.characteristic).inserted {
        throw HomeError(
          .alreadyExists, .s3, "there are two values for the characteristic \(write.characteristic): give one")
      }
      outline = SceneOutline(writes.map { (nil, $0) }, in: home, model)
    }
    let checked = outline.checked(context)
    (actions, puts) = (checked.actions, checked.puts)
  }
}

extension Home {
  /// - Throws: rule U1 for a user who is not a user of the home. Guests may control it.
  fileprivate func checkUser(_ user: HomeObjectID?) throws(HomeError) {
    guard let user, users.find(user) == nil else { return }
    throw HomeError(
      .insufficientPrivileges, .u1,
      "the user with the identifier \(user) is not a user of the home \"\(name)\": ask the owner for an invitation")
  }
}

extension HomeModel {
  /// Returns the home of the first of these sets that is in a home.
  fileprivate func home(ofSets ids: [HomeObjectID]) throws(HomeError) -> Home {
    for id in ids {
      if let home = homes.first(where: { $0.actionSets.find(id) != nil }) { return home }
    }
    guard let first = ids.first else {
      throw HomeError(.noRegisteredActionSets, nil, "there is nothing to execute: name at least one action set")
    }
    throw HomeError.unknown(.actionSet, first)
  }

  /// Returns an action set that can be executed.
  /// - Throws: rules O1, O2 and S4; 65 for a set that is running; 25 for an empty one.
  fileprivate func executableSet(
    _ id: HomeObjectID, in home: Home, for trigger: Trigger?, isRunning: Bool
  ) throws(HomeError) -> ActionSet {
    guard let set = home.actionSets.find(id) else {
      throw HomeError.missing(.actionSet, id, in: home, found: homes.first { $0.actionSets.find(id) != nil })
    }
    guard set.kind != .triggerOwned || trigger?.actionSets.contains(id) == true else {
      throw HomeError(
        .operationNotSupported, .s4, "this action set is part of a trigger, which alone executes it: fire the trigger")
    }
    guard !isRunning else {
      throw HomeError(
        .actionSetExecutionInProgress, nil, "the action set \"\(set.name)\" is being executed: wait for its end")
    }
    guard !set.actions.isEmpty else {
      throw HomeError(.noActionsInActionSet, nil, "the action set \"\(set.name)\" has no actions: add one")
    }
    return set
  }
}
