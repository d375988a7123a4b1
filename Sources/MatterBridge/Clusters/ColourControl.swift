import HAPModel
import MatterModel
import MatterWire

/// The colour of a light. Matter 1.4 application clusters §3.2.
///
/// A light with hue and saturation takes chromaticities and colour temperatures, too, because the device type demands
/// them: they are converted. Transitions are not simulated: the device jumps to the colour at the end.
enum ColourCluster {
  enum Feature {
    static let hueAndSaturation: UInt32 = 0x01
    static let chromaticity: UInt32 = 0x08
    static let temperature: UInt32 = 0x10
  }

  /// The value of ColorMode.
  enum Mode: UInt64 { case hueAndSaturation, chromaticity, temperature }

  static let mireds: AttributeNumber = 7
  static let mode: AttributeNumber = 8
  static let enhancedMode: AttributeNumber = 0x4001
  static let options: AttributeNumber = 0x0F
  /// The range of most white lights, for a light without a characteristic of its own.
  static let usualMireds = 153.0...500.0

  /// nil: the light has no colours.
  static func features(_ service: ServiceView) -> UInt32? {
    if service.hasAll([.hue, .saturation]) {
      return Feature.hueAndSaturation | Feature.chromaticity | Feature.temperature
    }
    return service.has(.colourTemperature) ? Feature.temperature : nil
  }

  static let template = ClusterTemplate(
    id: ClusterName.colourControl, revision: 7, features: features, attributes: attributes, commands: commands,
    changed: { access, type in
      if type == .colourTemperature { setMode(.temperature, access) }
      if type == .hue || type == .saturation { setMode(.hueAndSaturation, access) }
    })

  // MARK: The colour

  static func currentMode(_ access: ClusterAccess) -> Mode {
    if case .unsigned(let stored)? = access.stored(mode), let mode = Mode(rawValue: stored) { return mode }
    return access.has(.hue) ? .hueAndSaturation : .temperature
  }

  /// Sets the mode. In another mode, the same light has other coordinates.
  static func setMode(_ new: Mode, _ access: ClusterAccess) {
    guard currentMode(access) != new else { return }
    access.store(mode, .unsigned(new.rawValue))
    for attribute in [enhancedMode, 3, 4, mireds] { access.note(attribute) }
  }

  static func miredLimits(_ access: ClusterAccess) -> ClosedRange<Double> {
    access.limits(.colourTemperature, default: usualMireds)
  }

  /// The chromaticity of the current colour.
  static func chromaticity(_ access: ClusterAccess) throws(InteractionStatus) -> Chromaticity {
    if currentMode(access) == .temperature { return Chromaticity(mireds: try currentMireds(access)) }
    return Chromaticity(hue: try access.number(.hue) ?? 0, saturation: try access.number(.saturation) ?? 0)
  }

  static func currentMireds(_ access: ClusterAccess) throws(InteractionStatus) -> Double {
    let limits = miredLimits(access)
    func limited(_ mireds: Double) -> Double { min(max(mireds.rounded(), limits.lowerBound), limits.upperBound) }
    if access.has(.colourTemperature) { return limited(try access.number(.colourTemperature) ?? limits.lowerBound) }
    if currentMode(access) == .temperature, case .unsigned(let stored)? = access.stored(mireds) {
      return limited(Double(stored))
    }
    let colour = Chromaticity(hue: try access.number(.hue) ?? 0, saturation: try access.number(.saturation) ?? 0)
    return limited(colour.mireds)
  }

  // MARK: Attributes

  private static let all: [TypeID] = [.hue, .saturation, .colourTemperature]
  private static let chromaticityText =
    "of the colour (CIE 1931), or of the colour temperature in its mode"
  private static let miredText = "x within its limits; without ColorTemperature that of the colour, by McCamy's formula"
  private static let modeText =
    "stored by the node: 0 hue and saturation, 1 xy, 2 colour temperature, by the last command or change"

  private static let attributes: [AttributeBinding] = [
    AttributeBinding(0, "x × 254/360", of: [.hue], features: Feature.hueAndSaturation) {
      access throws(InteractionStatus) in
      .unsigned(LightLevel.hue(degrees: try access.number(.hue) ?? 0))
    },
    AttributeBinding(1, "x × 254/100", of: [.saturation], features: Feature.hueAndSaturation) {
      access throws(InteractionStatus) in
      .unsigned(LightLevel.saturation(percent: try access.number(.saturation) ?? 0))
    },
    .constant(2, .unsigned(0)),
    AttributeBinding(3, "65536 × the chromaticity x \(chromaticityText)", alsoOf: all, features: Feature.chromaticity) {
      access throws(InteractionStatus) in
      .unsigned(try chromaticity(access).integers.x)
    },
    AttributeBinding(4, "65536 × the chromaticity y \(chromaticityText)", alsoOf: all, features: Feature.chromaticity) {
      access throws(InteractionStatus) in
      .unsigned(try chromaticity(access).integers.y)
    },
    AttributeBinding(mireds, miredText, alsoOf: all, features: Feature.temperature) {
      access throws(InteractionStatus) in
      .unsigned(UInt64(nearest: try currentMireds(access), in: Chromaticity.range))
    },
    AttributeBinding(mode, modeText, about: all) { access throws(InteractionStatus) in
      .unsigned(currentMode(access).rawValue)
    },
    .stored(options, default: .unsigned(0), .unsigned(0...1)),
    .constant(0x10, .unsigned(0)),
    AttributeBinding(enhancedMode, modeText, about: all) { access throws(InteractionStatus) in
      .unsigned(currentMode(access).rawValue)
    },
    .fixed(0x400A) { access throws(InteractionStatus) in
      .unsigned(UInt64(access.cluster.shape.description.features))
    },
    limit(0x400B, "the minimum of x, or 153") { $0.lowerBound },
    limit(0x400C, "the maximum of x, or 500") { $0.upperBound },
    limit(0x400D, "the minimum of x, or 153") { $0.lowerBound },
    .stored(
      0x4010, default: .null, .nullable(1...65279), features: Feature.temperature, writePrivilege: .manage),
  ]

  private static func limit(
    _ number: AttributeNumber, _ conversion: String, _ bound: @escaping @Sendable (ClosedRange<Double>) -> Double
  ) -> AttributeBinding {
    AttributeBinding(number, conversion, about: [.colourTemperature], features: Feature.temperature) {
      access throws(InteractionStatus) in
      .unsigned(UInt64(nearest: bound(miredLimits(access)), in: 1...65279))
    }
  }
}
