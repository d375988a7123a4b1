import HAPModel
import HAPWire

extension ProfileReader {
  /// Returns `nil` if format or perms are unknown. A characteristic of unknown type is read, too, so that one run reports all its errors.
  mutating func characteristic(_ node: JSONNode) -> CharacteristicDraft? {
    refuseUnknownMembers(node, except: ProfileMembers.characteristic)
    require("type", of: node)
    let text = string("type", of: node)
    let format = self.format(of: node)
    let perms = self.perms(of: node)
    let named = text.flatMap { Catalogue.characteristic(named: $0) }
    let type = named?.type ?? text.flatMap { TypeID($0) }
    let definition = named ?? type.flatMap { Catalogue.characteristic($0) }
    if let text, let member = node["type"] {
      if type == nil {
        let names = Catalogue.characteristics.filter { !$0.isWithdrawn }.map(\.identifier)
        reportUnknownType(text, "characteristic", names, member)
      } else if definition?.isWithdrawn == true {
        report(.typeWithdrawn, member, "Apple has withdrawn the characteristic \(definition?.name ?? text)")
      }
    }
    let known = isExact ? nil : definition
    if type != nil, known == nil {
      let who = isExact ? "an exact profile" : "a characteristic that Apple does not define"
      for name in ["format", "perms"] where node[name] == nil {
        report(.customMetadata, node, "\"\(name)\" is missing: \(who) states it")
      }
    }
    let members = CharacteristicMembers(
      unit: unit(of: node), description: string("description", of: node), persists: bool("persist", of: node),
      iid: id("iid", of: node))
    // If the type is unknown, the other checks don't need the permissions.
    guard let format = format ?? known?.format, let perms = perms ?? known?.perms ?? (type == nil ? [] : nil) else {
      return nil
    }
    return draft(
      of: node, members, Characteristic(iid: 0, type: type ?? placeholderType(), format: format, perms: perms),
      definition)
  }

  /// The members whose meaning doesn't depend on the format.
  private struct CharacteristicMembers {
    let unit: Unit?
    let description: String?
    let persists: Bool?
    let iid: UInt64?
  }

  private mutating func draft(
    of node: JSONNode, _ members: CharacteristicMembers, _ bare: Characteristic, _ definition: CharacteristicDefinition?
  ) -> CharacteristicDraft {
    var characteristic = bare
    let (format, perms, type) = (bare.format, bare.perms, bare.type)
    let known = isExact ? nil : definition
    // Metadata for another format is ignored.
    let inherited = known.flatMap {
      $0.format.isNumeric == format.isNumeric && ($0.format == .string) == (format == .string) ? $0 : nil
    }
    characteristic.constraints = constraints(
      of: node, inherited: inherited?.constraints ?? Constraints(), format: format)
    characteristic.unit = node["unit"]?.isNull == true ? nil : members.unit ?? inherited?.unit
    characteristic.description = members.description
    characteristic.adminOnly = definition?.adminOnly ?? []
    characteristic.persists =
      members.persists ?? (perms.contains(.pairedWrite) && perms.contains(.pairedRead) && !type.readsAsNull)
    var draft = CharacteristicDraft(node: node, characteristic: characteristic, definition: definition)
    draft.iid = members.iid
    draft.matter = node["matter"]
    if let value = node["value"], let read = self.value(value, for: characteristic, definition) {
      draft.characteristic.value = read
      draft.hasWrittenValue = true
    }
    return draft
  }

  private mutating func format(of node: JSONNode) -> Format? {
    guard let text = string("format", of: node), let member = node["format"] else { return nil }
    if let format = Format(rawValue: text) { return format }
    reportUnknownWord(text, "format", Format.allCases.map(\.rawValue), member)
    return nil
  }

  private mutating func unit(of node: JSONNode) -> Unit? {
    // null removes the catalogue's unit.
    guard let member = node["unit"], !member.isNull, let text = string("unit", of: node) else { return nil }
    if let unit = Unit(rawValue: text) { return unit }
    reportUnknownWord(text, "unit", Unit.allCases.map(\.rawValue), member)
    return nil
  }

  private mutating func reportUnknownWord(_ word: String, _ what: String, _ words: [String], _ node: JSONNode) {
    let hint =
      nearestName(to: word, in: words).map { ": did you mean \"\($0)\"?" } ?? " (\(words.joined(separator: ", ")))"
    report(.wordUnknown, node, "there is no \(what) \"\(word)\"\(hint)")
  }

  private mutating func perms(of node: JSONNode) -> Permissions? {
    guard let list = member("perms", of: node, { (node) throws(JSONProblem) in try node.asList() }) else { return nil }
    var perms: Permissions = []
    for element in list {
      guard let name = element.stringValue, let permission = Permissions(name: name) else {
        problems.append(ProfileProblem(.perms, at: element, PermissionWords.message(for: element)))
        continue
      }
      if perms.contains(permission) { report(.perms, element, "\"\(name)\" occurs twice") }
      perms.insert(permission)
    }
    if list.isEmpty { report(.perms, node["perms"] ?? node, "at least one permission is needed") }
    return perms
  }
}

// MARK: Metadata

extension ProfileReader {
  /// Returns the constraints. A member that is null removes the limit of Apple's definition.
  private mutating func constraints(of node: JSONNode, inherited: Constraints, format: Format) -> Constraints {
    var inherited = inherited
    if node["minValue"]?.isNull == true { inherited.minValue = nil }
    if node["maxValue"]?.isNull == true { inherited.maxValue = nil }
    if node["minStep"]?.isNull == true { inherited.minStep = nil }
    if node["maxLen"]?.isNull == true { inherited.maxLen = nil }
    if node["maxDataLen"]?.isNull == true { inherited.maxDataLen = nil }
    if node["valid-values"]?.isNull == true { inherited.validValues = nil }
    if node["valid-values-range"]?.isNull == true { inherited.validValuesRange = nil }
    let node = node.withoutNulls
    var result = inherited
    for name in ["minValue", "maxValue", "minStep"] where node[name] != nil && !format.isNumeric {
      report(.metadataFormat, node[name] ?? node, "\(name) is for numbers, and the format is \(format.rawValue)")
    }
    for name in ["valid-values", "valid-values-range"] where node[name] != nil && format.integerRange == nil {
      report(.metadataFormat, node[name] ?? node, "\(name) is for integers, and the format is \(format.rawValue)")
    }
    if let maxLen = node["maxLen"], format != .string {
      report(.metadataFormat, maxLen, "maxLen is for strings, and the format is \(format.rawValue)")
    }
    if let maxDataLen = node["maxDataLen"], !format.isBytes {
      report(.metadataFormat, maxDataLen, "maxDataLen is for data and tlv8, and the format is \(format.rawValue)")
    }
    if format.isNumeric || isExact {
      result.minValue = number("minValue", of: node, format) ?? inherited.minValue
      result.maxValue = number("maxValue", of: node, format) ?? inherited.maxValue
      result.minStep = number("minStep", of: node, format) ?? inherited.minStep
    }
    if format.integerRange != nil || isExact {
      result.validValues = validValues(of: node) ?? inherited.validValues
      result.validValuesRange = validValuesRange(of: node) ?? inherited.validValuesRange
    }
    let greatest = Int128(isExact ? Int.max : Int(Int32.max))
    if format == .string || isExact {
      result.maxLen = integer("maxLen", of: node, in: 0...greatest).map { Int($0) } ?? inherited.maxLen
    }
    if format.isBytes || isExact {
      result.maxDataLen =
        integer("maxDataLen", of: node, in: 0...greatest).map { Int($0) } ?? inherited.maxDataLen
    }
    return result
  }

  private mutating func number(_ name: String, of node: JSONNode, _ format: Format) -> Value? {
    guard let member = node[name] else { return nil }
    guard let number = member.numberValue, number.double.isFinite else {
      report(.memberKind, member, "a number is expected, not \(member.kindName)")
      return nil
    }
    if let integer = number.integer { return .integer(integer) }
    if format != .float {
      report(.metadataFormat, member, "\(name) has a fraction, and the format is \(format.rawValue)")
      guard isExact else { return nil }
    }
    return .float(number.double)
  }

  private mutating func validValues(of node: JSONNode) -> [Int]? {
    guard let list = member("valid-values", of: node, { (node) throws(JSONProblem) in try node.asList() }) else {
      return nil
    }
    return list.compactMap { element in
      if let number = element.integerValue, let small = Int(exactly: number) { return small }
      report(.memberKind, element, "an integer is expected, not \(element.kindName)")
      return nil
    }
  }

  private mutating func validValuesRange(of node: JSONNode) -> ClosedRange<Int>? {
    guard let member = node["valid-values-range"] else { return nil }
    guard let ends = member.elements, ends.count == 2, let low = ends[0].integerValue.flatMap({ Int(exactly: $0) }),
      let high = ends[1].integerValue.flatMap({ Int(exactly: $0) })
    else {
      report(.memberKind, member, "a list of the lowest and the highest value is expected")
      return nil
    }
    guard low <= high else {
      report(.metadataRange, member, "the lowest value is above the highest")
      return nil
    }
    return low...high
  }
}
