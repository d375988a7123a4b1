import HAPAttributes
import HAPModel
import HAPWire

/// The body of `PUT /characteristics`, decoded but not checked against the database. HAP R2 §6.7.2.
struct WriteRequest {
  /// The error and its offset in a malformed body.
  struct Mistake: Error {
    var message: String
    var offset: Int
  }

  /// Values have their JSON types: `true` is `.bool`, `1` is `.integer`, `1.0` is `.float`, base64 is still
  /// `.string`.
  var transaction = WriteTransaction()
  /// Whether the thrown mistake is an empty list of entries.
  private(set) var isWithoutEntries = false
  private var takesNull = false
  private var dropsNull = false
  private var needsValueOrEv = false
  /// `pid`: set for the second half of a timed write.
  private(set) var pid: UInt64?

  /// Reads a body into `self`, whose buffers are reused. Removes the previous entries, even if it throws.
  ///
  /// As in HomeKitADK, unknown members are ignored. The whole request is malformed in these cases:
  /// - `characteristics` has no entries;
  /// - an entry has no `aid` or `iid`;
  /// - a value is `null`;
  /// - an `ev` is not true, false, 1 or 0.
  mutating func read(_ body: UnsafeRawBufferPointer, quirks: IPQuirks) throws(Mistake) {
    takesNull = !quirks.nullIsMalformed
    dropsNull = quirks.nullIsNoValue
    needsValueOrEv = quirks.idleEntryIsMalformed
    isWithoutEntries = false
    transaction.writes.removeAll(keepingCapacity: true)
    pid = nil
    var reader = JSONReader(body)
    do throws(JSONReader.Failure) {
      try readTop(&reader)
    } catch {
      throw Mistake(message: error.message, offset: error.offset)
    }
    if let malformed { throw malformed }
  }

  /// Whether an ID occurs twice.
  var hasDuplicates: Bool { Set(transaction.writes.map(\.id)).count < transaction.writes.count }

  /// Set if the JSON is valid but the request is not. The functions that read can throw only the errors of the JSON
  /// reader.
  private var malformed: Mistake?

  private mutating func readTop(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    malformed = nil
    guard try reader.next() == .beginObject else { return fail("an object is expected", reader) }
    var isEmpty = true
    while malformed == nil {
      switch try reader.next() {
      case .key(let key):
        isEmpty = false
        if reader.isEqual(key, to: "characteristics") {
          try readEntries(&reader)
        } else if reader.isEqual(key, to: "pid") {
          guard pid == nil else { return fail("pid occurs twice", reader) }
          pid = try unsigned(&reader, "pid")
        } else {
          try reader.skipValue()
        }
      case .endObject:
        // HomeKitADK answers 400 to `{}`, and 204 to an object that only lacks the member.
        if isEmpty { return fail("the object is empty", reader) }
        _ = try reader.next()
        return
      default: return fail("a member name is expected", reader)
      }
    }
  }

  private mutating func readEntries(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    guard try reader.next() == .beginArray else { return fail("characteristics must be an array", reader) }
    var isEmpty = true
    while malformed == nil {
      switch try reader.next() {
      case .beginObject:
        isEmpty = false
        try readEntry(&reader)
      case .endArray:
        if isEmpty {
          isWithoutEntries = true
          fail("characteristics is empty", reader)
        }
        return
      default: return fail("an entry must be an object", reader)
      }
    }
  }

  private mutating func readEntry(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    var aid: UInt64?
    var iid: UInt64?
    var entry = AttributeWrite(AttributeID(aid: 0, iid: 0))
    while malformed == nil {
      switch try reader.next() {
      case .key(let key):
        if reader.isEqual(key, to: "aid") {
          aid = try unsigned(&reader, "aid")
        } else if reader.isEqual(key, to: "iid") {
          iid = try unsigned(&reader, "iid")
        } else if reader.isEqual(key, to: "value") {
          entry.value = try value(&reader)
        } else if reader.isEqual(key, to: "ev") {
          entry.subscribes = try flag(&reader, "ev")
        } else if reader.isEqual(key, to: "r") {
          entry.wantsResponse = try flag(&reader, "r") ?? false
        } else if reader.isEqual(key, to: "remote") {
          entry.isRemote = try flag(&reader, "remote") ?? false
        } else if reader.isEqual(key, to: "authData") {
          guard case .string(let text) = try reader.next() else { return fail("authData must be a string", reader) }
          entry.authorization = Base64.decode(reader.string(text)).map { .bytes($0) } ?? .malformed
        } else {
          try reader.skipValue()
        }
      case .endObject:
        guard let aid, let iid else { return fail("an entry must have aid and iid", reader) }
        if needsValueOrEv, entry.value == nil, entry.subscribes == nil {
          return fail("an entry must have value or ev", reader)
        }
        entry.id = AttributeID(aid: aid, iid: iid)
        transaction.writes.append(entry)
        return
      default: return fail("a member name is expected", reader)
      }
    }
  }

  private mutating func value(_ reader: inout JSONReader) throws(JSONReader.Failure) -> Value? {
    switch try reader.next() {
    case .bool(let isOn): return .bool(isOn)
    case .number(let number):
      if let integer = reader.integer(number) { return .integer(integer) }
      if let float = reader.double(number) { return .float(float) }
      fail("value is a number out of range", reader)
    case .string(let text): return .string(reader.string(text))
    case .null:
      if dropsNull { return nil }
      if takesNull { return .null }
      fail("value is null", reader)
    default: fail("value must be a number, a Boolean or a string", reader)
    }
    return nil
  }

  private mutating func unsigned(_ reader: inout JSONReader, _ name: String) throws(JSONReader.Failure) -> UInt64? {
    if case .number(let number) = try reader.next(), let integer = reader.integer(number),
      let value = UInt64(exactly: integer)
    {
      return value
    }
    fail("\(name) must be an unsigned 64-bit number", reader)
    return nil
  }

  private mutating func flag(_ reader: inout JSONReader, _ name: String) throws(JSONReader.Failure) -> Bool? {
    switch try reader.next() {
    case .bool(let isOn): return isOn
    case .number(let number):
      switch reader.integer(number) {
      case 0?: return false
      case 1?: return true
      default: break
      }
    default: break
    }
    fail("\(name) must be true, false, 1 or 0", reader)
    return nil
  }

  private mutating func fail(_ message: String, _ reader: JSONReader) {
    if malformed == nil { malformed = Mistake(message: message, offset: reader.tokenStart) }
  }
}
