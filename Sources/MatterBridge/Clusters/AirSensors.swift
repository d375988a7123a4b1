import HAPModel
import MatterModel
import MatterWire

/// Alarms and measurements of the air. Matter 1.4 application clusters §2.9-§2.11.
extension ClusterTemplate {
  static let smokeAlarm = alarm(.smokeDetected, feature: 1, state: 1, event: 0)
  static let monoxideAlarm = alarm(.monoxideDetected, feature: 2, state: 2, event: 1)

  private static let normal: UInt64 = 0
  private static let warning: UInt64 = 1
  private static let critical: UInt64 = 2

  /// - Parameters:
  ///   - state: the number of the attribute, and the expressed state of the alarm.
  ///   - event: of the alarm.
  private static func alarm(
    _ type: TypeID, feature: UInt32, state: UInt32, event: EventNumber
  ) -> ClusterTemplate {
    let allClear: EventNumber = 0x0A
    return ClusterTemplate(
      id: ClusterName.smokeAlarm, revision: 1, needs: [type], features: { _ in feature },
      attributes: [
        AttributeBinding(
          0, "\(state) if x is 1, else 3 if the battery is low, else 5 for a fault, else 0", of: [type],
          alsoOf: [.lowBattery, .statusFault]
        ) { access throws(InteractionStatus) in
          if try access.isTrue(type) { return .unsigned(UInt64(state)) }
          // A low battery, or a fault.
          if try access.isSet(.lowBattery) { return .unsigned(3) }
          return .unsigned(try access.isSet(.statusFault) ? 5 : 0)
        },
        AttributeBinding(state, "2 if x is 1, else 0", of: [type]) { access throws(InteractionStatus) in
          .unsigned(try access.isTrue(type) ? critical : normal)
        },
        AttributeBinding(3, "1 if x is 1, else 0", alsoOf: [.lowBattery]) { access throws(InteractionStatus) in
          .unsigned(try access.isSet(.lowBattery) ? warning : normal)
        },
        .constant(5, .bool(false)),
        AttributeBinding(6, "true if x is 1", alsoOf: [.statusFault]) { access throws(InteractionStatus) in
          .bool(try access.isSet(.statusFault))
        },
        .constant(7, .unsigned(0)),
      ],
      events: [
        EventBinding(of: type, [event], .critical) { _, value in
          value.doubleValue != 0 ? [(event, [Element(.context(0), .unsigned(critical))])] : []
        },
        EventBinding(of: type, [allClear]) { _, value in value.doubleValue != 0 ? [] : [(allClear, [])] },
        EventBinding(of: .lowBattery, [2]) { _, value in
          value.doubleValue != 0 ? [(2, [Element(.context(0), .unsigned(warning))])] : []
        },
        EventBinding(of: .statusFault, [3]) { _, value in value.doubleValue != 0 ? [(3, [])] : [] },
      ],
      // LowBattery, HardwareFault, EndOfService and SelfTestComplete.
      idleEvents: [2, 3, 4, 5])
  }

  /// HAP's words from excellent to poor are Matter's from good to very poor.
  static let airQuality = ClusterTemplate(
    id: ClusterName.airQuality, revision: 1, needs: [.airQuality], features: { _ in 0x07 },
    attributes: [
      AttributeBinding(0, "x", of: [.airQuality]) { access throws(InteractionStatus) in
        .unsigned(UInt64(nearest: try access.number(.airQuality) ?? 0, in: 0...5))
      }
    ])

  /// The air quality of a sensor that only knows whether there is too much carbon dioxide: good or poor.
  static let dioxideQuality = ClusterTemplate(
    id: ClusterName.airQuality, revision: 1, needs: [.dioxideDetected], features: { _ in 0x07 },
    attributes: [
      AttributeBinding(0, "4 (poor) if x is 1, else 1 (good)", of: [.dioxideDetected]) {
        access throws(InteractionStatus) in
        .unsigned(try access.isTrue(.dioxideDetected) ? 4 : 1)
      }
    ])

  /// The units of MeasurementUnit.
  enum ConcentrationUnit: UInt64 {
    case partsPerMillion = 0
    case microgramsPerCubicMetre = 4
  }

  static let airConcentrations: [ClusterTemplate] = [
    concentration(0x042A, CharacteristicDefinition.pm2_5Density.type, .microgramsPerCubicMetre),
    concentration(0x042D, CharacteristicDefinition.pm10Density.type, .microgramsPerCubicMetre),
    concentration(0x0413, CharacteristicDefinition.nitrogenDioxideDensity.type, .microgramsPerCubicMetre),
    concentration(0x0415, CharacteristicDefinition.ozoneDensity.type, .microgramsPerCubicMetre),
    concentration(0x042E, CharacteristicDefinition.vocDensity.type, .microgramsPerCubicMetre),
    monoxide, dioxide,
  ]
  static let monoxide = concentration(
    0x040C, CharacteristicDefinition.carbonMonoxideLevel.type, .partsPerMillion)
  static let dioxide = concentration(0x040D, CharacteristicDefinition.carbonDioxideLevel.type, .partsPerMillion)

  private static func concentration(_ id: ClusterID, _ type: TypeID, _ unit: ConcentrationUnit) -> ClusterTemplate {
    let usual = 0.0...100_000.0
    return ClusterTemplate(
      id: id, revision: 3, needs: [type], features: { _ in 1 },
      attributes: [
        AttributeBinding(0, "x", of: [type]) { access throws(InteractionStatus) in
          try access.number(type).map { .single(Float($0)) } ?? .null
        },
        AttributeBinding(1, "the minimum of x", about: [type]) { access throws(InteractionStatus) in
          .single(Float(access.limits(type, default: usual).lowerBound))
        },
        AttributeBinding(2, "the maximum of x", about: [type]) { access throws(InteractionStatus) in
          .single(Float(access.limits(type, default: usual).upperBound))
        },
        .constant(8, .unsigned(unit.rawValue)),
        // The medium is air.
        .constant(9, .unsigned(0)),
      ])
  }
}

extension ClusterAccess {
  /// Returns whether the service has a characteristic, and its value is not 0.
  func isSet(_ type: TypeID) throws(InteractionStatus) -> Bool { has(type) ? try isTrue(type) : false }
}
