import HAPModel

// The types that rules use, by their names in the specification.
extension TypeID {
  // Services.
  static let information = ServiceDefinition.accessoryInformation.type
  static let protocolInformation = ServiceDefinition.hapProtocolInformation.type
  static let lightBulb = ServiceDefinition.lightBulb.type
  static let heaterCooler = ServiceDefinition.heaterCooler.type
  static let humidifierDehumidifier = ServiceDefinition.humidifierDehumidifier.type
  static let irrigationSystem = ServiceDefinition.irrigationSystem.type
  static let serviceLabel = ServiceDefinition.serviceLabel.type
  static let statelessSwitch = ServiceDefinition.statelessProgrammableSwitch.type
  static let valve = ServiceDefinition.valve.type
  /// A service of Bluetooth and Thread.
  static let pairing: TypeID = 0x55

  // Characteristics.
  static let identify = CharacteristicDefinition.identify.type
  static let manufacturer = CharacteristicDefinition.manufacturer.type
  static let model = CharacteristicDefinition.model.type
  static let name = CharacteristicDefinition.name.type
  static let configuredName = CharacteristicDefinition.configuredName.type
  static let serialNumber = CharacteristicDefinition.serialNumber.type
  static let firmwareRevision = CharacteristicDefinition.firmwareRevision.type
  static let hardwareRevision = CharacteristicDefinition.hardwareRevision.type
  static let version = CharacteristicDefinition.version.type
  static let switchEvent = CharacteristicDefinition.programmableSwitchEvent.type
  static let buttonEvent = CharacteristicDefinition.buttonEvent.type
  static let labelIndex = CharacteristicDefinition.serviceLabelIndex.type
  static let hue = CharacteristicDefinition.hue.type
  static let saturation = CharacteristicDefinition.saturation.type
  static let colorTemperature = CharacteristicDefinition.colorTemperature.type
  static let valveType = CharacteristicDefinition.valveType.type
  static let setDuration = CharacteristicDefinition.setDuration.type
  static let remainingDuration = CharacteristicDefinition.remainingDuration.type
  /// A characteristic of Bluetooth and Thread.
  static let pairSetup: TypeID = 0x4C
}

extension LintRule {
  /// Whether a violation can be the recorder's fault, because it wrote a Thread or Bluetooth device in the form of an IP device.
  var speaksOfTheTransport: Bool {
    switch self {
    case .shape, .iids, .information, .protocolInformation, .types, .formats, .perms, .permsImplied, .valuePresence,
      .valueNull, .valueKind, .valueRange, .maxLen, .bytes, .definition, .unlisted, .hidden:
      true
    default: false
    }
  }
}
