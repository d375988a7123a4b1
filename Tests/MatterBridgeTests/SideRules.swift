import HAPModel
import MatterModel
import MatterWire

@testable import MatterBridge

/// The rules of all clusters of Matter.
extension SideRule {
  static let all: [SideRule] = lights + locks + coverings + thermostats + fans + valves + sensors + others

  /// Attributes that no rule is for, with the tests that check them.
  static let elsewhere: [ClusterID: Set<AttributeNumber>] = [
    // ColourTests and DerivedSidesTests: they are computed of several values, or set by commands.
    0x300: [3, 4, 7, 8, 0x4001, 0x400B, 0x400C, 0x400D],
    // DerivedSidesTests: the limits of a thermostat. RowTests: a stored keypad lockout.
    0x201: [3, 4, 5, 6, 0x15, 0x16, 0x17, 0x18], 0x204: [1],
    // DerivedSidesTests: the limits of a measurement.
    0x400: [1, 2], 0x402: [1, 2], 0x405: [1, 2], 0x40C: [1, 2], 0x40D: [1, 2], 0x413: [1, 2], 0x415: [1, 2],
    0x42A: [1, 2], 0x42D: [1, 2], 0x42E: [1, 2],
    // BridgeTests, RowTests, LightTests: texts that do not change, and a time that the node counts.
    0x39: [1, 3, 5, 0x0A, 0x0F], 0x1D: [4], 0x03: [0],
  ]

  static func bool(_ isTrue: Bool) -> Element.Value { .bool(isTrue) }
  static func unsigned(_ number: Double) -> Element.Value { .unsigned(UInt64(number.rounded())) }

  /// A number for each number of the characteristic; null for others.
  static func map(_ numbers: [Int: UInt64], else other: UInt64? = nil)
    -> @Sendable (Double, SidePlace) -> Element.Value
  {
    { number, _ in (numbers[Int(number)] ?? other).map { .unsigned($0) } ?? .null }
  }

  // MARK: Lights, plugs and loudspeakers

  /// Commands of lights count also while it is off.
  private static let always: [Element.Value] = [.unsigned(UInt64(1)), .unsigned(UInt64(1))]
  private static let noTime = Element.Value.unsigned(UInt64(0))

  private static let lights: [SideRule] = [
    SideRule(6, 0, of: .on, change: power { Double($0) }) { number, _ in bool(number != 0) },
    SideRule(6, 0, of: .mute, change: power { Double(1 - $0) }) { number, _ in bool(number == 0) },
    SideRule(6, 0, of: .active, change: power { Double($0) }) { number, _ in bool(number != 0) },
    SideRule(
      8, 0, of: .brightness, .volume,
      change: SideChange(
        way: .command(0, others: [.null] + always), values: SideChange.range { _ in 0...254 },
        number: { level, _ in max(1, (Double(level) * 100 / 254).rounded()) }, loss: 2.54, least: 1)
    ) { number, _ in .unsigned(UInt64(min(max((number * 254 / 100).rounded(), 1), 254))) },
    SideRule(
      0x300, 0, of: .hue,
      change: SideChange(
        way: .command(0, others: [noTime, noTime] + always), values: SideChange.range { _ in 0...254 },
        number: { hue, _ in Double(hue) * 360 / 254 }, loss: 254 / 360.0)
    ) { number, _ in unsigned(number * 254 / 360) },
    SideRule(
      0x300, 1, of: .saturation,
      change: SideChange(
        way: .command(3, others: [noTime] + always), values: SideChange.range { _ in 0...254 },
        number: { saturation, _ in Double(saturation) * 100 / 254 }, loss: 2.54)
    ) { number, _ in unsigned(number * 254 / 100) },
    SideRule(
      0x300, 7, of: .colourTemperature,
      change: SideChange(
        way: .command(0x0A, others: [noTime] + always), values: SideChange.range { _ in 0...65279 },
        number: { mireds, _ in Double(mireds) }, loss: 1)
    ) { number, _ in unsigned(number) },
  ]

  private static func power(_ number: @escaping @Sendable (Int64) -> Double) -> SideChange {
    SideChange(way: .commands([0: 0, 1: 1]), values: SideChange.values([1, 0, 1])) { value, _ in number(value) }
  }

  // MARK: Locks and coverings

  private static let locks: [SideRule] = [
    SideRule(
      0x101, 0, of: .lockCurrentState,
      change: SideChange(
        way: .commands([1: 0, 2: 1]), target: .lockTargetState, values: SideChange.values([2, 1, 2]),
        number: { state, _ in state == 1 ? 1 : 0 }), shown: map([0: 2, 1: 1, 2: 0]))
  ]

  private static func closed(angle: Double) -> Double { ((angle + 90) * 10000 / 180).rounded() }
  private static let currentTilts = (CoveringCluster.horizontal.currentTilt, CoveringCluster.slat.currentTilt)
  private static let targetTilts = (CoveringCluster.horizontal.targetTilt, CoveringCluster.slat.targetTilt)

  private static let coverings: [SideRule] = [
    SideRule(0x102, 8, of: .currentPosition) { number, _ in unsigned(100 - number) },
    SideRule(0x102, 0x0E, of: .currentPosition) { number, _ in unsigned(10000 - number * 100) },
    SideRule(
      0x102, 0x0B, of: .targetPosition,
      change: SideChange(
        way: .command(5), values: SideChange.range { _ in 0...10000 },
        number: { closed, _ in 100 - Double(closed) / 100 }, loss: 100)
    ) { number, _ in unsigned(10000 - number * 100) },
    SideRule(0x102, 9, of: currentTilts.0, currentTilts.1) { number, _ in
      .unsigned(UInt64(closed(angle: number)) / 100)
    },
    SideRule(0x102, 0x0F, of: currentTilts.0, currentTilts.1) { number, _ in unsigned(closed(angle: number)) },
    SideRule(
      0x102, 0x0C, of: targetTilts.0, targetTilts.1,
      change: SideChange(
        way: .command(8), values: SideChange.range { _ in 0...10000 },
        number: { closed, _ in Double(closed) * 180 / 10000 - 90 }, loss: 10000 / 180.0)
    ) { number, _ in unsigned(closed(angle: number)) },
    SideRule(0x102, 0x0A, of: .positionState, shown: map([0: 10, 1: 5], else: 0)),
    SideRule(0x102, 0x0A, of: .currentDoorState, shown: map([2: 5, 3: 10], else: 0)),
    SideRule(0x102, 0x0E, of: .currentDoorState, shown: map([0: 0, 1: 10000])),
    SideRule(
      0x102, 0x0B, of: .targetDoorState,
      change: SideChange(
        way: .command(5), values: SideChange.range { _ in 0...10000 },
        // A door is open or closed, so a read position differs by up to half of the way.
        number: { closed, _ in closed > 5000 ? 1 : 0 }, loss: 5000), shown: map([0: 0, 1: 10000])),
  ]

  // MARK: Fans and valves

  private static let manual: [(TypeID, Value)] = [
    (.on, true), (.active, 1), (.targetFanState, 0), (.targetAirPurifier, 0),
  ]

  private static let fans: [SideRule] = [
    SideRule(
      0x202, 0, of: .rotationSpeed, prepare: manual,
      change: SideChange(
        way: .write(isSigned: false), values: SideChange.values([3, 1, 2], refused: [7, 255]),
        number: { mode, _ in mode == 1 ? 33 : mode == 2 ? 66 : 100 })
    ) { number, _ in .unsigned(UInt64(number <= 33 ? 1 : number <= 66 ? 2 : 3)) },
    SideRule(0x202, 0, of: .on, .active, change: plainFan, shown: map([0: 0, 1: 3])),
    SideRule(
      0x202, 2, of: .rotationSpeed, prepare: manual,
      change: SideChange(
        way: .write(isSigned: false), values: SideChange.values([1, 100, 50, 99, 2], refused: [101, 255]),
        number: { percent, _ in Double(percent) }, loss: 1)
    ) { number, _ in unsigned(number) },
    SideRule(0x202, 3, of: .rotationSpeed, prepare: manual) { number, _ in unsigned(number) },
    SideRule(0x202, 2, of: .on, .active) { number, _ in unsigned(number * 100) },
    SideRule(0x202, 3, of: .on, .active) { number, _ in unsigned(number * 100) },
    SideRule(0x202, 8, of: .swingMode, change: flag, shown: map([0: 0, 1: 1])),
    SideRule(0x202, 0x0B, of: .rotationDirection, change: flag, shown: map([0: 0, 1: 1])),
    SideRule(0x71, 0, of: .filterLife) { number, _ in unsigned(number) },
    SideRule(0x71, 2, of: .filterChange, shown: map([0: 0, 1: 2])),
  ]

  /// A fan without speeds knows only off and high.
  private static let plainFan = SideChange(
    way: .write(isSigned: false), values: SideChange.values([3, 0, 3], refused: [1, 2, 7]),
    number: { mode, _ in mode == 0 ? 0 : 1 })

  /// 0 or 1.
  static let flag = SideChange(
    way: .write(isSigned: false), values: SideChange.values([1, 0, 1], refused: [2, 255]),
    number: { value, _ in Double(value) })

  private static let valves: [SideRule] = [
    SideRule(0x81, 0, of: .setDuration, prepare: [(.active, 1)]) { number, _ in
      number == 0 ? .null : unsigned(number)
    },
    SideRule(
      0x81, 1, of: .setDuration,
      change: SideChange(
        way: .write(isSigned: false),
        values: SideChange.range { 1...Int64($0.limits(.setDuration, else: 0...3600).upperBound) },
        number: { seconds, _ in Double(seconds) })
    ) { number, _ in number == 0 ? .null : unsigned(number) },
    SideRule(0x81, 3, of: .remainingDuration, prepare: [(.active, 1)]) { number, _ in
      number == 0 ? .null : unsigned(number)
    },
    SideRule(0x81, 4, of: .inUse, prepare: [(.active, 1)], shown: map([0: 2, 1: 1])),
    SideRule(0x81, 5, of: .inUse, prepare: [(.active, 1)], shown: map([0: 1])),
    // Without a duration, it has no end.
    SideRule(0x81, 0, of: .active) { _, _ in .null }, SideRule(0x81, 3, of: .active) { _, _ in .null },
  ]
}
