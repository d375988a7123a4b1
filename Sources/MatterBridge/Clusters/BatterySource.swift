import HAPModel
import MatterModel
import MatterWire

extension ClusterTemplate {
  /// The battery of an accessory. Matter 1.4 §11.7.
  static let battery = ClusterTemplate(
    id: ClusterName.powerSource, revision: 3, needs: [.lowBattery], features: { _ in batteryFeature },
    attributes: [
      .constant(0, .unsigned(1)), .constant(1, .unsigned(0)), .constant(2, .text("Battery")),
      AttributeBinding(0x0C, "x × 2", of: [.batteryLevel], features: batteryFeature) {
        access throws(InteractionStatus) in
        try access.number(.batteryLevel).map { .unsigned(UInt64(nearest: $0 * 2, in: 0...200)) } ?? .null
      },
      AttributeBinding(
        0x0E, "0 if x is 0; else 2 if BatteryLevel is at most 5, else 1", of: [.lowBattery], alsoOf: [.batteryLevel],
        features: batteryFeature
      ) { access throws(InteractionStatus) in .unsigned(try chargeLevel(access)) },
      .constant(0x0F, .bool(false), features: batteryFeature),
      .constant(0x10, .unsigned(0), features: batteryFeature),
      .fixed(0x1F) { access throws(InteractionStatus) in .numbers(access.endpoint.plan.powered) },
    ])

  private static let batteryFeature: UInt32 = 2
  /// In percent.
  private static let criticalLevel = 5.0

  /// 0 OK, 1 warning, 2 critical.
  private static func chargeLevel(_ access: ClusterAccess) throws(InteractionStatus) -> UInt64 {
    guard try access.isTrue(.lowBattery) else { return 0 }
    guard access.has(.batteryLevel), let level = try access.number(.batteryLevel) else { return 1 }
    return level <= criticalLevel ? 2 : 1
  }
}
