import HAPModel
import HAPWire

extension ProfileJudge {
  mutating func judge(_ service: ServiceDraft, of accessory: AccessoryDraft) {
    if service.characteristics.isEmpty, !service.isHidden, !service.isOfUnknownType {
      report(.serviceEmpty, service.node, "a service without characteristics must be hidden")
    }
    if service.characteristics.count > 100 {
      report(.characteristicCount, service.node, "\(service.characteristics.count) characteristics: 100 is the most")
    }
    if service.type != .accessoryInformation, let name = service.name {
      judgeName(name, service.node["name"] ?? service.node)
    }
    var seen: Set<TypeID> = []
    for draft in service.characteristics {
      if !seen.insert(draft.characteristic.type).inserted {
        report(.characteristicTwice, draft.node, "the service already has a characteristic of this type")
      }
      if !draft.isAdded, let definition = draft.definition, let service = service.definition,
        !service.required.contains(definition.type), !service.optional.contains(definition.type)
      {
        report(
          .characteristicUnlisted, draft.origin("type"),
          "\(definition.name) is no characteristic of \(service.name): iOS may ignore it")
      }
      judge(draft)
    }
    judgeSpecial(service)
  }

  private mutating func judgeSpecial(_ service: ServiceDraft) {
    if service.type == .protocolInformation, let version = service[.version], version.characteristic.value != "1.1.0" {
      report(.protocolVersion, version.origin("value"), "the version of HAP over IP is \"1.1.0\"")
    }
    if let identify = service[.identify], identify.characteristic.perms.contains(.pairedRead) {
      report(
        .identifyReadable, identify.origin("perms"),
        "Identify must be write-only: iOS is reported to remove the pairing if it has a value")
    }
  }

  mutating func judge(_ draft: CharacteristicDraft) {
    judgePermissions(draft)
    let isSound = judgeMetadata(draft)
    if let definition = draft.definition, !draft.isAdded { judgeOverrides(draft, definition) }
    if isSound { judgeValue(draft) }
  }

  private mutating func judgePermissions(_ draft: CharacteristicDraft) {
    let perms = draft.characteristic.perms
    let needsWrite: Permissions = [.additionalAuthorization, .timedWrite, .writeResponse]
    if !perms.isDisjoint(with: needsWrite), !perms.contains(.pairedWrite) {
      let names = perms.intersection(needsWrite).names.joined(separator: ", ")
      report(.permsImplied, draft.origin("perms"), "\(names) without pw")
    }
    if perms.contains(.events), !perms.contains(.pairedRead) {
      report(.permsImplied, draft.origin("perms"), "ev without pr")
    }
  }

  /// Reports overrides that an Apple-defined characteristic must not have.
  private mutating func judgeOverrides(_ draft: CharacteristicDraft, _ definition: CharacteristicDefinition) {
    let characteristic = draft.characteristic
    if characteristic.format != definition.format {
      report(
        .formatChanged, draft.origin("format"),
        "the format of \(definition.name) is \(definition.format.rawValue), not \(characteristic.format.rawValue)")
      return
    }
    if characteristic.unit != definition.unit, draft.node["unit"] != nil {
      let unit =
        definition.unit.map { "the unit of \(definition.name) is \($0.rawValue)" } ?? "\(definition.name) has no unit"
      report(.unitChanged, draft.origin("unit"), unit)
    }
    let watched: Permissions = [.pairedRead, .pairedWrite, .events]
    let added = characteristic.perms.intersection(watched).subtracting(definition.perms)
    if !added.isEmpty {
      report(.permsWidened, draft.origin("perms"), "\(definition.name) has no \(added.names.joined(separator: ", "))")
    }
    judgeWidening(draft, definition)
  }

  private mutating func judgeWidening(_ draft: CharacteristicDraft, _ definition: CharacteristicDefinition) {
    let (mine, theirs) = (draft.characteristic.constraints, definition.constraints)
    func widened(_ judge: inout Self, _ member: String, _ what: String) {
      guard let node = draft.node[member] else { return }
      judge.report(.metadataWidened, node, "\(what) of \(definition.name)")
    }
    // Apple's Current Temperature starts at 0 °C, but it freezes outdoors. iOS accepts lower values (HAP-NodeJS allows -270).
    let limit = definition.type == .currentTemperature ? -273.15 : theirs.minValue?.doubleValue
    if let low = mine.minValue?.doubleValue, let limit, low < limit {
      widened(&self, "minValue", "below the minimum \(text(limit))")
    }
    if let high = mine.maxValue?.doubleValue, let limit = theirs.maxValue?.doubleValue, high > limit {
      widened(&self, "maxValue", "above the maximum \(text(limit))")
    }
    if let step = mine.minStep?.doubleValue, let limit = theirs.minStep?.doubleValue, step > 0, step < limit {
      widened(&self, "minStep", "finer than the step \(text(limit))")
    }
    if let length = mine.maxLen, draft.node["maxLen"] != nil, length > theirs.maxLen ?? Constraints.defaultMaxLen {
      widened(&self, "maxLen", "longer than the \(theirs.maxLen ?? Constraints.defaultMaxLen) bytes")
    }
    if let length = mine.maxDataLen, let limit = theirs.maxDataLen, length > limit {
      widened(&self, "maxDataLen", "longer than the \(limit) bytes")
    }
    let valid = (mine.validValues ?? []) + (mine.validValuesRange.map { [$0.lowerBound, $0.upperBound] } ?? [])
    let member = mine.validValues != nil ? "valid-values" : "valid-values-range"
    let rules = definition.valueRules
    // Other formats accept no integers, so each valid value would be reported here.
    if definition.format.isNumeric,
      valid.contains(where: { rules.violation(of: .integer(Int128($0)), checking: .limits) != nil })
    {
      widened(&self, member, "outside the range")
    }
  }

  private func text(_ number: Double) -> String {
    var buffer = ByteBuffer(capacity: 32)
    buffer.appendJSON(number)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}
