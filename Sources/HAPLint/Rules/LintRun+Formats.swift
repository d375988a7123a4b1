import HAPModel

extension LintRun {
  /// Checks ADB-12: the type of a service or characteristic.
  mutating func judgeType(_ member: ParsedValue?, _ spot: LintSpot) {
    guard let text = member?.string else { return }
    guard let type = TypeID(text) else {
      let isUndashed = TypeID(seen: text) != nil
      report(
        .types, isUndashed ? "no-dashes" : "not-a-type", at: spot.member("type"),
        Remark(
          .must,
          isUndashed
            ? "the UUID \(quoted(text)) has no dashes" : "\(quoted(text)) is neither a short type nor a UUID")
      )
      return
    }
    guard type.isAppleDefined else { return }
    if text.utf8.count == 36 {
      report(
        .types, "long-form", at: spot.member("type"), isOnceEnough: true,
        Remark(
          .nonStrict, "Apple's type \(type.wireForm) is written in the long form", ios: .tolerates,
          source: "working devices write it like this; aiohomekit reads both", fix: "write \"\(type.wireForm)\""))
    } else if text.utf8.count > type.wireForm.utf8.count {
      report(
        .types, "leading-zeros", at: spot.member("type"),
        Remark(.should, "\(quoted(text)) has leading zeros", fix: "write \"\(type.wireForm)\""))
    } else if text != type.wireForm {
      report(
        .types, "lower-case", at: spot.member("type"), isOnceEnough: true,
        Remark(
          .nonStrict, "\(quoted(text)) is in lower case", ios: .tolerates, source: "the certified Aqara gateway",
          fix: "write \"\(type.wireForm)\""))
    }
    if Catalogue.characteristic(type) == nil, Catalogue.service(type) == nil {
      report(
        .types, "unknown", at: spot.member("type"),
        Remark(
          .info, "\(type.wireForm) is an Apple-defined type that the catalogue does not list",
          fix: "use your own UUID for a custom type"))
    }
  }

  /// Checks ADB-14: the format and the unit.
  mutating func judgeFormat(_ characteristic: ParsedCharacteristic, _ spot: LintSpot) {
    if let text = characteristic.value["format"]?.string, Format(rawValue: text) == nil {
      report(
        .formats, text == "int32" ? "int32" : "unknown", at: spot.member("format"),
        text == "int32"
          ? Remark(
            .nonStrict, "the name of \"int32\" in HAP is \"int\"", ios: .tolerates, source: "brutella/hap sends it")
          : Remark(.must, "HAP has no format \(quoted(text))"))
    }
    if let text = characteristic.value["unit"]?.string, Unit(rawValue: text) == nil {
      report(
        .formats, "unit", at: spot.member("unit"),
        Remark(
          characteristic.type?.isAppleDefined == false ? .should : .must, "HAP has no unit \(quoted(text))",
          fix: "the units are \(list(Unit.allCases.map(\.rawValue))); omit it if there is none"))
    }
  }

  /// Checks ADB-15 and ADB-16: the permissions.
  mutating func judgePermissions(_ characteristic: ParsedCharacteristic, _ spot: LintSpot) {
    guard let elements = characteristic.value["perms"]?.elements, let perms = characteristic.perms else { return }
    if elements.isEmpty {
      report(.perms, "empty", at: spot.member("perms"), Remark(.must, "it has no permissions"))
    }
    var seen: Permissions = []
    for (index, element) in elements.enumerated() {
      guard let permission = element.string.flatMap(Permissions.init(name:)) else {
        report(
          .perms, "unknown", at: spot.member("perms", index), Remark(.must, "HAP has no permission \(element.words)"))
        continue
      }
      if !seen.insert(permission).inserted {
        report(
          .perms, "twice", at: spot.member("perms", index),
          Remark(.must, "\(permission.names.joined()) appears twice"))
      }
    }
    let needsWrite = perms.intersection([.additionalAuthorization, .timedWrite, .writeResponse])
    if !needsWrite.isEmpty, !perms.contains(.pairedWrite) {
      report(
        .permsImplied, "without-pw", at: spot.member("perms"),
        Remark(.must, "\(list(needsWrite.names)) without pw"))
    }
    if perms.contains(.events), !perms.contains(.pairedRead) {
      report(
        .permsImplied, "ev-without-pr", at: spot.member("perms"),
        Remark(.should, "ev without pr", source: "HomeKitADK requires only a read handler"))
    }
  }
}
