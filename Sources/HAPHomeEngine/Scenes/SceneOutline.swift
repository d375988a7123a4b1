import HAPHome
import HAPModel

/// The part of an execution that the model alone determines: its checked actions, and the PUTs for each connection.
struct SceneOutline {
  /// An action and, if it passed the checks, its characteristic.
  struct Action {
    let actionSet: HomeObjectID?
    let action: HomeAction
    /// The characteristic to write, or the check that failed.
    let target: Result<SceneTarget, HomeError>
  }

  /// The PUTs for one connection.
  typealias Puts = (device: DeviceID, puts: [ScenePutPlan])

  private(set) var actions: [Action]
  /// In the order of the first action for each connection; the PUTs without `PUT /prepare` come first.
  private(set) var puts: [Puts]
  /// One characteristic of each accessory.
  private let accessories: [SceneTarget]

  /// Checks each action: in the home, permission, value, blocked. The first failure counts.
  init(_ list: [(set: HomeObjectID?, action: HomeAction)], in home: Home, _ model: HomeModel) {
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
        if blocked.contains(target.device) { throw target.blocked }
        return Action(
          actionSet: set, action: HomeAction(action.characteristic, value), target: .success(target))
      } catch {
        return Action(actionSet: set, action: action, target: .failure(error))
      }
    }
    puts = Self.puts(for: actions)
    var seen: Set<HomeObjectID> = []
    accessories = actions.compactMap { try? $0.target.get() }.filter { seen.insert($0.accessory).inserted }
  }

  /// Whether all actions passed their checks.
  var isWhole: Bool { actions.allSatisfy { if case .success = $0.target { true } else { false } } }

  /// Checks whether the accessories can be reached, the last check of each action.
  func checked(_ context: SceneContext) -> SceneOutline {
    let lost = Set(accessories.lazy.filter { $0.connectionError(context) != nil }.map(\.accessory))
    if lost.isEmpty { return self }
    var checked = self
    checked.actions = actions.map { action in
      guard case .success(let target) = action.target, lost.contains(target.accessory),
        let error = target.connectionError(context)
      else { return action }
      return Action(actionSet: action.actionSet, action: action.action, target: .failure(error))
    }
    checked.puts = Self.puts(for: checked.actions)
    return checked
  }

  private static func puts(for actions: [Action]) -> [Puts] {
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
}

/// The outlines of the action sets that were executed last. Each is used while the accessories of its home and the
/// actions of its sets stay the same.
struct SceneOutlines {
  private struct Kept {
    /// They share their storage with those of the model, so a comparison of equal ones is short.
    let accessories: [HomeAccessory]
    let actions: [[HomeAction]]
    let outline: SceneOutline
  }

  private var kept: [[HomeObjectID]: Kept] = [:]
  /// The keys, the oldest first.
  private var order: [[HomeObjectID]] = []
  private static let most = 32

  /// Returns the outline of these sets.
  mutating func outline(of sets: [ActionSet], in home: Home, _ model: HomeModel) -> SceneOutline {
    let ids = sets.map(\.id)
    let actions = sets.map(\.actions)
    if let found = kept[ids], found.accessories == home.accessories, found.actions == actions { return found.outline }
    let outline = SceneOutline(sets.flatMap { set in set.actions.map { (set.id, $0) } }, in: home, model)
    if kept.removeValue(forKey: ids) != nil { order.removeAll { $0 == ids } }
    // An error can name another home.
    guard outline.isWhole else { return outline }
    if order.count == Self.most { kept[order.removeFirst()] = nil }
    order.append(ids)
    kept[ids] = Kept(accessories: home.accessories, actions: actions, outline: outline)
    return outline
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

  fileprivate var blocked: HomeError {
    error(.accessoryIsBlocked, "the accessory is blocked because it broke the protocol; unblock it")
  }

  /// The reason why nothing can be sent to the accessory.
  fileprivate func connectionError(_ context: SceneContext) -> HomeError? {
    if context.connection(device) == .ended {
      return error(
        .accessoryNotReachable,
        "the session with the accessory has ended, because the accessory no longer accepts this hub")
    }
    if context.isUnreachable(accessory) {
      return error(
        isBridged ? .bridgedAccessoryNotReachable : .accessoryNotReachable,
        "the accessory does not answer; check that it has power")
    }
    return nil
  }
}

extension HomeModel {
  /// Returns the home of each of these characteristics that is in a home.
  fileprivate func homes(of characteristics: Set<HomeObjectID>) -> [HomeObjectID: Home] {
    var found: [HomeObjectID: Home] = [:]
    for home in homes {
      for id in home.targets(characteristics).keys { found[id] = home }
    }
    return found
  }
}
