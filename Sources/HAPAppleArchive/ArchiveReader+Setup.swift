import HAPModel

// The pairing data of an accessory.
extension ArchiveReader {
  mutating func category(_ members: [String: PropertyList], _ place: String) -> HAPModel.Category? {
    guard let number = number(members, "HAK.category", place) else { return nil }
    let category = UInt8(exactly: number).flatMap(Catalogue.category(number:))
    if category == nil { log.add(place + ".HAK.category", "no category has the number \(number)") }
    return category
  }

  mutating func setupCode(_ members: [String: PropertyList], _ place: String) -> SetupCode? {
    guard let text = text(members, "HAK.password", place) else { return nil }
    do throws(SetupCodeError) { return try SetupCode(text) } catch {
      log.add(place + ".HAK.password", error.description)
      return nil
    }
  }

  mutating func setupID(_ members: [String: PropertyList], _ place: String) -> SetupID? {
    guard let text = text(members, "HAK.setupID", place) else { return nil }
    let id = SetupID(text)
    if id == nil {
      log.add(place + ".HAK.setupID", "\(ArchivedValue.quoted(text)) is not four characters of 0-9 and A-Z")
    }
    return id
  }

  /// Six bytes or a text, directly or in an object.
  mutating func deviceID(_ members: [String: PropertyList], _ place: String) -> DeviceID? {
    var value = value(members, "HAK.identifier")
    if case .object(let inner) = value { value = self.value(inner, "HAK.data") }
    switch value {
    case .null where members["HAK.identifier"] == nil: return nil
    case .data(let bytes): if let id = DeviceID(bytes: bytes) { return id }
    case .string(let text): if let id = DeviceID(text) { return id }
    default: break
    }
    log.add(place + ".HAK.identifier", "\(value.summary) is not a device ID, which has 6 bytes")
    return nil
  }
}
