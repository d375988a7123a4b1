/// The level of a rule.
package enum LintLevel: String, CaseIterable, Sendable {
  case must, should, info
}

/// A rule for attribute databases: a conformance case that can be decided from the JSON alone.
package struct LintRule: Hashable, Sendable {
  /// The permanent id, such as "ADB-08".
  package let id: String
  /// The name, such as "information-lengths". Findings append a slash and a code.
  package let name: String
  package let level: LintLevel
  /// The requirement in the project's own words.
  package let requirement: String
  /// The section of the HAP specification (R2), or another source.
  package let section: String

  init(_ id: String, _ name: String, _ level: LintLevel, _ requirement: String, _ section: String) {
    self.id = id
    self.name = name
    self.level = level
    self.requirement = requirement
    self.section = section
  }
}

extension LintRule {
  // The text.
  static let shape = LintRule(
    "ADB-01", "shape", .must,
    "The database is a list of accessories with aid and services. Services have iid, type and characteristics, and these have iid, type, perms and format.",
    "HAP R2 §6.3, tables 6-1 to 6-3")
  static let json = LintRule(
    "ADB-02", "json", .must,
    "The text is strict JSON: UTF-8 without a byte order mark, no comma before a closing bracket, no NaN, no duplicate member.",
    "RFC 8259")

  // Ids.
  static let aids = LintRule(
    "ADB-03", "aids", .must, "Every aid is a unique integer of at least 1, and one accessory has aid 1.",
    "HAP R2 §2.6.1.1, §2.5.3.3")
  static let iids = LintRule(
    "ADB-04", "iids", .must,
    "Every iid is an integer of at least 1, and unique within its accessory.",
    "HAP R2 §2.6.1.2")
  static let accessoryCount = LintRule(
    "ADB-32", "accessory-count", .must, "A bridge serves at most 150 accessories, including itself.", "HAP R2 §2.5.3.2"
  )
  static let bridgeAID = LintRule(
    "ADB-33", "bridge-aid", .must,
    "With several accessories, aid 1 is the bridge itself, not a bridged accessory.",
    "HAP R2 §2.5.3.2, §2.5.3.3")

  // Accessory Information and Protocol Information.
  static let information = LintRule(
    "ADB-05", "information", .must, "Each accessory has one Accessory Information service, and its iid is 1.",
    "HAP R2 §2.6.1.2, §8.1")
  static let informationMembers = LintRule(
    "ADB-06", "information-members", .must,
    "Accessory Information has Identify, Manufacturer, Model, Name, Serial Number and Firmware Revision.",
    "HAP R2 §2.5.3.1, §8.1")
  static let identify = LintRule(
    "ADB-07", "identify", .must, "Identify is a write-only bool without a value.", "HAP R2 §9.45")
  static let informationLengths = LintRule(
    "ADB-08", "information-lengths", .must,
    "Name, Manufacturer, Model and Serial Number have at most 64 bytes, and Model at least one. Name and Manufacturer should not be empty, and Serial Number should have at least two bytes.",
    "HAP R2 §9.58, §9.59, §9.62, §9.87")
  static let revision = LintRule(
    "ADB-09", "revision", .must,
    "A firmware or hardware revision is one to three numbers below 2^32 separated by dots.",
    "HAP R2 §9.40, §9.41")
  static let nameCharacters = LintRule(
    "ADB-10", "name-characters", .should,
    "Names consist of letters, digits, spaces and apostrophes, and start and end with a letter or digit.",
    "HAP-NodeJS checkName")
  static let serials = LintRule(
    "ADB-11", "serials", .should, "The serial numbers of bridged accessories differ.", "practice of bridges")
  static let protocolInformation = LintRule(
    "ADB-13", "protocol-information", .must,
    "Accessory 1 has one Protocol Information service whose Version is \"1.1.0\".", "HAP R2 §8.17, §6.6.3")

  // Types, formats, permissions.
  static let types = LintRule(
    "ADB-12", "types", .must,
    "An Apple-defined type has the short form, in upper case without leading zeros; any other type is a full UUID.",
    "HAP R2 §6.6.1")
  static let formats = LintRule(
    "ADB-14", "formats", .must, "The format is one of the ten, and the unit one of the five.",
    "HAP R2 tables 6-5, 6-6")
  static let perms = LintRule(
    "ADB-15", "perms", .must, "perms is a list of pr, pw, ev, aa, tw, hd, wr: at least one, each once.",
    "HAP R2 table 6-4")
  static let permsImplied = LintRule(
    "ADB-16", "perms-implied", .must, "aa, tw and wr require pw; ev requires pr.", "HAP R2 table 6-4")

  // Values and their limits.
  static let valuePresence = LintRule(
    "ADB-17", "value-presence", .must, "A characteristic has a value if and only if it has pr.", "HAP R2 table 6-3")
  static let valueNull = LintRule(
    "ADB-18", "value-null", .should,
    "A value is null only for a Programmable Switch Event, with write response, or while a read fails.",
    "HAP R2 §9.75")
  static let valueKind = LintRule(
    "ADB-19", "value-kind", .must, "A value has the JSON type that its format requires.", "HAP R2 table 6-5")
  static let valueRange = LintRule(
    "ADB-20", "value-range", .must,
    "A number is between minValue and maxValue, and in the range of its format.", "HAP R2 table 6-3")
  static let valueStep = LintRule(
    "ADB-21", "value-step", .should, "A number is minValue plus a multiple of minStep.", "HAP R2 table 6-3")
  static let limits = LintRule(
    "ADB-22", "limits", .must, "minValue is not above maxValue, minStep is above 0, and only numbers have them.",
    "HAP R2 table 6-3")
  static let limitsWidened = LintRule(
    "ADB-23", "limits-widened", .must, "The range of an Apple-defined characteristic may be narrowed, but not widened.",
    "HAP R2 §9")
  static let validValues = LintRule(
    "ADB-24", "valid-values", .must,
    "valid-values and valid-values-range hold numbers that Apple defined, in ascending order, and the value is one of them.",
    "HAP R2 §2.3.3.1")
  static let maxLen = LintRule(
    "ADB-25", "max-len", .must,
    "Only strings have maxLen. It is at most 256 (default 64), and the value is not longer.",
    "HAP R2 table 6-3")
  static let bytes = LintRule(
    "ADB-26", "bytes", .must,
    "Only the format data has maxDataLen. A value of data or tlv8 is base64, data is not longer than maxDataLen, and tlv8 contains TLV8.",
    "HAP R2 table 6-3")

  // Comparison with the catalogue.
  static let definition = LintRule(
    "ADB-27", "definition", .must, "An Apple-defined characteristic has the format and permissions that Apple defined.",
    "HAP R2 §9")
  static let required = LintRule(
    "ADB-28", "required", .must, "An Apple-defined service has all its required characteristics.", "HAP R2 §8")
  static let unlisted = LintRule(
    "ADB-29", "unlisted", .should,
    "An Apple-defined characteristic is only in services that list it as required or optional.", "HAP R2 §8")
  static let typeTwice = LintRule(
    "ADB-30", "type-twice", .must, "A service has each characteristic type at most once.", "HAP R2 §2.3.2")
  static let counts = LintRule(
    "ADB-31", "counts", .should, "An accessory has at most 100 services, a service at most 100 characteristics.",
    "HAP R2 §2.3")

  // Relations between services.
  static let links = LintRule(
    "ADB-34", "links", .must,
    "linked lists services of the same accessory, each once, without the service itself and without 0.",
    "HAP R2 §2.3.2.5")
  static let linkCycles = LintRule(
    "ADB-35", "link-cycles", .info, "Links form no cycle.", "HAP R2 §2.3.2.5")
  static let primary = LintRule(
    "ADB-36", "primary", .must,
    "At most one service is primary, and it is neither Accessory Information nor a custom service.", "HAP R2 §2.3.2.3")
  static let hidden = LintRule(
    "ADB-37", "hidden", .must, "A service is hidden if all its characteristics are hidden, or if it has none.",
    "HAP R2 §2.3.2.4")
  static let switches = LintRule(
    "ADB-38", "switches", .must,
    "Several stateless switches of one accessory are linked to a Service Label, and each has an index; a single switch has none.",
    "HAP R2 §8.32, §8.37")
  static let thresholds = LintRule(
    "ADB-39", "thresholds", .must,
    "Heater Cooler and Humidifier Dehumidifier have the thresholds of the target states that they allow.",
    "HAP R2 §8.18, §8.19")
  static let colours = LintRule(
    "ADB-40", "colours", .info, "A light has Color Temperature, or Hue and Saturation, not both.",
    "HomeKitADK, for HAP R14")
  static let valves = LintRule(
    "ADB-45", "valves", .should,
    "An irrigation valve has Set Duration and Remaining Duration; a labelled valve has a Service Label Index.",
    "HAP R2 §8.43, §8.32")
  static let switchService = LintRule(
    "SV-30", "switch-service", .should,
    "Several switches of one accessory are linked to a Service Label, and each has an index; a single switch has none.",
    "HAP R2 §8.32, §8.37")

  // Comparison with the advertised record.
  static let bridgeCategory = LintRule(
    "DISC-20", "bridge-category", .should, "A server of several accessories advertises itself as a bridge (ci 2).",
    "HAP R2 §2.5.3.2, table 13-1")
  static let category = LintRule(
    "DISC-21", "category", .should, "The advertised category (ci) fits the primary service of accessory 1.",
    "HAP R2 table 13-1")

  /// The rules in the order of their findings at one place.
  static let all: [LintRule] = [
    .shape, .json, .aids, .iids, .information, .informationMembers, .identify, .informationLengths, .revision,
    .nameCharacters, .serials, .types, .protocolInformation, .formats, .perms, .permsImplied, .valuePresence,
    .valueNull,
    .valueKind, .valueRange, .valueStep, .limits, .limitsWidened, .validValues, .maxLen, .bytes, .definition, .required,
    .unlisted, .typeTwice, .counts, .accessoryCount, .bridgeAID, .links, .linkCycles, .primary, .hidden, .switches,
    .thresholds, .colours, .valves, .switchService, .bridgeCategory, .category,
  ]
}
