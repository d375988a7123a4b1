import HAPModel
import HAPWire

/// The requirements of HAP and iOS for the names and other texts of an accessory.
enum NameRules {
  /// Returns the violation of DB.10, or another reason why the name can't be served. `nil` if it is valid.
  static func error(_ name: String) -> String? {
    if name.utf8.count > 64 { return "\(name.utf8.count) bytes: 64 is the most" }
    if hasControlCharacter(name) { return "it contains a control character" }
    return name.isEmpty ? "a name is needed" : nil
  }

  /// Returns the part of a text that can be served: without control characters, and at most 64 bytes.
  static func served(_ text: String) -> String {
    var result = ""
    for character in text where !hasControlCharacter(String(character)) {
      guard result.utf8.count + character.utf8.count <= 64 else { break }
      result.append(character)
    }
    return result
  }

  static func hasControlCharacter(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }

  /// iOS accepts letters, digits, spaces and apostrophes, with a letter or digit at both ends (HAP-NodeJS `checkName`).
  static func isLikedByIOS(_ name: String) -> Bool {
    func isAlphanumeric(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    guard let first = name.first, let last = name.last else { return false }
    return isAlphanumeric(first) && isAlphanumeric(last)
      && name.allSatisfy { isAlphanumeric($0) || $0 == " " || $0 == "'" || $0 == "\u{2019}" }
  }

  /// DB.11: one to three numbers below 2³², separated by dots.
  static func isRevision(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return (1...3).contains(parts.count)
      && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt32($0) != nil }
  }
}

extension ProfileJudge {
  /// Checks the texts of Accessory Information, both in characteristics and in members of the accessory.
  mutating func judgeNames(_ accessory: AccessoryDraft) {
    let information = accessory.services.first { $0.type == .accessoryInformation }
    for draft in information?.characteristics ?? [] {
      guard let text = draft.characteristic.value.stringValue, let member = Self.members[draft.characteristic.type]
      else { continue }
      if !draft.characteristic.perms.contains(.pairedRead) {
        report(.informationReadable, draft.origin("perms"), "controllers need to read the \(member): pr is missing")
      }
      if draft.isDerivedSerial { continue }
      judgeText(text, of: member, draft.isAdded ? accessory.origin(member) : draft.origin("value"))
    }
    // Members that are overridden by a characteristic in the document.
    for member in Self.members.values.sorted() {
      guard let node = accessory.node[member], let text = node.stringValue else { continue }
      // The texts of copies differ from the document and were checked above. These members are also advertised over Bonjour, even from an
      // exact profile.
      if information?.isAdded != true { judgeText(text, of: member, node, isBinding: true) }
    }
  }

  /// The members of an accessory that are characteristics of Accessory Information.
  private static let members: [TypeID: String] = [
    .name: "name", .manufacturer: "manufacturer", .model: "model", .serialNumber: "serialNumber",
    .firmwareRevision: "firmwareRevision",
  ]

  private mutating func judgeText(_ text: String, of member: String, _ node: JSONNode, isBinding: Bool = false) {
    let count = text.utf8.count
    switch member {
    case "name": judgeName(text, node, isBinding: isBinding)
    case "manufacturer" where count > 64: report(.manufacturerLength, node, "\(count) bytes: 64 is the most")
    case "model" where !(1...64).contains(count):
      report(.modelLength, node, "\(count) bytes: a model has 1 to 64")
    case "serialNumber" where !(2...64).contains(count):
      report(.serialLength, node, "\(count) bytes: a serial number has 2 to 64, or iOS refuses it")
    case "firmwareRevision" where !NameRules.isRevision(text):
      report(.firmwareRevision, node, "a revision is one to three numbers separated by dots, such as \"1.0.0\"")
    default: break
    }
  }

  /// - Parameter isBinding: whether the problem is an error in an exact profile, too.
  mutating func judgeName(_ name: String, _ node: JSONNode, isBinding: Bool = true) {
    if name.utf8.count > 64 || name.isEmpty {
      let message = name.isEmpty ? "a name is needed" : "\(name.utf8.count) bytes: a name has at most 64"
      report(.nameLength, node, message, isBinding: isBinding)
    } else if NameRules.hasControlCharacter(name) {
      report(.nameControl, node, "the name contains a control character", isBinding: isBinding)
    } else if !NameRules.isLikedByIOS(name) {
      report(
        .nameCharacters, node,
        "iOS takes names of letters, digits, spaces and apostrophes that start and end with a letter or digit")
    }
  }
}
