extension LintRun {
  /// Checks ADB-01: the required members and their JSON types.
  mutating func judgeShape(_ database: ParsedDatabase) {
    let root = LintSpot(database)
    guard let list = database.list else {
      report(
        .shape, "accessories-missing", at: root,
        Remark(.must, "this is \(database.root.kindName) without a list \"accessories\""))
      return
    }
    guard let elements = list.elements else {
      report(
        .shape, "kind", at: root.member("accessories"), Remark(.must, "\"accessories\" is \(list.kindName), not a list")
      )
      return
    }
    if elements.isEmpty { report(.shape, "no-accessory", at: root, Remark(.must, "it contains no accessory")) }
    if database.listName.isEmpty {
      let severity: LintSeverity = facts.isReadOverIP ? .must : .info
      report(
        .shape, "bare-list", at: root,
        Remark(
          severity,
          "this is a list of accessories without the object around it, as recordings have it",
          fix: "an accessory answers {\"accessories\": […]}"))
    }
    if isForeignRecording {
      report(
        .shape, "not-over-ip", at: root,
        Remark(
          .info,
          "it contains the Pairing service, so it was read over Thread or Bluetooth, and the recorder chose the form of the JSON"
        ))
    }
    for accessory in database.accessories { judgeShape(accessory, LintSpot(database, accessory)) }
  }

  private mutating func judgeShape(_ accessory: ParsedAccessory, _ spot: LintSpot) {
    guard isObject(accessory.value, "an accessory", spot) else { return }
    expect(.any, "aid", of: accessory.value, spot)
    expect(.list, "services", of: accessory.value, spot)
    for service in accessory.services { judgeShape(service, spot.service(service)) }
  }

  private mutating func judgeShape(_ service: ParsedService, _ spot: LintSpot) {
    guard isObject(service.value, "a service", spot) else { return }
    expect(.any, "iid", of: service.value, spot)
    expect(.text, "type", of: service.value, spot)
    expect(.list, "characteristics", of: service.value, spot)
    expect(.truth, "primary", of: service.value, spot, isRequired: false)
    expect(.truth, "hidden", of: service.value, spot, isRequired: false)
    expect(.list, "linked", of: service.value, spot, isRequired: false)
    for characteristic in service.characteristics { judgeShape(characteristic, spot.characteristic(characteristic)) }
  }

  private mutating func judgeShape(_ characteristic: ParsedCharacteristic, _ spot: LintSpot) {
    let value = characteristic.value
    guard isObject(value, "a characteristic", spot) else { return }
    expect(.any, "iid", of: value, spot)
    expect(.text, "type", of: value, spot)
    expect(.list, "perms", of: value, spot)
    if value["format"] == nil, let definition = characteristic.definition {
      report(
        .shape, "format-missing", at: spot,
        Remark(
          .nonStrict,
          "the format is missing; controllers know the format of \(definition.name), \(definition.format.rawValue)",
          ios: .tolerates, source: "a certified iDevices Switch omits it",
          fix: "add \"format\": \"\(definition.format.rawValue)\""))
    } else {
      expect(.text, "format", of: value, spot)
    }
    expect(.text, "unit", of: value, spot, isRequired: false)
    expect(.text, "description", of: value, spot, isRequired: false)
    for name in ["minValue", "maxValue", "minStep"] { expect(.number, name, of: value, spot, isRequired: false) }
    for name in ["maxLen", "maxDataLen"] { expect(.count, name, of: value, spot, isRequired: false) }
  }

  private enum Kind {
    case any, list, text, truth, number, count

    var words: String {
      switch self {
      case .any: "a value"
      case .list: "a list"
      case .text: "a string"
      case .truth: "true or false"
      case .number: "a number"
      case .count: "an integer of at least 0"
      }
    }

    func takes(_ value: ParsedValue) -> Bool {
      switch self {
      case .any: true
      case .list: value.elements != nil
      case .text: value.string != nil
      case .truth: value.bool != nil
      case .number: value.double?.isFinite == true
      case .count: value.integer.map { $0 >= 0 } ?? false
      }
    }
  }

  private mutating func isObject(_ value: ParsedValue, _ what: String, _ spot: LintSpot) -> Bool {
    if value.members != nil { return true }
    report(.shape, "kind", at: spot, Remark(.must, "\(what) is \(value.kindName), not an object"))
    return false
  }

  private mutating func expect(
    _ kind: Kind, _ name: String, of value: ParsedValue, _ spot: LintSpot, isRequired: Bool = true
  ) {
    guard let member = value[name] else {
      if isRequired { report(.shape, "\(name)-missing", at: spot, Remark(.must, "\"\(name)\" is missing")) }
      return
    }
    if kind.takes(member) { return }
    if member.isNull, !isRequired {
      report(
        .shape, "null-member", at: spot.member(name),
        Remark(.should, "\"\(name)\" is null", fix: "omit \"\(name)\" if there is no value"))
      return
    }
    report(
      .shape, "kind", at: spot.member(name),
      Remark(.must, "\"\(name)\" is \(member.kindName), not \(kind.words)"))
  }
}
