import HAPModel

extension LintRun {
  /// Checks ADB-05 to ADB-10: the Accessory Information service of every accessory.
  mutating func judgeInformation(_ accessory: ParsedAccessory, _ place: LintSpot) {
    guard accessory.value.members != nil else { return }
    judgeNames(accessory, place)
    guard let information = accessory.information else {
      report(.information, "missing", at: place, Remark(.must, "there is no Accessory Information service (3E)"))
      return
    }
    let spot = place.service(information)
    for service in accessory.services where service.type == .information && service.index != information.index {
      report(
        .information, "twice", at: place.service(service),
        Remark(.must, "an accessory has only one Accessory Information"))
    }
    if let iid = information.iid, iid != 1 {
      report(
        .information, "iid", at: spot.member("iid"),
        Remark(
          .must, "the iid of Accessory Information is 1, not \(iid)", ios: .rejects, source: "Bouke/HAP#33",
          fix: "number the accessory's instances from 1, this service first"))
    }
    judgeMembers(information, spot)
    if let identify = information[.identify] { judgeIdentify(identify, spot.characteristic(identify)) }
    judgeLengths(information, spot)
    judgeRevisions(information, spot)
  }

  // MARK: ADB-06

  private mutating func judgeMembers(_ information: ParsedService, _ spot: LintSpot) {
    let required: [TypeID] = [.identify, .manufacturer, .model, .name, .serialNumber, .firmwareRevision]
    let there = Set(information.characteristics.compactMap(\.type))
    for type in required where !there.contains(type) {
      let name = Catalogue.characteristic(type)?.name ?? type.wireForm
      if type == .firmwareRevision {
        report(
          .informationMembers, "firmware-revision-missing", at: spot,
          Remark(
            .nonStrict, "Firmware Revision (52) is missing", ios: .tolerates,
            source: "older certified devices such as the SimpleConnect fan lack it"))
      } else {
        report(.informationMembers, "missing", at: spot, Remark(.must, "\(name) (\(type.wireForm)) is missing"))
      }
    }
  }

  // MARK: ADB-07

  private mutating func judgeIdentify(_ identify: ParsedCharacteristic, _ spot: LintSpot) {
    if let perms = identify.perms, perms != .pairedWrite {
      report(
        .identify, "perms", at: spot.member("perms"),
        Remark(.must, "its only permission is pw, not \(list(perms.names))"))
    }
    if let format = identify.format, format != .bool {
      report(
        .identify, "format", at: spot.member("format"), Remark(.must, "its format is bool, not \(format.rawValue)"))
    }
    guard let content = identify.content else { return }
    report(
      .identify, "value", at: spot.member("value"),
      content.isNull
        ? Remark(
          .must, "it has the value null; a write-only characteristic has no value", ios: .rejects,
          source: "Apple developer forum 649556", fix: "remove \"value\"")
        : Remark(
          .must, "it has the value \(content.words); a write-only characteristic has no value", fix: "remove \"value\"")
    )
  }

  // MARK: ADB-08

  private mutating func judgeLengths(_ information: ParsedService, _ spot: LintSpot) {
    for characteristic in information.characteristics {
      guard let text = characteristic.content?.string, let type = characteristic.type else { continue }
      let spot = spot.characteristic(characteristic).member("value")
      let count = text.utf8.count
      switch type {
      case .name, .manufacturer, .model, .serialNumber: break
      default: continue
      }
      if count > 64 {
        report(
          .informationLengths, "too-long", at: spot,
          Remark(
            .must, "\(count) bytes of UTF-8, more than 64", ios: .rejects,
            source: "home-assistant/core#53420, #53913", fix: "shorten it"))
      } else if type == .serialNumber, count < 2 {
        report(
          .informationLengths, "serial-too-short", at: spot,
          Remark(
            .should,
            count == 0
              ? "the serial number is empty" : "the serial number \(quoted(text)) has one byte, fewer than 2",
            ios: .rejects,
            source: count == 0 ? "HAP-NodeJS#824" : "HAP-NodeJS#824; a Hue bridge with such a number works",
            fix: "give it a serial number of 2 to 64 bytes"))
      } else if count == 0 {
        let isModel = type == .model
        report(
          .informationLengths, isModel ? "model-empty" : "empty", at: spot,
          Remark(isModel ? .must : .should, isModel ? "the model is empty" : "it is empty"))
      }
    }
  }

  // MARK: ADB-09

  private mutating func judgeRevisions(_ information: ParsedService, _ spot: LintSpot) {
    for characteristic in information.characteristics
    where characteristic.type == .firmwareRevision || characteristic.type == .hardwareRevision {
      guard let text = characteristic.content?.string else { continue }
      let place = spot.characteristic(characteristic).member("value")
      switch Revision(text) {
      case .right: break
      case .withTail:
        report(
          .revision, "tail", at: place,
          Remark(
            .nonStrict, "\(quoted(text)) does not consist only of numbers", ios: .tolerates,
            source: "the certified Lennox E30 has \"3.40.XX\"; controllers read the leading numbers"))
      case .wrong:
        report(
          .revision, "form", at: place,
          Remark(
            .must, "\(quoted(text)) is not one to three numbers below 2^32 separated by dots",
            fix: "write it like \"1.0.0\""))
      }
    }
  }

  // MARK: ADB-10

  private mutating func judgeNames(_ accessory: ParsedAccessory, _ place: LintSpot) {
    for service in accessory.services {
      for characteristic in service.characteristics
      where characteristic.type == .name || characteristic.type == .configuredName {
        guard let name = characteristic.content?.string, !name.isEmpty else { continue }
        let spot = place.service(service).characteristic(characteristic).member("value")
        judgeName(name, spot)
      }
    }
  }

  private mutating func judgeName(_ name: String, _ spot: LintSpot) {
    switch NameCharacters(name) {
    case .right: break
    case .hyphened:
      report(
        .nameCharacters, "hyphen", at: spot,
        Remark(
          .nonStrict, "there is a hyphen in \(quoted(name))", ios: .tolerates,
          source: "certified devices have one: Koogeek LS1, Aqara hub"))
    case .control:
      report(
        .nameCharacters, "control-character", at: spot,
        Remark(.should, "there is a control character in \(quoted(name))"))
    case .other:
      report(
        .nameCharacters, "character", at: spot,
        Remark(
          .should,
          "\(quoted(name)): only letters, digits, spaces and apostrophes are allowed, with a letter or digit at both ends",
          source: "HAP-NodeJS warns that iOS may refuse it"))
    }
  }
}

/// A revision in HAP's format, such as "1.0.0".
private enum Revision {
  case right, withTail, wrong

  init(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
    let isNumbers = parts.allSatisfy { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt32(part) != nil
    }
    if isNumbers, parts.count <= 3 {
      self = .right
    } else if (text.utf8.first.map { (0x30...0x39).contains($0) } ?? false),
      !text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
    {
      self = .withTail
    } else {
      self = .wrong
    }
  }
}

private enum NameCharacters {
  case right, hyphened, control, other

  init(_ name: String) {
    // The fast path for ASCII names, without Unicode properties.
    let bytes = name.utf8
    func isPlain(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 }
    if let first = bytes.first, let last = bytes.last, isPlain(first), isPlain(last),
      bytes.allSatisfy({ isPlain($0) || $0 == 0x20 || $0 == 0x27 })
    {
      self = .right
      return
    }
    func isAlphanumeric(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    if name.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) {
      self = .control
      return
    }
    guard let first = name.first, let last = name.last, isAlphanumeric(first), isAlphanumeric(last) else {
      self = .other
      return
    }
    var hasHyphen = false
    for character in name where !isAlphanumeric(character) && character != " " && character != "'" {
      switch character {
      case "\u{2019}": continue
      case "-": hasHyphen = true
      default:
        self = .other
        return
      }
    }
    self = hasHyphen ? .hyphened : .right
  }
}

/// Returns "pr, pw", or "none".
func list(_ words: [String]) -> String { words.isEmpty ? "none" : words.joined(separator: ", ") }
