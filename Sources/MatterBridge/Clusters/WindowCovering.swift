import HAPModel
import MatterModel
import MatterWire

/// A covering that lifts, tilts, or does both. Matter 1.4 application clusters §5.3.
struct CoveringCluster: Sendable {
  /// The characteristics of an angle.
  let currentTilt: TypeID
  let targetTilt: TypeID

  static let horizontal = CoveringCluster(
    currentTilt: CharacteristicDefinition.currentHorizontalTiltAngle.type,
    targetTilt: CharacteristicDefinition.targetHorizontalTiltAngle.type)
  static let slat = CoveringCluster(
    currentTilt: CharacteristicDefinition.currentTiltAngle.type,
    targetTilt: CharacteristicDefinition.targetTiltAngle.type)

  /// Lift with known positions.
  private static let lift: UInt32 = 0x05
  /// Tilt with known positions.
  private static let tilt: UInt32 = 0x12

  var template: ClusterTemplate {
    ClusterTemplate(
      id: ClusterName.windowCovering, revision: 5,
      features: { service in
        let lift = service.hasAll([.currentPosition, .targetPosition]) ? Self.lift : 0
        let features = lift | (service.hasAll([currentTilt, targetTilt]) ? Self.tilt : 0)
        return features == 0 ? nil : features
      },
      attributes: attributes + Self.constants, commands: commands)
  }

  private static func has(_ feature: UInt32, _ access: ClusterAccess) -> Bool {
    access.cluster.shape.description.features & feature == feature
  }

  private static let constants: [AttributeBinding] = [
    // A roller shade, a blind that tilts, or a blind that lifts and tilts.
    .fixed(0) { access throws(InteractionStatus) in
      .unsigned(has(tilt, access) ? (has(lift, access) ? 8 : 7) : 0)
    },
    // Operational, with known positions of the lift and of the tilt.
    .fixed(7) { access throws(InteractionStatus) in
      .unsigned(0x01 | (has(lift, access) ? 0x08 : 0) | (has(tilt, access) ? 0x10 : 0))
    },
    .constant(0x0D, .unsigned(0)),
    .stored(0x17, default: .unsigned(0), .unsigned(0...0x0F), writePrivilege: .manage),
  ]

  private var attributes: [AttributeBinding] {
    [
      Self.position(8, .currentPosition, divisor: 100), Self.position(0x0B, .targetPosition),
      Self.position(0x0E, .currentPosition),
      Self.angle(9, currentTilt, divisor: 100), Self.angle(0x0C, targetTilt), Self.angle(0x0F, currentTilt),
      AttributeBinding(0x0A, "5 if it opens (1), 10 if it closes (0), else 0", alsoOf: [.positionState]) {
        access throws(InteractionStatus) in
        .unsigned(try Self.status(access))
      },
    ]
  }

  private static func position(
    _ number: AttributeNumber, _ type: TypeID, divisor: UInt64 = 1
  ) -> AttributeBinding {
    let conversion = divisor == 1 ? "(100 − x) × 100" : "100 − x"
    return AttributeBinding(number, conversion, of: [type], features: lift) { access throws(InteractionStatus) in
      try access.number(type).map { .unsigned(Covering.closed(position: $0) / divisor) } ?? .null
    }
  }

  private static func angle(_ number: AttributeNumber, _ type: TypeID, divisor: UInt64 = 1) -> AttributeBinding {
    let conversion = divisor == 1 ? "(x + 90) × 10000/180" : "(x + 90) × 100/180, rounded down"
    return AttributeBinding(number, conversion, of: [type], features: tilt) { access throws(InteractionStatus) in
      try access.number(type).map { .unsigned(Covering.closed(angle: $0) / divisor) } ?? .null
    }
  }

  /// Bits 0-1 for all movements, and bits 2-3 for the lift: 1 opening, 2 closing.
  private static func status(_ access: ClusterAccess) throws(InteractionStatus) -> UInt64 {
    guard access.has(.positionState) else { return 0 }
    switch try access.value(.positionState) {
    case 0: return 0b1010
    case 1: return 0b0101
    default: return 0
    }
  }

  // MARK: Commands

  private var commands: [CommandBinding] {
    [
      CommandBinding(0, perform: { access, _ throws(InteractionStatus) in try move(access, closed: 0) }),
      CommandBinding(
        1, perform: { access, _ throws(InteractionStatus) in try move(access, closed: Covering.whole) }),
      CommandBinding(2, perform: { access, _ throws(InteractionStatus) in try stop(access) }),
      CommandBinding(5, features: Self.lift, writing: [.targetPosition]) { access, fields throws(InteractionStatus) in
        let closed = try fields.unsigned(0, 0...Covering.whole)
        try access.write(.targetPosition, access.fitted(Covering.position(closed: closed), .targetPosition))
      },
      CommandBinding(8, features: Self.tilt, writing: [targetTilt]) { access, fields throws(InteractionStatus) in
        let closed = try fields.unsigned(0, 0...Covering.whole)
        try access.write(targetTilt, access.fitted(Covering.angle(closed: closed), targetTilt))
      },
    ]
  }

  /// Moves the lift, or what tilts only.
  private func move(_ access: ClusterAccess, closed: UInt64) throws(InteractionStatus) {
    if Self.has(Self.lift, access) {
      try access.write(.targetPosition, access.fitted(Covering.position(closed: closed), .targetPosition))
    } else {
      try access.write(targetTilt, access.fitted(Covering.angle(closed: closed), targetTilt))
    }
  }

  private func stop(_ access: ClusterAccess) throws(InteractionStatus) {
    if access.has(.holdPosition) { return try access.write(.holdPosition, true) }
    let (current, target): (TypeID, TypeID) =
      Self.has(Self.lift, access) ? (.currentPosition, .targetPosition) : (currentTilt, targetTilt)
    guard let now = try access.number(current) else { return }
    try access.write(target, access.fitted(now, target))
  }
}

/// Conversions of positions: Matter counts hundredths of a percent from open, HAP percents from closed.
enum Covering {
  static let whole: UInt64 = 10000

  static func closed(position: Double) -> UInt64 { UInt64(nearest: (100 - position) * 100, in: 0...whole) }
  static func position(closed: UInt64) -> Double { 100 - Double(closed) / 100 }

  /// - Parameter angle: −90...90°.
  static func closed(angle: Double) -> UInt64 { UInt64(nearest: (angle + 90) * 10000 / 180, in: 0...whole) }
  static func angle(closed: UInt64) -> Double { Double(closed) * 180 / 10000 - 90 }
}
