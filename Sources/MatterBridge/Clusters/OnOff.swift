import HAPModel
import MatterModel
import MatterWire

/// A characteristic that says whether a function is on.
struct PowerCharacteristic: Sendable {
  let type: TypeID
  let on: Value
  let off: Value

  /// Such as "On is true".
  var condition: String { "\(type.shown) is \(on.shown)" }

  static let on = PowerCharacteristic(type: .on, on: true, off: false)
  static let active = PowerCharacteristic(type: .active, on: 1, off: 0)
  static let mute = PowerCharacteristic(type: .mute, on: false, off: true)
}

/// On and off. Matter 1.4 application clusters §1.5.
struct OnOffCluster: Sendable {
  let power: PowerCharacteristic

  static let lighting: UInt32 = 1
  /// A device that is off shows no other states.
  static let deadFront: UInt32 = 2
  private static let globalScene: AttributeNumber = 0x4000
  private static let onTime: AttributeNumber = 0x4001
  private static let offWaitTime: AttributeNumber = 0x4002
  private static let startUp: AttributeNumber = 0x4003
  private static let tick = Duration.milliseconds(100)
  private static let forever: UInt64 = 0xFFFF

  /// - Parameter features: 0 or `lighting`.
  func template(features: UInt32) -> ClusterTemplate {
    ClusterTemplate(
      id: ClusterName.onOff, revision: 6, needs: [power.type], features: { _ in features },
      attributes: attributes, commands: commands,
      changed: { access, _ in
        if !access.isEqual(power.type, power.on), access.remaining(Self.onTime, tick: Self.tick) > 0 {
          access.hold(Self.onTime, 0)
        }
      },
      expired: { access, attribute in
        access.hold(attribute, 0)
        guard attribute == Self.onTime else { return }
        access.hold(Self.offWaitTime, 0)
        // A device that refuses stays on; the next command starts a new time.
        try? access.write(power.type, power.off)
      })
  }

  private var attributes: [AttributeBinding] {
    [
      AttributeBinding(0, "true if \(power.condition)", of: [power.type]) { access throws(InteractionStatus) in
        .bool(try access.value(power.type) == power.on)
      },
      AttributeBinding(
        Self.globalScene, "stored by the node: false after OffWithEffect, true after On", features: Self.lighting
      ) { access throws(InteractionStatus) in
        access.stored(Self.globalScene) ?? .bool(true)
      },
      countdown(Self.onTime),
      countdown(Self.offWaitTime),
      .stored(
        Self.startUp, default: .null, .nullable(0...2), features: Self.lighting, writePrivilege: .manage),
    ]
  }

  private func countdown(_ number: AttributeNumber) -> AttributeBinding {
    AttributeBinding(
      number, "counts down in the node, in tenths of a second", features: Self.lighting,
      write: { access, value throws(InteractionStatus) in
        access.hold(number, try value.unsigned(in: 0...Self.forever))
      },
      read: { access throws(InteractionStatus) in .unsigned(access.remaining(number, tick: Self.tick)) })
  }

  private var commands: [CommandBinding] {
    [
      CommandBinding(0, writing: [power.type]) { access, _ throws(InteractionStatus) in try turnOff(access) },
      CommandBinding(1, writing: [power.type]) { access, _ throws(InteractionStatus) in try turnOn(access) },
      CommandBinding(2, writing: [power.type]) { access, _ throws(InteractionStatus) in
        if try access.value(power.type) == power.on { try turnOff(access) } else { try turnOn(access) }
      },
      // OffWithEffect: HAP has no effects.
      CommandBinding(0x40, features: Self.lighting, writing: [power.type]) {
        access, fields throws(InteractionStatus) in
        let effect = try fields.choice(0, [0, 1])
        _ = try fields.choice(1, effect == 0 ? [0, 1, 2] : [0])
        access.store(Self.globalScene, .bool(false))
        try turnOff(access)
      },
      // OnWithRecallGlobalScene: the scene is the state before.
      CommandBinding(0x41, features: Self.lighting, writing: [power.type]) {
        access, _ throws(InteractionStatus) in
        guard access.stored(Self.globalScene) == .bool(false) else { return }
        try turnOn(access)
      },
      CommandBinding(0x42, features: Self.lighting, writing: [power.type]) {
        access, fields throws(InteractionStatus) in
        try turnOnForATime(access, fields)
      },
    ]
  }

  private func turnOff(_ access: ClusterAccess) throws(InteractionStatus) {
    try access.write(power.type, power.off)
    access.hold(Self.onTime, 0)
    let wait = access.remaining(Self.offWaitTime, tick: Self.tick)
    if wait > 0, wait < Self.forever { access.countDown(Self.offWaitTime, wait, tick: Self.tick) }
  }

  private func turnOn(_ access: ClusterAccess) throws(InteractionStatus) {
    try access.write([(power.type, power.on)] + LevelCluster.onLevel(access))
    if access.remaining(Self.onTime, tick: Self.tick) == 0 { access.hold(Self.offWaitTime, 0) }
    access.store(Self.globalScene, .bool(true))
  }

  /// OnWithTimedOff. Matter 1.4 application clusters §1.5.7.6.
  private func turnOnForATime(_ access: ClusterAccess, _ fields: CommandFields) throws(InteractionStatus) {
    let onlyWhenOn = try fields.unsigned(0, 0...1) == 1
    let (time, wait) = (try fields.unsigned(1, 0...65534), try fields.unsigned(2, 0...65534))
    let isOn = try access.value(power.type) == power.on
    if onlyWhenOn, !isOn { return }
    let waiting = access.remaining(Self.offWaitTime, tick: Self.tick)
    if waiting > 0, !isOn {
      access.countDown(Self.offWaitTime, min(waiting, wait), tick: Self.tick)
      return
    }
    try access.write(power.type, power.on)
    let total = max(time, access.remaining(Self.onTime, tick: Self.tick))
    access.hold(Self.offWaitTime, wait)
    if total < Self.forever {
      access.countDown(Self.onTime, total, tick: Self.tick)
    } else {
      access.hold(Self.onTime, total)
    }
  }
}
