import HAPController
import HAPIP
import HAPModel
import HAPWire

/// A decoder of messages for a transcript. It takes names from the accessory's database, and updates the database from
/// each answer that contains it.
struct TranscriptReader {
  private(set) var database: AttributeDatabase

  init(_ database: AttributeDatabase) { self.database = database }

  /// - Parameter bytes: a whole decrypted message.
  mutating func read(_ bytes: [UInt8], isFromController: Bool, connection: UInt64) -> ProxyEntry {
    var bytes = bytes
    return bytes.withUnsafeMutableBytes { raw in
      isFromController ? request(raw, connection) : answer(raw, connection)
    }
  }

  private mutating func request(_ bytes: UnsafeMutableRawBufferPointer, _ connection: UInt64) -> ProxyEntry {
    let line = Self.firstLine(UnsafeRawBufferPointer(bytes))
    var entry = ProxyEntry(direction: .request, connection: connection, line: line)
    var parser = HTTPRequestParser()
    switch parser.parse(bytes) {
    case .request(let head, let body, _):
      let bytes = UnsafeRawBufferPointer(bytes)
      if let query = head.query, head.hasPath("/characteristics", in: bytes) {
        entry.body = ids(UnsafeRawBufferPointer(rebasing: bytes[query]))
      } else {
        entry.body = self.body([UInt8](bytes[body]), head.contentType)
      }
    // The first reader has joined a chunked body, so it can't be parsed again.
    case .incomplete, .malformed: entry.body = .bytes("a body in chunks", bytes.count)
    }
    return entry
  }

  private mutating func answer(_ bytes: UnsafeMutableRawBufferPointer, _ connection: UInt64) -> ProxyEntry {
    let line = Self.firstLine(UnsafeRawBufferPointer(bytes))
    var entry = ProxyEntry(direction: .answer, connection: connection, line: line)
    var parser = HTTPResponseParser()
    guard case .message(let head, let body, _) = parser.parse(bytes) else { return entry }
    if head.isEvent { entry.direction = .event }
    entry.status = head.status
    entry.body = self.body([UInt8](UnsafeRawBufferPointer(bytes)[body]), head.contentType)
    return entry
  }

  private static func firstLine(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
  }

  /// Returns the characteristics of a read request.
  private func ids(_ query: UnsafeRawBufferPointer) -> ProxyEntry.Body {
    guard let read = try? ReadQuery(query, limit: 4096), read.count > 0 else { return .none }
    var entries: [NamedCharacteristic] = []
    read.forEachID { entries.append(named($0)) }
    return .characteristics(entries)
  }

  private mutating func body(_ bytes: [UInt8], _ type: HTTPContentType) -> ProxyEntry.Body {
    guard !bytes.isEmpty else { return .none }
    switch type {
    case .pairingTLV8:
      guard let tlv = try? TLV(decoding: bytes) else { return .bytes("no TLV8", bytes.count) }
      return .tlv(tlv.items.map(PairingItem.init))
    case .hapJSON, .json, .none, .other:
      var reader = AttributeReader()
      guard bytes.first.map({ $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") || $0 <= 0x20 }) == true,
        let node = try? reader.parse(bytes)
      else { return .bytes(type == .hapJSON || type == .json ? "no JSON" : "unknown", bytes.count) }
      return json(node, bytes)
    case .jpeg, .octetStream, .html: return .bytes("\(type.text)", bytes.count)
    }
  }

  private mutating func json(_ node: JSONNode, _ bytes: [UInt8]) -> ProxyEntry.Body {
    if node["accessories"] != nil, let mirror = try? AccessoryMirror(bytes) {
      database = mirror.database
      return .characteristics(
        database.characteristics.indices.map { slot in
          var entry = named(database.id(ofSlot: slot))
          let characteristic = database.characteristics[slot]
          if characteristic.perms.contains(.pairedRead) { entry.text = characteristic.text(of: characteristic.value) }
          return entry
        })
    }
    guard let list = node["characteristics"]?.elements else { return .json(node) }
    var entries: [NamedCharacteristic] = []
    for element in list {
      guard let aid = element["aid"]?.integerValue.flatMap(UInt64.init(exactly:)),
        let iid = element["iid"]?.integerValue.flatMap(UInt64.init(exactly:))
      else { return .json(node) }
      entries.append(self.entry(AttributeID(aid: aid, iid: iid), element))
    }
    return .characteristics(entries)
  }

  private func entry(_ id: AttributeID, _ node: JSONNode) -> NamedCharacteristic {
    var entry = named(id)
    entry.value = node["value"]
    if let value = node["value"] {
      if let slot = database.slot(of: id) {
        var reader = AttributeReader()
        let characteristic = database.characteristics[slot]
        entry.text = characteristic.text(of: reader.value(value, characteristic.format))
      } else {
        entry.text = value.compactText
      }
    }
    entry.status = node["status"]?.integerValue.flatMap(Int.init(exactly:))
    entry.ev = node["ev"]?.boolValue ?? node["ev"]?.integerValue.map { $0 != 0 }
    if node["authData"] != nil { entry.members.append("authData left out") }
    for name in ["r", "remote"] where node[name]?.boolValue == true { entry.members.append(name) }
    return entry
  }

  private func named(_ id: AttributeID) -> NamedCharacteristic {
    let slot = database.slot(of: id)
    return NamedCharacteristic(
      id: id, name: slot.map { database.title(ofSlot: $0) },
      type: slot.map { database.characteristics[$0].type.wireForm })
  }
}
