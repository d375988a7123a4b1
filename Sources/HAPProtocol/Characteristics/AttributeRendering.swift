import HAPModel
import HAPWire

/// The JSON of an attribute database with its unchanging parts made once: what is left per request is copying them and writing the values.
///
/// Member names and their forms: HAP R2 §6.3.
struct AttributeRendering {
  /// Where a piece lies in `text`.
  private struct Piece {
    var start: Int
    var end: Int
  }

  /// The kept pieces of one characteristic.
  private struct Slot {
    /// `{"aid":1,"iid":9`
    var ids: Piece
    /// `,"type":"25"`
    var type: Piece
    /// `,"perms":["pr","pw","ev"]`
    var perms: Piece
    /// `,"format":"bool"` and the constraints.
    var meta: Piece
    /// `/accessories` up to this characteristic's value.
    var before: Piece
    /// Whether `/accessories` has a value for it.
    var isListed: Bool
  }

  private var text: [UInt8] = []
  private var slots: ContiguousArray<Slot> = []
  private var ending = Piece(start: 0, end: 0)
  private let conduct: Conduct

  init(_ database: AttributeDatabase, conduct: Conduct) {
    self.conduct = conduct
    slots.reserveCapacity(database.characteristics.count)
    for slot in database.characteristics.indices {
      let characteristic = database.characteristics[slot]
      let id = database.id(ofSlot: slot)
      slots.append(
        Slot(
          ids: keep { $0 += "{\"aid\":\(id.aid),\"iid\":\(id.iid)" },
          type: keep { $0 += ",\"type\":\"\(characteristic.type.wireForm)\"" },
          perms: keep { $0 += ",\"perms\":[\(characteristic.perms.names.map { "\"\($0)\"" }.joined(separator: ","))]" },
          meta: keep { Self.writeMetadata(of: characteristic, to: &$0) },
          before: Piece(start: 0, end: 0),
          isListed: characteristic.perms.contains(.pairedRead)))
    }
    keepListing(of: database)
  }

  // MARK: Pieces of one characteristic

  func writeIDs(ofSlot slot: Int, to buffer: inout ByteBuffer) { write(slots[slot].ids, to: &buffer) }

  func writeExtras(_ extras: ReadQuery.Extras, ofSlot slot: Int, isSubscribed: Bool, to buffer: inout ByteBuffer) {
    if extras.contains(.type) { write(slots[slot].type, to: &buffer) }
    if extras.contains(.meta) { write(slots[slot].meta, to: &buffer) }
    if extras.contains(.perms) { write(slots[slot].perms, to: &buffer) }
    if extras.contains(.ev) { buffer.append(isSubscribed ? ",\"ev\":true" : ",\"ev\":false") }
  }

  /// `,"value":` and the value in the form of its format.
  func writeValue(_ value: Value, to buffer: inout ByteBuffer) {
    buffer.append(",\"value\":")
    writeBareValue(value, to: &buffer)
  }

  func writeBareValue(_ value: Value, to buffer: inout ByteBuffer) {
    switch value {
    case .null: buffer.append("null")
    case .bool(let isOn):
      switch conduct.booleans {
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

  /// The body of the answer to `GET /accessories`.
  /// - Parameters:
  ///   - hidesAdminOnly: values that only an admin may read are told as null.
  ///   - failures: values that the device could not tell are told as null too.
  func writeDatabase(
    _ database: AttributeDatabase, hidesAdminOnly: Bool, failures: [AttributeID: HAPStatus], to buffer: inout ByteBuffer
  ) {
    for slot in slots.indices {
      write(slots[slot].before, to: &buffer)
      if slots[slot].isListed {
        let characteristic = database.characteristics[slot]
        let isHidden =
          (hidesAdminOnly && characteristic.adminOnly.contains(.pairedRead))
          || (!failures.isEmpty && failures[database.id(ofSlot: slot)] != nil)
        let value = isHidden ? .null : Self.listedValue(of: characteristic)
        // HomeKitADK lists a control point that has nothing to say as "", and Apple's tester is reported to want that.
        let isEmptyText = value == .null && characteristic.format == .tlv8 && !conduct.listsEmptyTLV8AsNull
        writeValue(isEmptyText ? .data([]) : value, to: &buffer)
      }
    }
    write(ending, to: &buffer)
  }

  /// What a read gives for a value: a button was not pressed at the moment of asking, a control point has nothing to say.
  static func listedValue(of characteristic: Characteristic) -> Value {
    EventRules.readsAsNull(characteristic.type) ? .null : characteristic.value
  }

  private mutating func keepListing(of database: AttributeDatabase) {
    var pending = "{\"accessories\":["
    var slot = 0
    for (accessoryIndex, accessory) in database.accessories.enumerated() {
      if accessoryIndex > 0 { pending += "," }
      pending += "{\"aid\":\(accessory.aid),\"services\":["
      for (serviceIndex, service) in accessory.services.enumerated() {
        if serviceIndex > 0 { pending += "," }
        pending += "{\"iid\":\(service.iid),\"type\":\"\(service.type.wireForm)\""
        if service.isPrimary { pending += ",\"primary\":true" }
        if service.isHidden { pending += ",\"hidden\":true" }
        if !service.linked.isEmpty {
          pending += ",\"linked\":[\(service.linked.map(String.init).joined(separator: ","))]"
        }
        pending += ",\"characteristics\":["
        for (index, characteristic) in service.characteristics.enumerated() {
          if index > 0 { pending += "," }
          pending += "{\"iid\":\(characteristic.iid)"
          let start = text.count
          text += pending.utf8
          pending = ""
          copy(slots[slot].type)
          copy(slots[slot].perms)
          copy(slots[slot].meta)
          if let description = characteristic.description {
            text += ",\"description\":".utf8
            text += JSONWriter.bytes { $0.string(description) }
          }
          slots[slot].before = Piece(start: start, end: text.count)
          pending = "}"
          slot += 1
        }
        pending += "]}"
      }
      pending += "]}"
    }
    pending += "]}"
    ending = keep { $0 += pending }
  }

  private static func writeMetadata(of characteristic: Characteristic, to text: inout String) {
    text += ",\"format\":\"\(characteristic.format.rawValue)\""
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

  // MARK: Kept text

  private mutating func keep(_ make: (inout String) -> Void) -> Piece {
    var new = ""
    make(&new)
    let start = text.count
    text += new.utf8
    return Piece(start: start, end: text.count)
  }

  private mutating func copy(_ piece: Piece) { text += text[piece.start..<piece.end] }

  private func write(_ piece: Piece, to buffer: inout ByteBuffer) {
    text.withUnsafeBytes { buffer.append(UnsafeRawBufferPointer(rebasing: $0[piece.start..<piece.end])) }
  }
}
