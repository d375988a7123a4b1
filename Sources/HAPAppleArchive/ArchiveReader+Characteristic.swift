import HAPModel

extension ArchiveReader {
  /// - Returns: the characteristic, with `iid` 0 if the file has none.
  mutating func characteristic(_ node: PropertyList, of service: TypeID, _ place: String) -> Characteristic? {
    guard let members = object(node, place), let type = type(members, place) else { return nil }
    guard !TransportType.characteristics.contains(type) else {
      log.add(place, "type \(type) belongs to the transport; this characteristic is left out")
      return nil
    }
    let known = Catalogue.characteristic(type)
    guard let format = format(members, known, place) else { return nil }
    var characteristic = Characteristic(
      iid: id(members, place) ?? 0, type: type, format: format, perms: perms(members, known, place))
    characteristic.persists = characteristic.perms.isSuperset(of: [.pairedRead, .pairedWrite])
    // It is unknown where an archive stores the following members, so they are those of the catalogue.
    if let known {
      characteristic.adminOnly = known.adminOnly
      if known.format == format {
        characteristic.unit = known.unit
        characteristic.constraints = known.constraints
      }
    }
    readValue(members, &characteristic, place)
    // Bluetooth LE has different protocol versions.
    if service == 0xA2, type == 0x37, let version = characteristic.value.stringValue, version != "1.1.0" {
      let shown = ArchivedValue.quoted(version)
      log.add(place + ".HAK.value", "\(shown) belongs to another transport; on IP the protocol is 1.1.0")
      characteristic.value = .string("1.1.0")
    }
    remarkUnknown(
      members,
      besides: ["HAK.uuid", "HAK.instanceid", "HAK.format", "HAK.permissions", "HAK.properties", "HAK.value"], place)
    return characteristic
  }

  private mutating func format(
    _ members: [String: PropertyList], _ known: CharacteristicDefinition?, _ place: String
  ) -> Format? {
    let number = number(members, "HAK.format", place)
    let place = place + ".HAK.format"
    let apples = known.map { "\($0.name) has \($0.format.rawValue)" }
    if let format = number.flatMap(AppleFormat.format) {
      if let apples, known?.format != format {
        log.add(place, "\(apples) in Apple's definition, but \(format.rawValue) here")
      }
      return format
    }
    let what = number.map { "\(AppleFormat.name($0)) is not a HAP format" } ?? "the format is missing"
    log.add(place, "\(what); \(apples ?? "this is left out")")
    return known?.format
  }

  private mutating func perms(
    _ members: [String: PropertyList], _ known: CharacteristicDefinition?, _ place: String
  ) -> Permissions {
    let properties = number(members, "HAK.properties", place).map(AppleProperties.init(rawValue:))
    let access = number(members, "HAK.permissions", place).map(ApplePermissions.init(rawValue:))
    var perms: Permissions = []
    if let properties {
      if properties.contains(.read) { perms.insert(.pairedRead) }
      if properties.contains(.write) { perms.insert(.pairedWrite) }
      // The meaning of these two bits is a guess, and one of them may exist only for Bluetooth LE.
      if !properties.isDisjoint(with: [.connectedNotify, .unconnectedNotify]), known?.perms.contains(.events) ?? true {
        perms.insert(.events)
      }
      if !properties.isSubset(of: .known) {
        log.add(place + ".HAK.properties", "\(properties.rawValue) has unknown bits")
      }
    } else if let access {
      if !access.isDisjoint(with: [.read, .securedRead]) { perms.insert(.pairedRead) }
      if !access.isDisjoint(with: [.write, .securedWrite]) { perms.insert(.pairedWrite) }
      if let known { perms.formUnion(known.perms.intersection(.events)) }
    }
    if perms.isEmpty {
      log.add(
        place, "there are no permissions; it gets " + (known.map { "those of \($0.name)" } ?? "read access"))
      return known?.perms ?? .pairedRead
    }
    // Newer HomeKit permissions, for which no bit is known.
    var more: Permissions = .hidden
    if perms.contains(.pairedWrite) { more.formUnion([.additionalAuthorization, .timedWrite, .writeResponse]) }
    return perms.union((known?.perms ?? []).intersection(more))
  }

  // MARK: Values

  private mutating func readValue(
    _ members: [String: PropertyList], _ characteristic: inout Characteristic, _ place: String
  ) {
    let place = place + ".HAK.value"
    let archived = value(members, "HAK.value")
    if archived.isNull { return }
    guard characteristic.perms.contains(.pairedRead), !characteristic.type.readsAsNull else {
      log.add(place, "the characteristic isn't readable; the value is left out")
      return
    }
    guard let value = Self.value(archived, characteristic.format) else {
      log.add(place, "\(archived.summary) is not a value of format \(characteristic.format.rawValue); it is left out")
      return
    }
    // Without a catalogue entry, the intended length is unknown.
    if characteristic.format == .string, !characteristic.type.isAppleDefined, let count = value.stringValue?.utf8.count,
      count > Constraints.defaultMaxLen, count <= Constraints.greatestMaxLen
    {
      log.add(place, "the text has \(count) bytes; it gets a maxLen of \(Constraints.greatestMaxLen)")
      characteristic.constraints.maxLen = Constraints.greatestMaxLen
    }
    // A value off the grid of its step is accepted.
    var judge = characteristic
    judge.constraints.minStep = nil
    guard judge.allows(value) else {
      log.add(place, "\(archived.summary) is outside the characteristic's limits; it is left out")
      return
    }
    characteristic.value = value
  }

  /// Returns the value in its canonical form, or nil if the format has no such value. Its range is not checked.
  private static func value(_ archived: ArchivedValue, _ format: Format) -> Value? {
    switch format {
    case .bool:
      guard let number = archived.number, number == 0 || number == 1 else { return nil }
      return .bool(number == 1)
    case .float:
      if case .real(let number) = archived { return .float(number) }
      return archived.number.map { .float(Double($0)) }
    case .uint64:
      guard let number = archived.number else { return nil }
      // See `PropertyList.integer`.
      if number < 0, let small = Int64(exactly: number) { return .integer(Int128(UInt64(bitPattern: small))) }
      return .integer(number)
    case .uint8, .uint16, .uint32, .int: return archived.number.map { .integer($0) }
    case .string: if case .string(let text) = archived { return .string(text) } else { return nil }
    case .tlv8, .data: if case .data(let bytes) = archived { return .data(bytes) } else { return nil }
    }
  }
}
