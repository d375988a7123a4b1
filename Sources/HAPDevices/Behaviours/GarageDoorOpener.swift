import HAPModel

/// A garage door with a motor: Current Door State follows Target Door State in `travelTime`. HAP R2 §8 "Garage Door Opener".
///
/// - A target written half-way reverses the door. The way back takes as long as the way so far.
/// - An obstruction during closing makes the door open again (the target follows) or stop, as `onObstruction` says.
///   While obstructed the door does not close. After the obstruction is removed, the door waits for the next target.
/// - A lock in the same service (Lock Current and Target State) works like `LockMechanism`.
final class GarageDoorOpener: Behaviour {
  /// Values of Current Door State; `open` and `closed` are those of Target Door State too.
  private enum Door {
    static let open: Value = 0, closed: Value = 1, opening: Value = 2, closing: Value = 3, stopped: Value = 4
  }
  private enum Motion {
    case resting
    /// Since `start`, from the position at that time, towards 1 or 0.
    case moving(isOpening: Bool, start: Duration, from: Double)
  }
  private static let arrival = 0, lockToken = 1

  private let current, target, obstruction: AttributeID?
  private let travelTime: Duration
  private let reversesOnObstruction: Bool
  private let lock: LockMechanism
  private var motion = Motion.resting
  /// The present rest position, or the last one: 0 closed, 1 open.
  private var position = 0.0

  init(_ service: DeviceService, _ parameters: BehaviourParameters) {
    current = service[.currentDoorState]
    target = service[.targetDoorState]
    obstruction = service[.obstructionDetected]
    travelTime = parameters.duration("travelTime")
    reversesOnObstruction = parameters.choice("onObstruction") == "reverse"
    lock = LockMechanism(service, parameters, token: Self.lockToken)
  }

  static let kind = BehaviourKind(
    service: .garageDoorOpener,
    summary: "The door travels to its target, and reacts to obstructions.",
    parameters: [
      .init("travelTime", .duration, default: .duration(.seconds(10)), "Time from closed to open, or back."),
      .init(
        "onObstruction", .choice(["reverse", "stop"]), default: .choice("reverse"),
        "Reaction of a closing door to an obstruction."),
    ] + LockMechanism.parameters
  ) { GarageDoorOpener($0, $1) }

  func start(_ context: inout DeviceContext) {
    lock.start(&context)
    let isOpenWanted = context.value(target) == Door.open
    switch context.value(current) {
    case Door.opening: position = 0
    case Door.closing: position = 1
    case Door.stopped:
      position = 0.5
      return
    default:
      // At rest. A door does not move while the power is off, so it is where the target says; the target is stored.
      position = isOpenWanted ? 1 : 0
      let rest = isOpenWanted ? Door.open : Door.closed
      if context.value(current) != rest { context.set(current, rest) }
      return
    }
    go(toOpen: isOpenWanted, &context)
  }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == target { go(toOpen: value == Door.open, &context) }
    lock.written(id, value, &context)
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    switch id {
    case target: go(toOpen: value == Door.open, &context)
    case current: moveByHand(value, &context)
    case obstruction: if value == true { obstructed(&context) }
    default: lock.setByHand(id, value, &context)
    }
  }

  var actions: Set<PhysicalAction.Kind> { lock.isThere ? lock.actions : [] }

  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    try lock.perform(action, &context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    guard token == Self.arrival else { return lock.timerFired(token, &context) }
    guard case .moving(let isOpening, _, _) = motion else { return }
    rest(at: isOpening ? 1 : 0, as: isOpening ? Door.open : Door.closed, &context)
  }

  // MARK: The motor

  private func go(toOpen isOpening: Bool, _ context: inout DeviceContext) {
    if case .moving(isOpening, _, _) = motion { return }
    let from = position(at: context.now)
    let distance = isOpening ? 1 - from : from
    guard distance > 0 else { return rest(at: from, as: isOpening ? Door.open : Door.closed, &context) }
    if !isOpening, context.value(obstruction) == true { return stayOpen(&context) }
    motion = .moving(isOpening: isOpening, start: context.now, from: from)
    context.set(current, isOpening ? Door.opening : Door.closing)
    context.schedule(Self.arrival, after: travelTime * distance)
  }

  /// Handles a request to close an obstructed door.
  private func stayOpen(_ context: inout DeviceContext) {
    if reversesOnObstruction {
      context.set(target, Door.open)
      go(toOpen: true, &context)
    } else {
      rest(at: position(at: context.now), as: Door.stopped, &context)
    }
  }

  private func obstructed(_ context: inout DeviceContext) {
    if case .moving(isOpening: false, _, _) = motion { stayOpen(&context) }
  }

  /// Handles a door that a person moved. The motion so far is cancelled.
  private func moveByHand(_ value: Value, _ context: inout DeviceContext) {
    switch value {
    case Door.open, Door.closed:
      rest(at: value == Door.open ? 1 : 0, as: value, &context)
      context.set(target, value)
    case Door.opening, Door.closing:
      context.set(target, value == Door.opening ? Door.open : Door.closed)
      go(toOpen: value == Door.opening, &context)
    default: rest(at: position(at: context.now), as: value, &context)
    }
  }

  private func rest(at position: Double, as state: Value, _ context: inout DeviceContext) {
    if case .moving = motion { context.cancel(Self.arrival) }
    self.position = position
    motion = .resting
    if context.value(current) != state { context.set(current, state) }
  }

  private func position(at now: Duration) -> Double {
    guard case .moving(let isOpening, let start, let from) = motion else { return position }
    guard travelTime > .zero else { return isOpening ? 1 : 0 }
    let travelled = (now - start) / travelTime
    return min(1, max(0, isOpening ? from + travelled : from - travelled))
  }
}
