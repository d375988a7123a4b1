import HAPModel
import MatterModel
import MatterWire

/// A thermostat. Matter 1.4 application clusters §4.3.
struct ThermostatCluster: Sendable {
  enum Feature {
    static let heating: UInt32 = 0x01
    static let cooling: UInt32 = 0x02
    static let auto: UInt32 = 0x20
  }

  /// A value of SystemMode with the value of the target state.
  struct Mode: Sendable {
    let number: UInt64
    let target: Int

    static let off: UInt64 = 0
    static let auto: UInt64 = 1
    static let cool: UInt64 = 3
    static let heat: UInt64 = 4
  }

  /// The characteristic that turns it off; nil: a value of the target state does.
  let power: PowerCharacteristic?
  let target: TypeID
  let modes: [Mode]
  let current: TypeID
  /// The values of the current state.
  let heats: Value
  let cools: Value
  /// The only temperature to reach, outside of the mode auto; nil: always the thresholds.
  let single: TypeID?

  static let thermostat = ThermostatCluster(
    power: nil, target: .targetHeatingCooling,
    modes: [
      Mode(number: Mode.off, target: 0), Mode(number: Mode.heat, target: 1), Mode(number: Mode.cool, target: 2),
      Mode(number: Mode.auto, target: 3),
    ],
    current: .currentHeatingCooling, heats: 1, cools: 2, single: .targetTemperature)

  static let heaterCooler = ThermostatCluster(
    power: .active, target: .targetHeaterCooler,
    modes: [
      Mode(number: Mode.auto, target: 0), Mode(number: Mode.heat, target: 1), Mode(number: Mode.cool, target: 2),
    ],
    current: .currentHeaterCooler, heats: 2, cools: 3, single: nil)

  private static let usualLimits = 7.0...35.0
  private static let temperatures = Int64(-27315)...Int64(32767)
  private static let minimumDeadBand: AttributeNumber = 0x19
  private static let systemMode: AttributeNumber = 0x1C

  var template: ClusterTemplate {
    ClusterTemplate(
      id: ClusterName.thermostat, revision: 8, needs: [target, current, .currentTemperature], features: features,
      attributes: stateAttributes + setpointAttributes(.heating) + setpointAttributes(.cooling),
      commands: [
        CommandBinding(0) { access, fields throws(InteractionStatus) in try raiseOrLower(access, fields) }
      ])
  }

  /// The modes that the target state accepts. A thermostat must heat or cool.
  private func features(_ service: ServiceView) -> UInt32? {
    func accepts(_ system: UInt64) -> Bool {
      guard let mode = modes.first(where: { $0.number == system }) else { return false }
      return service.characteristics.contains { $0.type == target && $0.allows(.integer(Int128(mode.target))) }
    }
    func has(_ side: Side) -> Bool { accepts(side.mode) && (single != nil || service.has(side.threshold)) }
    var features: UInt32 = 0
    if has(.heating) { features |= Feature.heating }
    if has(.cooling) { features |= Feature.cooling }
    if features == Feature.heating | Feature.cooling, accepts(Mode.auto) { features |= Feature.auto }
    return features == 0 ? nil : features
  }

  // MARK: The mode

  private func mode(_ access: ClusterAccess) throws(InteractionStatus) -> UInt64 {
    if let power, try access.value(power.type) != power.on { return Mode.off }
    let value = try access.value(target).intValue
    return modes.first { $0.target == value }?.number ?? Mode.off
  }

  private func setMode(_ access: ClusterAccess, _ value: Element.Value) throws(InteractionStatus) {
    let system = try value.unsigned(in: 0...9)
    if let power, system == Mode.off { return try access.write(power.type, power.off) }
    guard let mode = modes.first(where: { $0.number == system }),
      access.characteristic(target)?.allows(.integer(Int128(mode.target))) == true
    else { throw InteractionStatus(.constraintError) }
    let start = power.map { [($0.type, $0.on)] } ?? []
    try access.write(start + [(target, .integer(Int128(mode.target)))])
  }

  /// Such as "0 is 0, 1 is 4", and "0 if Active is 0" for a device with a characteristic that turns it off.
  private var modeText: String {
    let states = modes.map { "\($0.target) is \($0.number)" }.joined(separator: ", ")
    return power.map { "0 unless \($0.condition); \(target.shown) \(states)" } ?? states
  }

  private var stateAttributes: [AttributeBinding] {
    let stateTypes = power.map { [target, $0.type] } ?? [target]
    return [
      AttributeBinding(0, "x × 100", of: [.currentTemperature]) { access throws(InteractionStatus) in
        try access.number(.currentTemperature).map { .temperature($0) } ?? .null
      },
      .constant(Self.minimumDeadBand, .signed(0), features: Feature.auto),
      // The sequence follows from the features, so it can only be written as it is.
      AttributeBinding(
        0x1B, nil, writePrivilege: .manage,
        write: { access, value throws(InteractionStatus) in
          guard try value.unsigned(in: 0...5) == sequence(access) else { throw InteractionStatus(.constraintError) }
        },
        read: { access throws(InteractionStatus) in .unsigned(sequence(access)) }),
      AttributeBinding(
        Self.systemMode, modeText, of: stateTypes, writing: stateTypes, writePrivilege: .manage,
        write: { access, value throws(InteractionStatus) in try setMode(access, value) },
        read: { access throws(InteractionStatus) in .unsigned(try mode(access)) }),
      AttributeBinding(
        0x1E, "4 if x is \(heats.shown) (heating), 3 if x is \(cools.shown) (cooling), else 0", of: [current],
        features: Feature.auto
      ) { access throws(InteractionStatus) in
        let state = try access.value(current)
        return .unsigned(state == heats ? Mode.heat : state == cools ? Mode.cool : Mode.off)
      },
      AttributeBinding(
        0x29, "1 if x is \(heats.shown) (heating), 2 if x is \(cools.shown) (cooling), else 0", of: [current]
      ) { access throws(InteractionStatus) in
        let state = try access.value(current)
        return .unsigned(state == heats ? 1 : state == cools ? 2 : 0)
      },
    ]
  }

  /// 0 cooling only, 2 heating only, 4 both.
  private func sequence(_ access: ClusterAccess) -> UInt64 {
    switch access.cluster.shape.description.features & (Feature.heating | Feature.cooling) {
    case Feature.heating: 2
    case Feature.cooling: 0
    default: 4
    }
  }

  // MARK: Setpoints

  /// Heating or cooling.
  private struct Side: Sendable {
    let feature: UInt32
    let mode: UInt64
    let threshold: TypeID
    let setpoint: AttributeNumber
    /// Of the limits of the device; the maximum follows.
    let absoluteMinimum: AttributeNumber
    /// Of the limits that can be written; the maximum follows.
    let minimum: AttributeNumber

    static let heating = Side(
      feature: Feature.heating, mode: Mode.heat, threshold: .heatingThreshold, setpoint: 0x12, absoluteMinimum: 3,
      minimum: 0x15)
    static let cooling = Side(
      feature: Feature.cooling, mode: Mode.cool, threshold: .coolingThreshold, setpoint: 0x11, absoluteMinimum: 5,
      minimum: 0x17)
  }

  /// The characteristic of a setpoint: the thresholds count in auto, and for the side that is not active.
  private func type(_ side: Side, _ access: ClusterAccess) throws(InteractionStatus) -> TypeID {
    guard let single else { return side.threshold }
    guard access.has(side.threshold) else { return single }
    let mode = try mode(access)
    // While it is off, TargetTemperature is the setpoint for heating, or that for cooling if it can't heat.
    let canHeat = access.cluster.shape.description.features & Feature.heating != 0
    let off = canHeat ? Side.heating.mode : Side.cooling.mode
    return (mode == Mode.off ? off : mode) == side.mode ? single : side.threshold
  }

  private func setpointAttributes(_ side: Side) -> [AttributeBinding] {
    let types = [target, side.threshold] + (single.map { [$0] } ?? []) + (power.map { [$0.type] } ?? [])
    return [
      AttributeBinding(
        side.setpoint, setpointText(side), alsoOf: types, features: side.feature,
        write: { access, value throws(InteractionStatus) in
          let number = try value.signed(in: Self.temperatures)
          guard limits(side, access).contains(number) else { throw InteractionStatus(.constraintError) }
          try set(side, number, access)
        },
        read: { access throws(InteractionStatus) in
          try access.number(try type(side, access)).map { .temperature($0) } ?? .null
        }),
      AttributeBinding(
        side.absoluteMinimum, "the highest minimum × 100, without one 700", about: limitTypes(side),
        features: side.feature
      ) { access throws(InteractionStatus) in
        .signed(deviceLimits(side, access).lowerBound)
      },
      AttributeBinding(
        side.absoluteMinimum + 1, "the lowest maximum × 100, without one 3500", about: limitTypes(side),
        features: side.feature
      ) { access throws(InteractionStatus) in
        .signed(deviceLimits(side, access).upperBound)
      },
      limit(side, side.minimum) { limits, number in number <= limits.upperBound },
      limit(side, side.minimum + 1) { limits, number in number >= limits.lowerBound },
    ]
  }

  /// A limit that can be set within those of the device, and not beyond the other one.
  private func limit(
    _ side: Side, _ number: AttributeNumber,
    _ isAllowed: @escaping @Sendable (ClosedRange<Int64>, Int64) -> Bool
  ) -> AttributeBinding {
    AttributeBinding(
      number, "stored by the node, at first the limit of the device", about: limitTypes(side), features: side.feature,
      writePrivilege: .manage,
      write: { access, value throws(InteractionStatus) in
        let new = try value.signed(in: Self.temperatures)
        guard deviceLimits(side, access).contains(new), isAllowed(limits(side, access), new) else {
          throw InteractionStatus(.constraintError)
        }
        access.store(number, .signed(new))
      },
      read: { access throws(InteractionStatus) in
        let limits = limits(side, access)
        return .signed(number == side.minimum ? limits.lowerBound : limits.upperBound)
      })
  }

  private func limitTypes(_ side: Side) -> [TypeID] { [single, side.threshold].compactMap { $0 } }

  private func setpointText(_ side: Side) -> String {
    guard let single else { return "\(side.threshold.shown) × 100" }
    let modes = side.mode == Mode.heat ? "the modes heat and off" : "the mode cool"
    return "\(single.shown) × 100 in \(modes), else \(side.threshold.shown) × 100 if the service has it"
  }

  /// In hundredths of a degree. Both characteristics of the side must accept them.
  private func deviceLimits(_ side: Side, _ access: ClusterAccess) -> ClosedRange<Int64> {
    let types = limitTypes(side).filter { access.has($0) }
    let ranges = types.map { access.limits($0, default: Self.usualLimits) }
    let low = ranges.map(\.lowerBound).max() ?? Self.usualLimits.lowerBound
    let high = ranges.map(\.upperBound).min() ?? Self.usualLimits.upperBound
    let least = Int64(nearest: low * 100, in: Self.temperatures)
    return least...max(least, Int64(nearest: high * 100, in: Self.temperatures))
  }

  private func limits(_ side: Side, _ access: ClusterAccess) -> ClosedRange<Int64> {
    let device = deviceLimits(side, access)
    func stored(_ number: AttributeNumber, _ usual: Int64) -> Int64 {
      guard case .signed(let stored)? = access.stored(number) else { return usual }
      return min(max(stored, device.lowerBound), device.upperBound)
    }
    let low = stored(side.minimum, device.lowerBound)
    return low...max(low, stored(side.minimum + 1, device.upperBound))
  }

  /// Sets a setpoint. In auto, the other one moves if they would cross.
  private func set(_ side: Side, _ number: Int64, _ access: ClusterAccess) throws(InteractionStatus) {
    let (type, degrees) = (try type(side, access), Double(number) / 100)
    var writes = [(type: type, value: access.fitted(degrees, type))]
    let other = side.mode == Mode.heat ? Side.cooling : Side.heating
    let otherType = try self.type(other, access)
    if access.cluster.shape.description.features & Feature.auto != 0, otherType != type,
      let opposite = try access.number(otherType), side.mode == Mode.heat ? opposite < degrees : opposite > degrees
    {
      writes.append((otherType, access.fitted(degrees, otherType)))
    }
    try access.write(writes)
  }

  /// SetpointRaiseLower: mode 0 heating, 1 cooling, 2 both; the amount is in tenths of a degree.
  private func raiseOrLower(_ access: ClusterAccess, _ fields: CommandFields) throws(InteractionStatus) {
    let mode = try fields.choice(0, [0, 1, 2])
    let amount = try fields.signed(1, Int64(Int8.min)...Int64(Int8.max)) * 10
    let features = access.cluster.shape.description.features
    let sides = [Side.heating, .cooling].filter { $0.feature & features != 0 }
    let chosen = sides.filter { mode == 2 || ($0.mode == Mode.heat) == (mode == 0) }
    guard !chosen.isEmpty else { throw InteractionStatus(.invalidCommand) }
    for side in chosen {
      let limits = limits(side, access)
      let now = Int64(nearest: (try access.number(try type(side, access)) ?? 0) * 100, in: Self.temperatures)
      try set(side, min(max(now + amount, limits.lowerBound), limits.upperBound), access)
      // With one temperature for both, it moves once.
      if try type(.heating, access) == type(.cooling, access) { return }
    }
  }
}

extension Element.Value {
  /// Hundredths of a degree Celsius.
  static func temperature(_ degrees: Double) -> Element.Value {
    .signed(Int64(nearest: degrees * 100, in: -27315...32767))
  }
}
