import HAPModel
import MatterModel
import MatterWire

/// The level of a light or a loudspeaker. Matter 1.4 application clusters §1.6.
///
/// Transitions are not simulated: the device jumps to the level at the end.
struct LevelCluster: Sendable {
  let power: PowerCharacteristic
  /// A characteristic of 0...100 %.
  let type: TypeID

  static let lighting: UInt32 = 2
  static let onOff: UInt32 = 1
  private static let options: AttributeNumber = 0x0F
  private static let onLevel: AttributeNumber = 0x11

  /// - Parameter features: with `onOff`, there is an OnOff cluster for the same power; `lighting`: it is a light.
  func template(features: UInt32) -> ClusterTemplate {
    ClusterTemplate(
      id: ClusterName.levelControl, revision: 6, needs: [type, power.type], features: { _ in features },
      attributes: [
        AttributeBinding(0, "x × 254/100, 1 to 254", of: [type]) { access throws(InteractionStatus) in
          try access.number(type).map { .unsigned(LightLevel.level(brightness: $0)) } ?? .null
        },
        .constant(1, .unsigned(0), features: Self.lighting),
        .constant(2, .unsigned(LightLevel.range.lowerBound)),
        .constant(3, .unsigned(LightLevel.range.upperBound)),
        .stored(Self.options, default: .unsigned(0), .unsigned(0...3)),
        .stored(Self.onLevel, default: .null, .nullable(LightLevel.range)),
        .stored(
          0x4000, default: .null, .nullable(0...254), features: Self.lighting, writePrivilege: .manage),
      ],
      commands: [
        command(0, Self.moveToLevel), command(1, Self.move), command(2, Self.step), command(3, Self.stop),
        command(4, Self.moveToLevel), command(5, Self.move), command(6, Self.step), command(7, Self.stop),
      ])
  }

  /// Returns the level that OnLevel demands when the light is turned on, as a write.
  static func onLevel(_ access: ClusterAccess) -> [(type: TypeID, value: Value)] {
    guard case .unsigned(let level)? = access.stored(onLevel, of: ClusterName.levelControl), access.has(.brightness)
    else { return [] }
    return [(.brightness, access.fitted(LightLevel.brightness(level: level), .brightness, isOn: true))]
  }

  // MARK: Commands

  /// What a command asks for.
  private struct Request {
    /// nil: the level stays.
    var level: UInt64?
    var mask: UInt64
    var override: UInt64
  }

  private func command(
    _ number: CommandNumber,
    _ request: @escaping @Sendable (CommandFields, UInt64) throws(InteractionStatus) -> Request
  ) -> CommandBinding {
    let isWithOnOff = number >= 4
    return CommandBinding(number, writing: isWithOnOff ? [type, power.type] : [type]) {
      access, fields throws(InteractionStatus) in
      let level = LightLevel.level(brightness: try access.number(type) ?? 0)
      let request = try request(fields, level)
      guard let target = request.level else { return }
      let isOn = try access.value(power.type) == power.on
      if isWithOnOff {
        try moveWithOnOff(access, to: target)
      } else if isOn || access.executesIfOff(Self.options, request.mask, request.override) {
        try access.write(type, value(target, access))
      }
    }
  }

  /// Returns the value for a level. No level of a light is 0 %, so that a light that is on is not dark.
  private func value(_ level: UInt64, _ access: ClusterAccess) -> Value {
    access.fitted(LightLevel.brightness(level: level), type, isOn: type == .brightness)
  }

  /// The minimum turns the light off, and leaves the brightness for the next time. Matter 1.4 application clusters
  /// §1.6.4.1.1.
  private func moveWithOnOff(_ access: ClusterAccess, to level: UInt64) throws(InteractionStatus) {
    if level == LightLevel.range.lowerBound {
      try access.write(power.type, power.off)
    } else {
      try access.write([(power.type, power.on), (type, value(level, access))])
    }
  }

  private static func clamped(_ level: UInt64) -> UInt64 {
    min(max(level, LightLevel.range.lowerBound), LightLevel.range.upperBound)
  }

  private static func moveToLevel(_ fields: CommandFields, _ level: UInt64) throws(InteractionStatus) -> Request {
    let target = try fields.unsigned(0, 0...254)
    _ = try fields.nullable(1, CommandFields.transitionTimes)
    return Request(
      level: clamped(target), mask: try fields.unsigned(2, CommandFields.options),
      override: try fields.unsigned(3, CommandFields.options))
  }

  private static func move(_ fields: CommandFields, _ level: UInt64) throws(InteractionStatus) -> Request {
    let isDown = try fields.choice(0, [0, 1]) == 1
    let rate = try fields.nullable(1, 0...UInt64(UInt8.max))
    let target = isDown ? LightLevel.range.lowerBound : LightLevel.range.upperBound
    return Request(
      level: rate == 0 ? nil : target, mask: try fields.unsigned(2, CommandFields.options),
      override: try fields.unsigned(3, CommandFields.options))
  }

  private static func step(_ fields: CommandFields, _ level: UInt64) throws(InteractionStatus) -> Request {
    let isDown = try fields.choice(0, [0, 1]) == 1
    let size = try fields.unsigned(1, 0...UInt64(UInt8.max))
    guard size > 0 else { throw InteractionStatus(.invalidCommand) }
    _ = try fields.nullable(2, CommandFields.transitionTimes)
    return Request(
      level: clamped(isDown ? level - min(size, level) : level + size),
      mask: try fields.unsigned(3, CommandFields.options), override: try fields.unsigned(4, CommandFields.options))
  }

  private static func stop(_ fields: CommandFields, _ level: UInt64) throws(InteractionStatus) -> Request {
    Request(
      level: nil, mask: try fields.unsigned(0, CommandFields.options),
      override: try fields.unsigned(1, CommandFields.options))
  }
}

extension CommandFields {
  /// In tenths of seconds.
  static let transitionTimes: ClosedRange<UInt64> = 0...65534
  /// The bits of options. A node ignores bits that it does not know.
  static let options: ClosedRange<UInt64> = 0...UInt64(UInt8.max)
}

extension ClusterAccess {
  /// Returns whether a command counts while the light is off. Matter 1.4 application clusters §1.6.6.9, §3.2.7.19.
  func executesIfOff(_ attribute: AttributeNumber, _ mask: UInt64, _ override: UInt64) -> Bool {
    var options: UInt64 = 0
    if case .unsigned(let stored)? = stored(attribute) { options = stored }
    return (options & ~mask | override & mask) & 1 == 1
  }
}
