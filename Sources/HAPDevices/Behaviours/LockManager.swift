import HAPModel

/// The management of a lock: it reports who moved the lock last, and secures the lock after a timeout. HAP R2 §8 "Lock
/// Management".
///
/// Lock Last Known Action distinguishes a controller (remotely), a person (physically), and the timeout. If Lock
/// Management Auto Security Timeout is above 0, an opened lock is secured after that number of seconds.
final class LockManager: Behaviour {
  /// Values of Lock Last Known Action.
  private enum Action {
    static let securedByHand: Value = 0, openedByHand: Value = 1
    static let securedRemotely: Value = 6, openedRemotely: Value = 7, securedByTimeout: Value = 8
  }
  private static let opened: Value = 0, secured: Value = 1
  private static let relock = 0

  private let lastAction, timeout: AttributeID?
  private let current, target: AttributeID?
  /// The bolt state that a controller or the timeout requested and that is not reached yet.
  private var asked: (value: Value, byTimeout: Bool)?

  init(_ service: DeviceService) {
    lastAction = service[.lockLastKnownAction]
    timeout = service[.lockManagementAutoSecurityTimeout]
    let lock = service.companions(.lockMechanism).first
    current = lock?[.lockCurrentState]
    target = lock?[.lockTargetState]
  }

  static let kind = BehaviourKind(
    service: .lockManagement, summary: "It reports who moved the lock last, and secures it after a timeout.",
    parameters: []
  ) { service, _ in LockManager(service) }

  var watched: [AttributeID] { [current, target].compactMap { $0 } }

  func start(_ context: inout DeviceContext) { setTimer(&context) }

  func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == timeout { setTimer(&context) }
  }

  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { written(id, value, &context) }

  func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) {
    if id == target {
      if context.value(current) == value {
        asked = nil
      } else if asked?.value != value {
        asked = (value, false)
      }
      return
    }
    guard value == Self.opened || value == Self.secured else {
      asked = nil
      return
    }
    let asked = asked.flatMap { $0.value == value ? $0 : nil }
    self.asked = nil
    let isOpen = value == Self.opened
    if let asked {
      context.set(
        lastAction,
        isOpen ? Action.openedRemotely : asked.byTimeout ? Action.securedByTimeout : Action.securedRemotely)
    } else {
      context.set(lastAction, isOpen ? Action.openedByHand : Action.securedByHand)
    }
    setTimer(&context)
  }

  func timerFired(_ token: Int, _ context: inout DeviceContext) {
    guard context.value(current) == Self.opened else { return }
    asked = (Self.secured, true)
    context.set(target, Self.secured)
  }

  private func setTimer(_ context: inout DeviceContext) {
    // Limited to about thirty years, even if the format allows more.
    let seconds = min(context.value(timeout)?.doubleValue ?? 0, 1e9)
    if seconds > 0, context.value(current) == Self.opened {
      context.schedule(Self.relock, after: .seconds(seconds))
    } else {
      context.cancel(Self.relock)
    }
  }
}
