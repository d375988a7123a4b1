import HAPModel

/// Characteristics that can be written without side effects, the best ones first: nothing moves, sounds or locks, and no other value
/// changes its meaning.
package enum QuietTypes {
  private static let identifiers = [
    "On", "Brightness", "Mute", "Volume", "TemperatureDisplayUnits", "LockPhysicalControls", "Hue", "Saturation",
    "ConfiguredName", "SwingMode", "RotationDirection", "RotationSpeed", "CoolingThresholdTemperature",
    "HeatingThresholdTemperature",
    "RelativeHumidityHumidifierThreshold", "RelativeHumidityDehumidifierThreshold", "TargetRelativeHumidity",
    "TargetTemperature",
    "AudioFeedback", "SetDuration", "IsConfigured", "NightVision", "ImageMirroring",
    "ImageRotation", "DigitalZoom", "OpticalZoom", "ColorTemperature", "TargetTiltAngle", "TargetHorizontalTiltAngle",
    "TargetVerticalTiltAngle", "LockManagementAutoSecurityTimeout", "EventSnapshotsActive", "PeriodicSnapshotsActive",
    "CameraOperatingModeIndicator", "Identifier",
  ]

  private static let ranks: [TypeID: Int] = {
    var ranks: [TypeID: Int] = [:]
    for (rank, name) in identifiers.enumerated() {
      if let definition = Catalogue.characteristic(named: name) { ranks[definition.type] = rank }
    }
    return ranks
  }()

  /// Returns the type's rank; nil if it isn't quiet.
  package static func rank(_ type: TypeID) -> Int? { ranks[type] ?? (isForTests(type) ? identifiers.count : nil) }

  /// Whether the type is a test type. Types E0A0xxxx-6CFD-492D-A5B2-603D9DA7F9D9, used in hapsim's Kitchen Sink, have
  /// no meaning by definition. A test build of a firmware may include some of them, so that cases can write every
  /// format.
  static func isForTests(_ type: TypeID) -> Bool {
    let text = type.wireForm
    return text.hasPrefix("E0A0") && text.hasSuffix("-6CFD-492D-A5B2-603D9DA7F9D9")
  }

  /// Types that a case writes only if it names them. Writing them could take the accessory from its owner or start something irreversible.
  static let dangerous: Set<TypeID> = Set(
    [
      "LockControlPoint", "FirmwareUpdateReadiness", "StagedFirmwareVersion", "NetworkClientProfileControl",
      "WiFiConfigurationControl",
      "NetworkAccessViolationControl", "NFCAccessControlPoint", "SetupEndpoints", "SetupDataStreamTransport",
      "ManagedNetworkEnable",
    ].compactMap { Catalogue.characteristic(named: $0)?.type })
}
