import Foundation
import HAPModel
import MatterModel
import MatterWire

@testable import MatterBridge

/// The rules of thermostats, sensors, and the rest.
extension SideRule {
  private static func hundredths(_ number: Double) -> Element.Value { .signed(Int64((number * 100).rounded())) }

  /// A mode of a thermostat for each target state that the service allows, and the modes that it does not.
  private static func mode(_ modes: [Int: Int64]) -> SideChange {
    SideChange(
      way: .write(isSigned: false),
      values: { place in
        let allowed = Set(place.characteristic.sampleNumbers.compactMap { modes[Int($0)] })
        return (allowed.sorted() + allowed.sorted().prefix(1), (0...10).filter { !allowed.contains($0) })
      }, number: { mode, _ in Double(modes.first { $0.value == mode }?.key ?? -1) })
  }

  /// A setpoint within the limits of all its characteristics.
  private static func setpoint(_ types: TypeID...) -> SideChange {
    SideChange(
      way: .write(isSigned: true),
      values: SideChange.range { place in
        let limits = types.filter(place.has).map { place.limits($0, else: 7...35) }
        let low = (limits.map(\.lowerBound).max() ?? 7) * 100
        return Int64(low.rounded())...Int64(((limits.map(\.upperBound).min() ?? 35) * 100).rounded())
      }, number: { setpoint, _ in Double(setpoint) / 100 }, loss: 100)
  }

  static let thermostats: [SideRule] = [
    SideRule(0x201, 0, of: .currentTemperature) { number, _ in hundredths(number) },
    SideRule(
      0x201, 0x1C, of: .targetHeatingCooling, change: mode([0: 0, 1: 4, 2: 3, 3: 1]),
      shown: map([0: 0, 1: 4, 2: 3, 3: 1])),
    SideRule(
      0x201, 0x1C, of: .targetHeaterCooler, prepare: [(.active, 1)], change: heaterMode,
      shown: map([0: 1, 1: 4, 2: 3])),
    SideRule(
      0x201, 0x12, of: .targetTemperature, prepare: [(.targetHeatingCooling, 1)],
      change: setpoint(.targetTemperature, .heatingThreshold)
    ) { number, _ in hundredths(number) },
    SideRule(
      0x201, 0x11, of: .targetTemperature, prepare: [(.targetHeatingCooling, 2)],
      change: setpoint(.targetTemperature, .coolingThreshold)
    ) { number, _ in hundredths(number) },
    SideRule(0x201, 0x12, of: .heatingThreshold, change: setpoint(.heatingThreshold)) { number, _ in
      hundredths(number)
    },
    SideRule(0x201, 0x11, of: .coolingThreshold, change: setpoint(.coolingThreshold)) { number, _ in
      hundredths(number)
    },
    SideRule(0x201, 0x29, of: .currentHeatingCooling, shown: map([0: 0, 1: 1, 2: 2])),
    SideRule(0x201, 0x29, of: .currentHeaterCooler, shown: map([2: 1, 3: 2], else: 0)),
    SideRule(0x201, 0x1E, of: .currentHeatingCooling, shown: map([0: 0, 1: 4, 2: 3])),
    SideRule(0x201, 0x1E, of: .currentHeaterCooler, shown: map([2: 4, 3: 3], else: 0)),
    SideRule(0x204, 0, of: .displayUnits, change: flag, shown: map([0: 0, 1: 1])),
    SideRule(
      0x204, 1, of: .lockControls,
      change: SideChange(
        way: .write(isSigned: false), values: SideChange.values([1, 0, 5], refused: [6, 255]),
        // There is only one lockout.
        number: { level, _ in level == 0 ? 0 : 1 }, loss: 4), shown: map([0: 0, 1: 1])),
  ]

  /// The mode 0 turns it off, and leaves the target: ThermostatTests.
  private static let heaterMode: SideChange = {
    let all = mode([0: 1, 1: 4, 2: 3])
    return SideChange(
      way: all.way,
      values: { place in
        let values = all.values(place)
        return (values.accepted, values.refused.filter { $0 != 0 })
      }, number: all.number)
  }()

  // MARK: Sensors

  static let sensors: [SideRule] = [
    SideRule(0x45, 0, of: .contactState) { number, _ in .bool(number == 0) },
    SideRule(0x45, 0, of: .leakDetected) { number, _ in .bool(number == 1) },
    SideRule(0x406, 0, of: .motionDetected, .occupancyDetected, shown: map([0: 0, 1: 1])),
    SideRule(0x402, 0, of: .currentTemperature) { number, _ in hundredths(number) },
    SideRule(0x405, 0, of: .currentHumidity) { number, _ in .unsigned(UInt64((number * 100).rounded())) },
    SideRule(0x400, 0, of: .currentLight) { number, _ in
      .unsigned(number < 1 ? 0 : UInt64((10000 * log10(number) + 1).rounded()))
    },
    SideRule(0x5C, 0, of: .smokeDetected, prepare: [(.lowBattery, 0), (.statusFault, 0)], shown: map([0: 0, 1: 1])),
    SideRule(
      0x5C, 0, of: .monoxideDetected, prepare: [(.lowBattery, 0), (.statusFault, 0)], shown: map([0: 0, 1: 2])),
    SideRule(0x5C, 1, of: .smokeDetected, shown: map([0: 0, 1: 2])),
    SideRule(0x5C, 2, of: .monoxideDetected, shown: map([0: 0, 1: 2])),
    SideRule(0x5C, 3, of: .lowBattery, shown: map([0: 0, 1: 1])),
    SideRule(0x5C, 6, of: .statusFault) { number, _ in .bool(number != 0) },
    SideRule(0x5B, 0, of: .airQuality) { number, _ in .unsigned(UInt64(number)) },
    SideRule(0x5B, 0, of: .dioxideDetected, shown: map([0: 1, 1: 4])),
    concentration(0x40C, CharacteristicDefinition.carbonMonoxideLevel),
    concentration(0x40D, CharacteristicDefinition.carbonDioxideLevel),
    concentration(0x413, CharacteristicDefinition.nitrogenDioxideDensity),
    concentration(0x415, CharacteristicDefinition.ozoneDensity),
    concentration(0x42A, CharacteristicDefinition.pm2_5Density),
    concentration(0x42D, CharacteristicDefinition.pm10Density),
    concentration(0x42E, CharacteristicDefinition.vocDensity),
  ]

  private static func concentration(_ cluster: ClusterID, _ definition: CharacteristicDefinition) -> SideRule {
    SideRule(cluster, 0, of: definition.type) { number, _ in .single(Float(number)) }
  }

  static let others: [SideRule] = [
    SideRule(0x2F, 0x0C, of: .batteryLevel) { number, _ in .unsigned(UInt64((number * 2).rounded())) },
    SideRule(0x2F, 0x0E, of: .lowBattery) { number, place in
      if number == 0 { return .unsigned(UInt64(0)) }
      return .unsigned(UInt64(place.number(.batteryLevel).map { $0 <= 5 } == true ? 2 : 1))
    },
    SideRule(
      0x506, 0, of: .currentMediaState,
      change: SideChange(
        way: .commands([0: 0, 1: 1, 2: 2]), target: .targetMediaState, values: SideChange.values([1, 0, 2]),
        number: { state, _ in Double(state) }), shown: map([0: 0, 1: 1, 4: 3], else: 2)),
  ]
}
