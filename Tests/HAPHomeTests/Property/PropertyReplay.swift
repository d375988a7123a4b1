import HAPAlmanac
import HAPModel
import HAPTestSupport

@testable import HAPHome
@testable import HAPHomeEngine

/// A command of a run, with everything that decides its result. Its new identifiers depend only on `seed`, so that other
/// commands can be removed from a run.
struct PropertyStep {
  var command: HomeCommand
  var user: HomeObjectID?
  var now: Instant
  var seed: UInt64
}

/// Performs the steps of a run and checks each of them.
struct PropertyReplay {
  typealias Performer =
    @Sendable (
      inout HomeModel, HomeCommand, HomeContext, inout SeededGenerator
    ) throws(HomeError) -> [HomeChange]

  let policy: HomePolicy
  var perform: Performer = { (model, command, context, generator) throws(HomeError) in
    try model.perform(command, in: context, using: &generator)
  }
  private(set) var model = HomeModel()
  /// All random identifiers that objects have had.
  private var used: Set<HomeObjectID> = []
  /// The identifiers of removed objects, the last ones.
  private(set) var removed: [HomeObjectID] = []
  private(set) var accepted: [HomeCommandName: Int] = [:]
  private(set) var refused: [HomeCommandName: Int] = [:]
  private(set) var changes: [HomeChangeName: Int] = [:]
  private(set) var rules: Set<HomeRule> = []

  init(policy: HomePolicy, perform: Performer? = nil) {
    self.policy = policy
    if let perform { self.perform = perform }
  }

  /// Small limits, so that random models reach them. The policy of names alternates with the seed.
  static func policy(seed: UInt64) -> HomePolicy {
    var policy = HomePolicy()
    policy.names = seed.isMultiple(of: 2) ? .guide : .reference
    (policy.homes, policy.objects, policy.accessories, policy.actions) = (3, 9, 9, 4)
    (policy.conditionDepth, policy.users) = (4, 4)
    return policy
  }

  /// Performs a step. Returns the error; nil if nothing is.
  mutating func take(_ step: PropertyStep) -> String? {
    let before = model
    var generator = SeededGenerator(seed: step.seed)
    let context = HomeContext(now: step.now, user: step.user, policy: policy) {
      $0.text == "Nowhere/City" ? nil : .utc
    }
    let kind = step.command.name
    do throws(HomeError) {
      let list = try perform(&model, step.command, context, &generator)
      accepted[kind, default: 0] += 1
      for change in list { changes[change.detail.name, default: 0] += 1 }
      return violation(of: list, from: before, step) ?? identifierViolation(from: before)
    } catch {
      refused[kind, default: 0] += 1
      if let rule = error.rule { rules.insert(rule) }
      if model != before { return "a refused command changed the model" }
      return RefusalChecker(before: before, step: step, policy: policy).violations(error).first
    }
  }

  private func violation(of list: [HomeChange], from before: HomeModel, _ step: PropertyStep) -> String? {
    var copy = before
    for (number, change) in list.enumerated() {
      let previous = copy
      copy.apply([change])
      if copy == previous { return "change \(number) changes nothing: \(change.detail.name)" }
      if case .triggerRemoved(let id) = change.detail,
        previous.homes.flatMap(\.triggers).contains(where: { $0.id == id && $0.isEnabled })
      {
        return "T5: an enabled trigger was removed"
      }
      guard number < list.count - 1, let home = copy.home(change.home) else { continue }
      if let dangling = InvariantChecker.danglingReferences(in: home).first {
        return "after change \(number), \(change.detail.name), the home \(dangling)"
      }
    }
    if copy != model { return "the changes do not give the model" }
    guard model != before else { return nil }
    return InvariantChecker(model: model, policy: policy).violations().first
      ?? TransitionChecker(before: before, step: step, after: model, policy: policy).violations().first
  }

  private mutating func identifierViolation(from before: HomeModel) -> String? {
    guard model != before else { return nil }
    func random(_ model: HomeModel) -> Set<HomeObjectID> {
      Set(model.homes.flatMap { Set($0.allIdentifiers).subtracting($0.partIdentifiers) })
    }
    let (old, new) = (random(before), random(model))
    let added = new.subtracting(old)
    if !added.isDisjoint(with: used) { return "an identifier is used again" }
    used.formUnion(added)
    removed = (removed + old.subtracting(new).sorted()).suffix(20)
    return nil
  }
}

/// A failure of a run: the error, and the shortest list of commands found that shows it.
struct PropertyFailure: Error, CustomStringConvertible {
  var seed: UInt64
  var violation: String
  var steps: [PropertyStep]

  var description: String {
    let lines = steps.enumerated().map { number, step in
      "  \(number + 1). \(step.command.shortDescription)" + (step.user.map { " as \($0)" } ?? "") + " at \(step.now)"
    }
    return "seed \(seed): \(violation)\n" + lines.joined(separator: "\n")
  }
}

extension HomeCommand {
  /// The text of the command: types without their modules, and a summary of the databases of devices.
  fileprivate var shortDescription: String {
    switch self {
    case .addDevice(let home, let device), .updateDevice(let home, let device):
      let accessories = device.accessories.map { accessory in
        let services = accessory.services.map { service in
          let parts = service.characteristics.map { "\($0.iid) \($0.type) \($0.perms.rawValue) \($0.value)" }
          return "\(service.iid) \(service.type)\(service.isHidden ? " hidden" : "") (\(parts.joined(separator: ", ")))"
        }
        return "aid \(accessory.aid) [\(services.joined(separator: "; "))]"
      }
      return "\(name.rawValue)(home: \(home), \(device.device) c# \(device.configurationNumber): "
        + "\(accessories.joined(separator: ", ").replacing("HAPModel.Value.", with: "")))"
    default: return "\(self)".replacing("HAPHome.", with: "").replacing("HAPAlmanac.", with: "")
    }
  }
}

/// A run of random commands on one model.
struct PropertyRun {
  let seed: UInt64
  var perform: PropertyReplay.Performer?
  private(set) var replay: PropertyReplay

  init(seed: UInt64, perform: PropertyReplay.Performer? = nil) {
    (self.seed, self.perform) = (seed, perform)
    replay = PropertyReplay(policy: PropertyReplay.policy(seed: seed), perform: perform)
  }

  /// Performs commands until one fails.
  mutating func run(commands count: Int) throws(PropertyFailure) {
    var maker = CommandMaker(seed: seed)
    var steps: [PropertyStep] = []
    for _ in 0..<count {
      (maker.model, maker.removed) = (replay.model, replay.removed)
      let step = maker.step()
      steps.append(step)
      if let violation = replay.take(step) {
        throw PropertyFailure(seed: seed, violation: violation, steps: shortened(steps))
      }
    }
  }

  /// Returns the error after one of the steps.
  private func violation(of steps: [PropertyStep]) -> String? {
    var replay = PropertyReplay(policy: PropertyReplay.policy(seed: seed), perform: perform)
    for step in steps { if let violation = replay.take(step) { return violation } }
    return nil
  }

  /// Removes commands, first many at once, as long as a command still fails.
  private func shortened(_ steps: [PropertyStep]) -> [PropertyStep] {
    var (steps, size) = (steps, steps.count / 2)
    while size > 0 {
      var (start, didRemove) = (0, false)
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        if violation(of: fewer) != nil { (steps, didRemove) = (fewer, true) } else { start += size }
      }
      if size > 1 || !didRemove { size /= 2 }
    }
    return steps
  }
}
