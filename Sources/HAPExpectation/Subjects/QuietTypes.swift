import HAPModel

/// Characteristics that can be written without anything else happening at the device, the best ones first: nothing moves, sounds, locks,
/// or changes the meaning of another value.
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

  /// nil: not a quiet one.
  package static func rank(_ type: TypeID) -> Int? { ranks[type] ?? (isForTests(type) ? identifiers.count : nil) }

  /// Types E0A0xxxx-6CFD-492D-A5B2-603D9DA7F9D9, which hapsim's Kitchen Sink is made of, mean nothing by definition. Firmware may have some
  /// of them in a test build, so that there is something of each format to be written.
  static func isForTests(_ type: TypeID) -> Bool {
    let text = type.wireForm
    return text.hasPrefix("E0A0") && text.hasSuffix("-6CFD-492D-A5B2-603D9DA7F9D9")
  }

  /// What nobody but a case that means it should ever write: it would take the accessory away from its owner, or start something for good.
  static let dangerous: Set<TypeID> = Set(
    [
      "LockControlPoint", "FirmwareUpdateReadiness", "StagedFirmwareVersion", "NetworkClientProfileControl",
      "WiFiConfigurationControl",
      "NetworkAccessViolationControl", "NFCAccessControlPoint", "SetupEndpoints", "SetupDataStreamTransport",
      "ManagedNetworkEnable",
    ].compactMap { Catalogue.characteristic(named: $0)?.type })
}
