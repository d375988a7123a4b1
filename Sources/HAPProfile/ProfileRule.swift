/// The rules for profiles. The raw values are the names in problems.
public enum ProfileRule: String, CaseIterable, Hashable, Sendable {
  // The document.
  /// It is strict JSON with no member twice.
  case json
  /// `format` is "hasaccessory/1".
  case formatVersion = "format-version"
  /// Only members of the format, and "x-…".
  case memberUnknown = "member-unknown"
  /// All required members exist.
  case memberMissing = "member-missing"
  /// The value of a member has the required kind.
  case memberKind = "member-kind"
  /// A number is in the range of its member.
  case memberRange = "member-range"

  // Types and names.
  /// A type is an identifier or short UUID of the catalogue, or a full UUID.
  case typeUnknown = "type-unknown"
  /// Apple's current metadata has the type.
  case typeWithdrawn = "type-withdrawn"
  /// The catalogue has the category.
  case categoryUnknown = "category-unknown"
  /// A string names a value of the characteristic.
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
  /// Permissions are known to HAP, and there is at least one and none twice.
  case perms
  /// aa, tw and wr require pw; ev requires pr.
  case permsImplied = "perms-implied"
  /// An override does not allow more than Apple does.
  case permsWidened = "perms-widened"
  /// An Apple-defined characteristic keeps its format.
  case formatChanged = "format-changed"
  /// An Apple-defined characteristic keeps its unit.
  case unitChanged = "unit-changed"
  /// Overrides only narrow Apple's range, step, length and values.
  case metadataWidened = "metadata-widened"
  /// Metadata fits the format: numbers have ranges, strings lengths.
  case metadataFormat = "metadata-format"
  /// Minimum ≤ maximum, both within the format; step > 0; maxLen ≤ 256; valid values sorted and in range.
  case metadataRange = "metadata-range"
  /// A value has the kind of its format.
  case valueKind = "value-kind"
  /// DB.12: a value is between minimum and maximum.
  case valueRange = "value-range"
  /// DB.12: a value is among the valid ones.
  case valueValid = "value-valid"
  /// DB.12: text and data are not too long.
  case valueLength = "value-length"
  /// A value is on the grid of its step.
  case valueStep = "value-step"
  /// A value is null only where HAP defines it.
  case valueNull = "value-null"
  /// The bytes of a tlv8 value are TLV8.
  case valueTLV8 = "value-tlv8"
  /// A service has no characteristic type twice.
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
  /// No two services have the same label.
  case labelTwice = "label-twice"
  /// DB.9: a link refers to a service of the same accessory.
  case linkUnknown = "link-unknown"
  /// DB.9: no link occurs twice.
  case linkTwice = "link-twice"
  /// A service does not link to itself.
  case linkSelf = "link-self"
  /// DB.8.
  case primaryCount = "primary-count"
  /// Accessory Information is not the main function.
  case primaryInformation = "primary-information"
  /// DB.4: no more than one Accessory Information.
  case informationTwice = "information-twice"
  /// DB.5: HAP Protocol Information has version 1.1.0.
  case protocolVersion = "protocol-version"
  /// Identify is write-only: iOS removes the pairing if it has a value.
  case identifyReadable = "identify-readable"
  /// Name, Manufacturer, Model, Serial Number and Firmware Revision are readable.
  case informationReadable = "information-readable"
  /// If there are several stateless switches, each has a distinct Service Label Index, and there is a Service Label.
  case switchLabels = "switch-labels"

  // Accessories.
  /// DB.10.
  case nameLength = "name-length"
  /// A name has no control characters.
  case nameControl = "name-control"
  /// Names consist of letters, digits, spaces and apostrophes, and start and end with a letter or digit.
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
  /// A profile with bridged accessories has the category bridge.
  case bridgeCategory = "bridge-category"
  /// No two accessories have the same identity across restarts.
  case accessoryKeyTwice = "accessory-key-twice"

  // Quirks.
  /// Quirks are the name of a preset or an object of fields.
  case quirksKind = "quirks-kind"
  /// The preset and the fields exist.
  case quirksUnknown = "quirks-unknown"
  /// The field accepts the setting.
  case quirksValue = "quirks-value"

  // Ids.
  /// DB.1, DB.2: the bridge or the only accessory has aid 1, and no other accessory has it.
  case aid
  /// DB.3: iids are unique.
  case iid
  /// DB.4: Accessory Information has iid 1, and no other entry has it.
  case iidOfInformation = "iid-of-information"
  /// DB.14: an explicit id equals the id that was served before.
  case idChanged = "id-changed"

  /// `warning` if a profile that violates the rule can be served.
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

  /// Whether an exact profile that violates the rule can be served. There are devices that do.
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
