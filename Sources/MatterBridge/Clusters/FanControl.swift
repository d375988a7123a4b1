import HAPModel
import MatterModel
import MatterWire

/// A fan or an air purifier. Matter 1.4 application clusters §4.4.
struct FanCluster: Sendable {
  let power: PowerCharacteristic
  /// The characteristic whose value 1 is automatic, and 0 manual; nil: there is none.
  let automatic: TypeID?

  private enum Feature {
    static let auto: UInt32 = 0x02
    static let rocking: UInt32 = 0x04
    static let direction: UInt32 = 0x20
  }

  private enum Mode {
    static let off: UInt64 = 0
    static let low: UInt64 = 1
    static let medium: UInt64 = 2
    static let high: UInt64 = 3
    static let on: UInt64 = 4
    static let auto: UInt64 = 5
    static let smart: UInt64 = 6
  }

  /// The speeds of the modes in percent.
  static let lowSpeed = 33.0
  static let mediumSpeed = 66.0
  static let highSpeed = 100.0

  var template: ClusterTemplate {
    ClusterTemplate(
      id: ClusterName.fanControl, revision: 4, needs: [power.type],
      features: { service in
        (automatic.map(service.has) == true ? Feature.auto : 0) | (service.has(.swingMode) ? Feature.rocking : 0)
          | (service.has(.rotationDirection) ? Feature.direction : 0)
      },
      attributes: speedAttributes + [
        .constant(7, .unsigned(1), features: Feature.rocking),
        AttributeBinding(
          8, "x", of: [.swingMode], features: Feature.rocking, writing: [.swingMode],
          write: { access, value throws(InteractionStatus) in
            try access.write(.swingMode, .integer(Int128(try value.unsigned(in: 0...1))))
          },
          read: { access throws(InteractionStatus) in .unsigned(try access.isTrue(.swingMode) ? 1 : 0) }),
        AttributeBinding(
          0x0B, "x", of: [.rotationDirection], features: Feature.direction, writing: [.rotationDirection],
          write: { access, value throws(InteractionStatus) in
            try access.write(.rotationDirection, .integer(Int128(try value.unsigned(in: 0...1))))
          },
          read: { access throws(InteractionStatus) in .unsigned(try access.isTrue(.rotationDirection) ? 1 : 0) }),
      ])
  }

  private var speedAttributes: [AttributeBinding] {
    let types = [.rotationSpeed, power.type] + (automatic.map { [$0] } ?? [])
    return [
      AttributeBinding(
        0, "0 off; 1, 2, 3 up to 33 %, 66 %, 100 %; 5 automatic. A write sets these speeds", alsoOf: types,
        writing: [power.type],
        write: { access, value throws(InteractionStatus) in try setMode(access, try value.unsigned(in: 0...6)) },
        read: { access throws(InteractionStatus) in .unsigned(try mode(access)) }),
      .fixed(1) { access throws(InteractionStatus) in .unsigned(sequence(access)) },
      AttributeBinding(
        2, "RotationSpeed, without it 100; 0 off, null automatic. 0 turns it off", alsoOf: types, writing: [power.type],
        write: { access, value throws(InteractionStatus) in
          // null leaves the setting as it is.
          if value == .null { return }
          try setSpeed(access, Double(try value.unsigned(in: 0...100)))
        },
        read: { access throws(InteractionStatus) in
          try mode(access) == Mode.auto ? .null : .unsigned(try percent(access))
        }),
      AttributeBinding(3, "RotationSpeed, without it 100; 0 off", alsoOf: types) { access throws(InteractionStatus) in
        .unsigned(try percent(access))
      },
    ]
  }

  private func isAutomatic(_ access: ClusterAccess) throws(InteractionStatus) -> Bool {
    guard let automatic, access.has(automatic) else { return false }
    return try access.isTrue(automatic)
  }

  /// 0 off-low-medium-high, 2 the same with auto, 4 off-high-auto, 5 off-high.
  private func sequence(_ access: ClusterAccess) -> UInt64 {
    let hasAuto = automatic.map(access.has) == true
    return access.has(.rotationSpeed) ? (hasAuto ? 2 : 0) : (hasAuto ? 4 : 5)
  }

  private func percent(_ access: ClusterAccess) throws(InteractionStatus) -> UInt64 {
    guard try access.value(power.type) == power.on else { return 0 }
    guard access.has(.rotationSpeed) else { return 100 }
    return UInt64(nearest: try access.number(.rotationSpeed) ?? 0, in: 0...100)
  }

  private func mode(_ access: ClusterAccess) throws(InteractionStatus) -> UInt64 {
    guard try access.value(power.type) == power.on else { return Mode.off }
    if try isAutomatic(access) { return Mode.auto }
    let percent = Double(try percent(access))
    return percent <= Self.lowSpeed ? Mode.low : percent <= Self.mediumSpeed ? Mode.medium : Mode.high
  }

  private func setMode(_ access: ClusterAccess, _ mode: UInt64) throws(InteractionStatus) {
    switch mode {
    case Mode.off: try access.write(power.type, power.off)
    case Mode.low where access.has(.rotationSpeed): try setSpeed(access, Self.lowSpeed)
    case Mode.medium where access.has(.rotationSpeed): try setSpeed(access, Self.mediumSpeed)
    case Mode.high, Mode.on: try setSpeed(access, Self.highSpeed)
    case Mode.auto, Mode.smart:
      guard let automatic, access.has(automatic) else { throw InteractionStatus(.constraintError) }
      try access.write([(power.type, power.on), (automatic, 1)])
    default: throw InteractionStatus(.constraintError)
    }
  }

  private func setSpeed(_ access: ClusterAccess, _ percent: Double) throws(InteractionStatus) {
    guard percent > 0 else { return try access.write(power.type, power.off) }
    var writes = [(type: power.type, value: power.on)]
    if let automatic, access.has(automatic) { writes.append((automatic, 0)) }
    if access.has(.rotationSpeed) {
      writes.append((.rotationSpeed, access.fitted(percent, .rotationSpeed, isOn: true)))
    }
    try access.write(writes)
  }
}
