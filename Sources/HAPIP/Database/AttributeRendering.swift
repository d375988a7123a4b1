import HAPAttributes
import HAPModel
import HAPWire

/// The JSON of an attribute database, with its constant parts created once: each request only copies them and writes
/// the values.
///
/// Member names and their forms: HAP R2 §6.3. Immutable; a class, so that using it copies nothing.
final class AttributeRendering {
  /// Offsets in `text` at which the pieces of one characteristic begin. Each piece ends where the next begins. Their
  /// order keeps the pieces for `/accessories` contiguous.
  private struct Slot {
    /// For `/accessories`: from the end of the previous characteristic to the type.
    var opening: UInt32
    /// `,"type":"25"`
    var type: UInt32
    /// `,"perms":["pr","pw","ev"]`
    var perms: UInt32
    /// `,"format":"bool"` and the constraints.
    var meta: UInt32
    /// The description, which only `/accessories` contains.
    var description: UInt32
    var end: UInt32
    /// Whether `/accessories` contains its value.
    var isListed: Bool
  }

  private var text: [UInt8] = []
  private var slots: ContiguousArray<Slot> = []
  private let quirks: IPQuirks

  init(_ database: AttributeDatabase, quirks: IPQuirks) {
    self.quirks = quirks
    slots.reserveCapacity(database.characteristics.count)
    keep(database)
    // Drops the unused capacity, which can be half of the array.
    text = text.withUnsafeBytes { [UInt8]($0) }
  }

  // MARK: Pieces of one characteristic

  /// Writes `{"aid":1,"iid":9`.
  func writeIDs(_ id: AttributeID, to buffer: inout ByteBuffer) {
    buffer.append("{\"aid\":")
    buffer.appendDecimal(id.aid)
    buffer.append(",\"iid\":")
    buffer.appendDecimal(id.iid)
  }

  func writeExtras(_ extras: ReadQuery.Extras, ofSlot slot: Int, isSubscribed: Bool, to buffer: inout ByteBuffer) {
    let place = slots[slot]
    if extras.contains(.type) { write(place.type..<place.perms, to: &buffer) }
    if extras.contains(.meta) { write(place.meta..<place.description, to: &buffer) }
    if extras.contains(.perms) { write(place.perms..<place.meta, to: &buffer) }
    if extras.contains(.ev) { buffer.append(isSubscribed ? ",\"ev\":true" : ",\"ev\":false") }
  }

  /// Writes `,"value":` and the value in its format.
  func writeValue(_ value: Value, to buffer: inout ByteBuffer) {
    buffer.append(",\"value\":")
    writeBareValue(value, to: &buffer)
  }

  func writeBareValue(_ value: Value, to buffer: inout ByteBuffer) {
    switch value {
    case .null: buffer.append("null")
    case .bool(let isOn):
      switch quirks.booleans {
      case .words: buffer.appendJSON(isOn)
      case .numbers: buffer.append(isOn ? "1" : "0")
      }
    case .integer(let number): buffer.appendJSON(number)
    case .float(let number): buffer.appendJSON(number)
    case .string(let string): buffer.appendJSON(string)
    case .data(let bytes): buffer.appendJSONBase64(bytes)
    }
  }

  // MARK: The whole database

  /// Writes the body of the answer to `GET /accessories`.
  /// - Parameters:
  ///   - hidesAdminOnly: whether values that only an admin may read are listed as null.
  ///   - failures: values that the device could not provide; they are also listed as null.
  func writeDatabase(
    _ database: AttributeDatabase, hidesAdminOnly: Bool, failures: [AttributeID: HAPStatus], to buffer: inout ByteBuffer
  ) {
    // Retained once instead of for each piece.
    let slots = slots
    text.withUnsafeBytes { text in
      for (index, slot) in slots.enumerated() {
        buffer.append(UnsafeRawBufferPointer(rebasing: text[Int(slot.opening)..<Int(slot.end)]))
        guard slot.isListed else { continue }
        let isFailure = !failures.isEmpty && failures[database.id(ofSlot: index)] != nil
        writeListed(
          database.characteristics[index], isHidden: isFailure, hidesAdminOnly: hidesAdminOnly, to: &buffer)
      }
      buffer.append(UnsafeRawBufferPointer(rebasing: text[Int(slots.last?.end ?? 0)...]))
    }
  }

  /// Writes a value in the form of `/accessories`. A separate function avoids a copy of the characteristic.
  private func writeListed(
    _ characteristic: Characteristic, isHidden: Bool, hidesAdminOnly: Bool, to buffer: inout ByteBuffer
  ) {
    let isHidden =
      isHidden || (hidesAdminOnly && characteristic.adminOnly.contains(.pairedRead))
      || EventRules.readsAsNull(characteristic.type)
    if !isHidden {
      guard case .null = characteristic.value else { return writeValue(characteristic.value, to: &buffer) }
    }
    // HomeKitADK lists a control point without a value as "", and Apple's tester is reported to require that.
    let isEmptyText = characteristic.format == .tlv8 && !quirks.listsEmptyTLV8AsNull
    writeValue(isEmptyText ? .data([]) : .null, to: &buffer)
  }

  // MARK: Kept text

  private func keep(_ database: AttributeDatabase) {
    // The text between the values of two characteristics.
    var opening = "{\"accessories\":["
    for (accessoryIndex, accessory) in database.accessories.enumerated() {
      if accessoryIndex > 0 { opening += "," }
      opening += "{\"aid\":\(accessory.aid),\"services\":["
      for (serviceIndex, service) in accessory.services.enumerated() {
        if serviceIndex > 0 { opening += "," }
        opening += "{\"iid\":\(service.iid),\"type\":\"\(service.type.wireForm)\""
        if service.isPrimary { opening += ",\"primary\":true" }
        if service.isHidden { opening += ",\"hidden\":true" }
        if !service.linked.isEmpty {
          opening += ",\"linked\":[\(service.linked.map(String.init).joined(separator: ","))]"
        }
        opening += ",\"characteristics\":["
        for (index, characteristic) in service.characteristics.enumerated() {
          if index > 0 { opening += "," }
          opening += "{\"iid\":\(characteristic.iid)"
          keep(characteristic, behind: opening)
          opening = "}"
        }
        opening += "]}"
      }
      opening += "]}"
    }
    text += (opening + "]}").utf8
    precondition(text.count <= Int(UInt32.max), "the attributes exceed four gigabytes")
  }

  private func keep(_ characteristic: Characteristic, behind opening: String) {
    func keep(_ piece: String) -> UInt32 {
      defer { text += piece.utf8 }
      return UInt32(truncatingIfNeeded: text.count)
    }
    let perms = characteristic.perms.names.map { "\"\($0)\"" }.joined(separator: ",")
    slots.append(
      Slot(
        opening: keep(opening),
        type: keep(",\"type\":\"\(characteristic.type.wireForm)\""),
        perms: keep(",\"perms\":[\(perms)]"),
        meta: keep(Self.metadata(of: characteristic)),
        description: keep(Self.description(of: characteristic)),
        end: UInt32(truncatingIfNeeded: text.count),
        isListed: characteristic.perms.contains(.pairedRead)))
  }

  private static func description(of characteristic: Characteristic) -> String {
    characteristic.description.map { description in ",\"description\":" + JSONWriter.text { $0.string(description) } }
      ?? ""
  }

  private static func metadata(of characteristic: Characteristic) -> String {
    var text = ",\"format\":\"\(characteristic.format.rawValue)\""
    if let unit = characteristic.unit { text += ",\"unit\":\"\(unit.rawValue)\"" }
    let constraints = characteristic.constraints
    if let value = constraints.minValue { text += ",\"minValue\":\(Self.number(value))" }
    if let value = constraints.maxValue { text += ",\"maxValue\":\(Self.number(value))" }
    if let value = constraints.minStep { text += ",\"minStep\":\(Self.number(value))" }
    if let length = constraints.maxLen { text += ",\"maxLen\":\(length)" }
    if let length = constraints.maxDataLen { text += ",\"maxDataLen\":\(length)" }
    if let values = constraints.validValues {
      text += ",\"valid-values\":[\(values.map(String.init).joined(separator: ","))]"
    }
    if let range = constraints.validValuesRange {
      text += ",\"valid-values-range\":[\(range.lowerBound),\(range.upperBound)]"
    }
    return text
  }

  private static func number(_ value: Value) -> String {
    var buffer = ByteBuffer()
    switch value {
    case .integer(let number): buffer.appendJSON(number)
    case .float(let number): buffer.appendJSON(number)
    case .null, .bool, .string, .data: preconditionFailure("a limit is a number")
    }
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  private func write(_ piece: Range<UInt32>, to buffer: inout ByteBuffer) {
    text.withUnsafeBytes {
      buffer.append(UnsafeRawBufferPointer(rebasing: $0[Int(piece.lowerBound)..<Int(piece.upperBound)]))
    }
  }
}
