import HAPHome
import HAPModel

/// An execution before its start: the checked actions, and the PUTs for each connection.
struct ScenePlan {
  /// An action and, if it passed the checks, its characteristic.
  struct Action {
    let actionSet: HomeObjectID?
    let action: HomeAction
    /// The characteristic to write, or the check that failed.
    let target: Result<SceneTarget, HomeError>
  }

  let home: HomeObjectID
  private(set) var sets: [HomeObjectID] = []
  private(set) var skipped: [SceneResult.SkippedSet] = []
  private(set) var actions: [Action] = []

  /// - Parameter running: the sets that are being executed.
  /// - Throws: the reason why nothing can be executed. The errors of single actions are in `actions`.
  init(
    _ request: SceneRequest, in model: HomeModel, _ context: SceneContext, running: Set<HomeObjectID>
  ) throws(HomeError) {
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
      check(sets.flatMap { set in set.actions.map { (set.id, $0) } }, in: home, model, context)
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
      check(writes.map { (nil, $0) }, in: home, model, context)
    }
  }

  /// The PUTs for each connection, in the order of the first action for it; the PUTs without `PUT /prepare` come first.
  var puts: [(device: DeviceID, puts: [ScenePutPlan])] {
    var order: [DeviceID] = []
    var builders: [DeviceID: (plain: ScenePutBuilder, timed: ScenePutBuilder)] = [:]
    for (position, action) in actions.enumerated() {
      guard case .success(let target) = action.target else { continue }
      let entry = ScenePut.Entry(id: target.id, characteristic: target.characteristic.id, value: action.action.value)
      if builders[target.device] == nil {
        order.append(target.device)
        builders[target.device] = (ScenePutBuilder(isTimed: false), ScenePutBuilder(isTimed: true))
      }
      if target.characteristic.permissions.contains(.timedWrite) {
        builders[target.device]!.timed.add(entry, for: position)
      } else {
        builders[target.device]!.plain.add(entry, for: position)
      }
    }
    return order.map { ($0, builders[$0]!.plain.puts + builders[$0]!.timed.puts) }
  }

  // MARK: Checks

  /// Checks each action: in the home, permission, value, blocked, reachable. The first failure counts.
  private mutating func check(
    _ list: [(set: HomeObjectID?, action: HomeAction)], in home: Home, _ model: HomeModel, _ context: SceneContext
  ) {
    let wanted = Set(list.map(\.action.characteristic))
    let targets = home.targets(wanted)
    let others = targets.count == wanted.count ? [:] : model.homes(of: wanted.subtracting(targets.keys))
    let blocked = Set(home.accessories.lazy.filter(\.isBlocked).map(\.deviceID))
    actions = list.map { set, action in
      do throws(HomeError) {
        guard let target = targets[action.characteristic] else {
          throw HomeError.missing(
            .characteristic, action.characteristic, in: home, found: others[action.characteristic])
        }
        let value = try target.checkedValue(action.value)
        try target.checkConnection(isBlocked: blocked.contains(target.device), context)
        return Action(
          actionSet: set, action: HomeAction(action.characteristic, value), target: .success(target))
      } catch {
        return Action(actionSet: set, action: action, target: .failure(error))
      }
    }
  }
}

extension SceneTarget {
  /// Returns the canonical value.
  /// - Throws: rule S2.
  fileprivate func checkedValue(_ value: Value) throws(HomeError) -> Value {
    guard characteristic.permissions.contains(.pairedWrite) else {
      throw HomeError.readOnly(characteristic, of: accessoryName)
    }
    return try characteristic.canonical(value)
  }

  fileprivate func checkConnection(isBlocked: Bool, _ context: SceneContext) throws(HomeError) {
    if isBlocked {
      throw error(.accessoryIsBlocked, "the accessory is blocked because it broke the protocol; unblock it")
    }
    if context.connection(device) == .ended {
      throw error(.accessoryNotReachable, "the session with the accessory has ended; remove and add the accessory")
    }
    if context.isUnreachable(accessory) {
      throw error(
        isBridged ? .bridgedAccessoryNotReachable : .accessoryNotReachable,
        "the accessory does not answer; check that it has power")
    }
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

  /// Returns the home of each of these characteristics that is in a home.
  fileprivate func homes(of characteristics: Set<HomeObjectID>) -> [HomeObjectID: Home] {
    var found: [HomeObjectID: Home] = [:]
    for home in homes {
      for id in home.targets(characteristics).keys { found[id] = home }
    }
    return found
  }
}
