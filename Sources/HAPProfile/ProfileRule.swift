/// The rules that a profile is held against, by the names that problems carry.
public enum ProfileRule: String, CaseIterable, Hashable, Sendable {
  // The document.
  /// It is strict JSON with no member twice.
  case json
  /// `format` says "hasaccessory/1".
  case formatVersion = "format-version"
  /// Only members of the format, and "x-…".
  case memberUnknown = "member-unknown"
  /// Members that are required are there.
  case memberMissing = "member-missing"
  /// A member's value is of the kind it must be.
  case memberKind = "member-kind"
  /// A number is in the range of what it counts.
  case memberRange = "member-range"

  // Words.
  /// A type is an identifier or short UUID of the catalogue, or a full UUID.
  case typeUnknown = "type-unknown"
  /// Apple's metadata still has the type.
  case typeWithdrawn = "type-withdrawn"
  /// The category is one of the catalogue.
  case categoryUnknown = "category-unknown"
  /// A word names a value of the characteristic.
  case wordUnknown = "word-unknown"
  /// SC.1, SC.2.
  case setupCode = "setup-code"
  /// SC.3.
  case setupID = "setup-id"
  /// Six pairs of hexadecimal digits.
  case deviceID = "device-id"

  // Characteristics.
  /// A custom characteristic states format and perms.
  case customMetadata = "custom-metadata"
  /// Permissions are of those HAP has, each once, at least one.
  case perms
  /// aa, tw and wr go with pw; ev with pr.
  case permsImplied = "perms-implied"
  /// An override does not allow more than Apple does.
  case permsWidened = "perms-widened"
  /// An Apple-defined characteristic keeps its format.
  case formatChanged = "format-changed"
  /// An Apple-defined characteristic keeps its unit.
  case unitChanged = "unit-changed"
  /// Overrides narrow Apple's range, step, length and values.
  case metadataWidened = "metadata-widened"
  /// Metadata belongs to the format: numbers have ranges, strings lengths.
  case metadataFormat = "metadata-format"
  /// Minimum ≤ maximum, both within the format; step > 0; maxLen ≤ 256; valid values sorted and in range.
  case metadataRange = "metadata-range"
  /// A value is of the format's kind.
  case valueKind = "value-kind"
  /// DB.12: a value lies between minimum and maximum.
  case valueRange = "value-range"
  /// DB.12: a value is among the valid ones.
  case valueValid = "value-valid"
  /// DB.12: text and data are not too long.
  case valueLength = "value-length"
  /// A value is on the grid of its step.
  case valueStep = "value-step"
  /// null only where HAP has it.
  case valueNull = "value-null"
  /// The bytes of a tlv8 value are TLV8.
  case valueTLV8 = "value-tlv8"
  /// No characteristic type twice in one service.
  case characteristicTwice = "characteristic-twice"
  /// The service lists the Apple-defined characteristic as required or optional.
  case characteristicUnlisted = "characteristic-unlisted"
  /// No more than 100 characteristics in a service.
  case characteristicCount = "characteristic-count"

  // Services.
  /// A service has characteristics.
  case serviceEmpty = "service-empty"
  /// DB.7.
  case serviceCount = "service-count"
  /// DB.13.
  case serviceName = "service-name"
  /// A label names one service.
  case labelTwice = "label-twice"
  /// DB.9: a link leads to a service of the accessory.
  case linkUnknown = "link-unknown"
  /// DB.9: no link twice.
  case linkTwice = "link-twice"
  /// A service links not to itself.
  case linkSelf = "link-self"
  /// DB.8.
  case primaryCount = "primary-count"
  /// Accessory Information is not the main function.
  case primaryInformation = "primary-information"
  /// DB.4: no more than one Accessory Information.
  case informationTwice = "information-twice"
  /// DB.5: HAP Protocol Information has version 1.1.0.
  case protocolVersion = "protocol-version"
  /// Identify is write-only: iOS drops the pairing at a value.
  case identifyReadable = "identify-readable"
  /// Name, Manufacturer, Model, Serial Number and Firmware Revision can be read.
  case informationReadable = "information-readable"
  /// Several stateless switches have distinct Service Label Indexes and a Service Label.
  case switchLabels = "switch-labels"

  // Accessories.
  /// DB.10.
  case nameLength = "name-length"
  /// No control characters in a name.
  case nameControl = "name-control"
  /// Names of letters, digits, spaces and apostrophes that start and end with a letter or digit.
  case nameCharacters = "name-characters"
  /// DB.10.
  case manufacturerLength = "manufacturer-length"
  /// DB.10.
  case modelLength = "model-length"
  /// DB.10.
  case serialLength = "serial-length"
  /// Serial numbers differ.
  case serialTwice = "serial-twice"
  /// DB.11.
  case firmwareRevision = "firmware-revision"
  /// DB.6.
  case accessoryCount = "accessory-count"
  /// What has bridged accessories is of category bridge.
  case bridgeCategory = "bridge-category"
  /// Two accessories can be told apart over restarts.
  case accessoryKeyTwice = "accessory-key-twice"

  // Conduct.
  /// A conduct is a preset's name or an object of fields.
  case conductKind = "conduct-kind"
  /// Its presets and fields exist.
  case conductUnknown = "conduct-unknown"
  /// A field's setting is one that the field takes.
  case conductValue = "conduct-value"

  // Ids.
  /// DB.1, DB.2: aid 1 is the bridge or the only accessory, and no other's.
  case aid
  /// DB.3: iids are unique.
  case iid
  /// DB.4: iid 1 is Accessory Information's.
  case iidOfInformation = "iid-of-information"
  /// DB.14: an explicit id agrees with what was served before.
  case idChanged = "id-changed"

  /// Whether what breaks it can be served.
  public var severity: ProfileProblem.Severity {
    switch self {
    case .typeWithdrawn, .permsImplied, .permsWidened, .formatChanged, .unitChanged, .metadataWidened, .valueStep,
      .valueTLV8, .characteristicUnlisted, .characteristicCount, .serviceEmpty, .serviceName, .linkSelf,
      .primaryInformation, .protocolVersion, .identifyReadable, .informationReadable, .switchLabels, .nameCharacters,
      .serialTwice,
      .bridgeCategory:
      .warning
    default: .error
    }
  }

  /// Whether an exact profile that breaks it can be served all the same: devices exist that do.
  var isWarningWhenExact: Bool {
    switch self {
    case .perms, .metadataFormat, .metadataRange, .valueRange, .valueValid, .valueLength, .characteristicTwice,
      .serviceCount, .primaryCount, .informationTwice, .linkTwice, .nameLength, .nameControl, .manufacturerLength,
      .modelLength, .serialLength, .firmwareRevision, .iidOfInformation:
      true
    default: false
    }
  }
}
