import HAPModel
import MatterModel
import MatterWire

extension ClusterTemplate {
  /// A lock without users and codes. Matter 1.4 application clusters §5.2.
  static let doorLock = ClusterTemplate(
    id: ClusterName.doorLock, revision: 8, needs: [.lockCurrentState, .lockTargetState],
    attributes: [
      AttributeBinding(0, "secured (1) is 1, unsecured (0) 2, jammed (2) 0, unknown (3) null", of: [.lockCurrentState])
      {
        access throws(InteractionStatus) in
        lockState(try access.value(.lockCurrentState).intValue)
      },
      // A dead bolt.
      .constant(1, .unsigned(0)),
      .constant(2, .bool(true)),
      // Only the normal mode; the bits of modes are inverted.
      .stored(0x25, default: .unsigned(0), .unsigned(0...0), writePrivilege: .manage),
      .constant(0x26, .unsigned(0xFFF6)),
    ],
    commands: [
      CommandBinding(0, writing: [.lockTargetState], isTimed: true) { access, _ throws(InteractionStatus) in
        try setTarget(access, isLocked: true)
      },
      CommandBinding(1, writing: [.lockTargetState], isTimed: true) { access, _ throws(InteractionStatus) in
        try setTarget(access, isLocked: false)
      },
      CommandBinding(3, writing: [.lockTargetState], isTimed: true) { access, fields throws(InteractionStatus) in
        let seconds = try fields.unsigned(0, 0...UInt64(UInt16.max))
        try setTarget(access, isLocked: false)
        access.countDown(relock, seconds, tick: .seconds(1))
      },
    ],
    events: [
      EventBinding(of: .lockCurrentState, [doorLockAlarm, lockOperation, lockOperationError], .critical) {
        access, value in
        switch value {
        case 0, 1: [(lockOperation, operation(access, isLocked: value == 1))]
        case 2: [(doorLockAlarm, [Element(.context(0), .unsigned(0))])]
        default: []
        }
      }
    ],
    changed: { access, type in
      guard type == .lockTargetState else { return }
      if access.accessory.writingSubject == nil { access.endpoint.commander = nil }
      // Locked by a person, or by another controller.
      if access.isEqual(.lockTargetState, 1) { access.stopCountdown(relock) }
    },
    expired: { access, _ in
      access.stopCountdown(relock)
      // A lock that refuses stays open, as after a command that it refuses.
      try? access.write(.lockTargetState, 1)
    })

  private static let doorLockAlarm: EventNumber = 0
  private static let lockOperation: EventNumber = 2
  private static let lockOperationError: EventNumber = 3
  /// The time of UnlockWithTimeout. It is AutoRelockTime, which the cluster does not show.
  private static let relock: AttributeNumber = 0x23

  private static func lockState(_ state: Int?) -> Element.Value {
    switch state {
    case 0: .unsigned(2)
    case 1: .unsigned(1)
    case 2: .unsigned(0)
    default: .null
    }
  }

  private static func setTarget(_ access: ClusterAccess, isLocked: Bool) throws(InteractionStatus) {
    let sender = access.accessory.writingSubject
    do throws(InteractionStatus) {
      try access.write(.lockTargetState, isLocked ? 1 : 0)
    } catch {
      // The error is unspecified.
      let members = [kind(isLocked), source(sender), Element(.context(2), .unsigned(0))] + people(sender, from: 3)
      access.accessory.add(lockOperationError, .critical, members, access.cluster.id, access.endpoint.number)
      throw error
    }
    access.endpoint.commander = sender
  }

  /// The members of LockOperation. A change that no command asks for is manual.
  private static func operation(_ access: ClusterAccess, isLocked: Bool) -> [Element] {
    let sender = access.endpoint.commander
    access.endpoint.commander = nil
    return [kind(isLocked), source(sender)] + people(sender, from: 2)
  }

  private static func kind(_ isLocked: Bool) -> Element { Element(.context(0), .unsigned(isLocked ? 0 : 1)) }

  /// Remote or manual.
  private static func source(_ sender: Subject?) -> Element {
    Element(.context(1), .unsigned(sender == nil ? 1 : 7))
  }

  /// The user, who is unknown, the fabric and the node.
  private static func people(_ sender: Subject?, from tag: UInt8) -> [Element] {
    var (fabric, node) = (Element.Value.null, Element.Value.null)
    if case .node(let id, let index, _)? = sender { (fabric, node) = (.unsigned(UInt64(index)), .unsigned(id)) }
    return [Element(.context(tag), .null), Element(.context(tag + 1), fabric), Element(.context(tag + 2), node)]
  }
}
