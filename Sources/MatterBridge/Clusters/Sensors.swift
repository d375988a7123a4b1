import CMath
import HAPModel
import MatterModel
import MatterWire

/// The clusters of sensors. Matter 1.4 application clusters §1.7, §2.
extension ClusterTemplate {
  /// - Parameter trueValue: the value of the characteristic that the cluster shows as true.
  static func booleanState(_ type: TypeID, trueValue: Value) -> ClusterTemplate {
    ClusterTemplate(
      id: ClusterName.booleanState, revision: 1, needs: [type],
      attributes: [
        AttributeBinding(0, "true if x is \(trueValue.shown)", of: [type]) { access throws(InteractionStatus) in
          .bool(try access.value(type) == trueValue)
        }
      ],
      events: [
        EventBinding(of: type, [0]) { _, value in [(0, [Element(.context(0), .bool(value == trueValue))])] }
      ])
  }

  /// HAP does not say how presence is detected: a passive infrared sensor is the usual one.
  static func occupancy(_ type: TypeID) -> ClusterTemplate {
    let infrared: UInt32 = 2
    return ClusterTemplate(
      id: ClusterName.occupancy, revision: 5, needs: [type], features: { _ in infrared },
      attributes: [
        AttributeBinding(0, "0 if x is 0, else 1", of: [type]) { access throws(InteractionStatus) in
          .unsigned(try access.isTrue(type) ? 1 : 0)
        },
        .constant(1, .unsigned(0)), .constant(2, .unsigned(1)),
      ],
      events: [
        EventBinding(of: type, [0]) { _, value in
          [(0, [Element(.context(0), .unsigned(value.doubleValue ?? 0 != 0 ? 1 : 0))])]
        }
      ])
  }

  static let temperature = measurement(
    ClusterName.temperature, revision: 4, .currentTemperature, { "\($0) × 100" }, default: -273.15...327.67
  ) { .temperature($0) }

  static let humidity = measurement(
    ClusterName.humidity, revision: 3, .currentHumidity, { "\($0) × 100" }, default: 0...100
  ) {
    .unsigned(UInt64(nearest: $0 * 100, in: 0...10000))
  }

  static let illuminance = measurement(
    ClusterName.illuminance, revision: 3, .currentLight,
    { "10000 × log₁₀ of \($0) + 1\($0 == "x" ? "; 0 below 1 lux" : ", at least 1")" }, default: 1...3_576_000,
    limit: { .unsigned(max(1, Measurement.illuminance(lux: $0))) },
    convert: { .unsigned(Measurement.illuminance(lux: $0)) })

  /// A cluster with a measured value and its limits.
  /// - Parameter conversion: returns how a number is converted, for tables.
  private static func measurement(
    _ id: ClusterID, revision: UInt16, _ type: TypeID, _ conversion: (String) -> String,
    default range: ClosedRange<Double>,
    limit: (@Sendable (Double) -> Element.Value)? = nil, convert: @escaping @Sendable (Double) -> Element.Value
  ) -> ClusterTemplate {
    let limit = limit ?? convert
    return ClusterTemplate(
      id: id, revision: revision, needs: [type],
      attributes: [
        AttributeBinding(0, conversion("x"), of: [type]) { access throws(InteractionStatus) in
          try access.number(type).map(convert) ?? .null
        },
        AttributeBinding(1, conversion("the minimum of x"), about: [type]) { access throws(InteractionStatus) in
          limit(access.limits(type, default: range).lowerBound)
        },
        AttributeBinding(2, conversion("the maximum of x"), about: [type]) { access throws(InteractionStatus) in
          limit(access.limits(type, default: range).upperBound)
        },
      ])
  }
}

/// Conversions of measured values.
enum Measurement {
  /// 10000 × log₁₀(lux) + 1; 0: too dark to be measured. Matter 1.4 application clusters §2.2.5.1.
  static func illuminance(lux: Double) -> UInt64 {
    guard lux >= 1, lux.isFinite else { return lux > 1 ? 0xFFFE : 0 }
    return UInt64(nearest: 10000 * log10(lux) + 1, in: 0...0xFFFE)
  }
}
