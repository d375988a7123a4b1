import HAPModel

/// Characteristics that can be written without anything else happening at the device, the best ones first: nothing moves, sounds, locks,
/// or changes the meaning of another value.
enum QuietTypes {
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

  /// nil: not a quiet one.
  static func rank(_ type: TypeID) -> Int? { ranks[type] }

  /// What nobody but a case that means it should ever write: it would take the accessory away from its owner, or start something for good.
  static let dangerous: Set<TypeID> = Set(
    [
      "LockControlPoint", "FirmwareUpdateReadiness", "StagedFirmwareVersion", "NetworkClientProfileControl",
      "WiFiConfigurationControl",
      "NetworkAccessViolationControl", "NFCAccessControlPoint", "SetupEndpoints", "SetupDataStreamTransport",
      "ManagedNetworkEnable",
    ].compactMap { Catalogue.characteristic(named: $0)?.type })
}
