import HAPModel
import MatterModel
import MatterWire

extension ClusterTemplate {
  /// A valve that opens for a time. Matter 1.4 application clusters §4.6.
  static let valve = ClusterTemplate(
    id: ClusterName.valve, revision: 1, needs: [.active, .inUse],
    attributes: [
      AttributeBinding(0, "SetDuration while Active is 1, else null; 0 is null", of: [.active], alsoOf: [.setDuration])
      {
        access throws(InteractionStatus) in
        try access.isTrue(.active) ? try duration(.setDuration, access) : .null
      },
      AttributeBinding(
        defaultDuration, "x, 0 is null; without SetDuration stored by the node, at first null", alsoOf: [.setDuration],
        write: { access, value throws(InteractionStatus) in
          let seconds = value == .null ? nil : try value.unsigned(in: seconds)
          if access.has(.setDuration) { return try setDuration(seconds, access) }
          access.store(defaultDuration, value)
        },
        read: { access throws(InteractionStatus) in
          if access.has(.setDuration) { return try duration(.setDuration, access) }
          return access.stored(defaultDuration) ?? .null
        }),
      AttributeBinding(
        3, "RemainingDuration while Active is 1, else null; 0 is null", of: [.active], alsoOf: [.remainingDuration]
      ) { access throws(InteractionStatus) in
        try access.isTrue(.active) ? try duration(.remainingDuration, access) : .null
      },
      AttributeBinding(4, "Active if InUse is equal, else 2", of: [.active, .inUse]) {
        access throws(InteractionStatus) in
        let (isActive, isInUse) = (try access.isTrue(.active), try access.isTrue(.inUse))
        return .unsigned(isActive == isInUse ? (isActive ? 1 : 0) : transitioning)
      },
      // Only while it moves.
      AttributeBinding(5, "null if InUse is equal to Active, else Active", of: [.active, .inUse]) {
        access throws(InteractionStatus) in
        let isActive = try access.isTrue(.active)
        return try isActive == access.isTrue(.inUse) ? .null : .unsigned(isActive ? 1 : 0)
      },
    ],
    commands: [
      CommandBinding(0, writing: [.active]) { access, fields throws(InteractionStatus) in
        if let time = try fields.optional(0, seconds), access.has(.setDuration) { try setDuration(time, access) }
        try access.write(.active, 1)
      },
      CommandBinding(1, writing: [.active]) { access, _ throws(InteractionStatus) in try access.write(.active, 0) },
    ])

  private static let defaultDuration: AttributeNumber = 1
  private static let transitioning: UInt64 = 2
  private static let seconds: ClosedRange<UInt64> = 1...UInt64(UInt32.max)

  /// 0 means no limit in HAP, null in Matter.
  private static func duration(_ type: TypeID, _ access: ClusterAccess) throws(InteractionStatus) -> Element.Value {
    guard access.has(type), let seconds = try access.number(type), seconds > 0 else { return .null }
    return .unsigned(UInt64(nearest: seconds, in: Self.seconds))
  }

  private static func setDuration(_ seconds: UInt64?, _ access: ClusterAccess) throws(InteractionStatus) {
    try access.write(.setDuration, .integer(Int128(seconds ?? 0)))
  }
}
