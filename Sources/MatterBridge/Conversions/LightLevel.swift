/// Conversions between the percentages and angles of HAP and the bytes of Matter. Matter 1.4 application clusters §1.6,
/// §3.2.
enum LightLevel {
  static let range: ClosedRange<UInt64> = 1...254

  /// - Parameter brightness: 0...100 %.
  static func level(brightness: Double) -> UInt64 {
    UInt64(nearest: brightness * 254 / 100, in: range)
  }

  /// - Parameter level: 1...254.
  /// - Returns: 1...100 %.
  static func brightness(level: UInt64) -> Double { max(1, (Double(level) * 100 / 254).rounded()) }

  /// - Parameter degrees: 0...360.
  static func hue(degrees: Double) -> UInt64 { UInt64(nearest: degrees * 254 / 360, in: 0...254) }
  static func degrees(hue: UInt64) -> Double { Double(hue) * 360 / 254 }

  /// - Parameter percent: 0...100.
  static func saturation(percent: Double) -> UInt64 { UInt64(nearest: percent * 254 / 100, in: 0...254) }
  static func percent(saturation: UInt64) -> Double { Double(saturation) * 100 / 254 }
}
