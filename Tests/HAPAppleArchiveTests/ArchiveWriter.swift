import CPlist
import HAPModel

/// Writes archives as NSKeyedArchiver does, with libplist.
struct ArchiveWriter {
  indirect enum Node {
    case bool(Bool)
    case integer(UInt64)
    case real(Double)
    case string(String)
    case data([UInt8])
    case date
    case uid(Int)
    case list([Node])
    case object([String: Node])
  }

  static let null = Node.uid(0)

  var objects: [Node] = [.string("$null")]

  mutating func add(_ node: Node) -> Node {
    objects.append(node)
    return .uid(objects.count - 1)
  }

  /// An object with a class.
  mutating func object(_ name: String, _ members: [String: Node]) -> Node {
    let description = add(
      .object(["$classname": .string(name), "$classes": .list([.string(name), .string("NSObject")])]))
    return add(.object(members.merging(["$class": description]) { first, _ in first }))
  }

  mutating func array(_ elements: [Node]) -> Node { object("NSMutableArray", ["NS.objects": .list(elements)]) }

  /// The type as real files are reported to have it: an object inside an object.
  mutating func uuid(_ type: TypeID) -> Node {
    let bytes = object("NSUUID", ["NS.uuidbytes": .data(type.bytes)])
    return object("HAKUUID", ["HAK.uuid": bytes])
  }

  mutating func characteristic(
    _ type: TypeID, format: UInt64, permissions: UInt64, properties: UInt64, iid: UInt64?, value: Node? = nil,
    more: [String: Node] = [:]
  ) -> Node {
    var members: [String: Node] = [
      "HAK.uuid": uuid(type), "HAK.format": .integer(format), "HAK.permissions": .integer(permissions),
      "HAK.properties": .integer(properties),
    ]
    members["HAK.instanceid"] = iid.map { .integer($0) }
    members["HAK.value"] = value
    return object("HAKCharacteristic", members.merging(more) { _, last in last })
  }

  mutating func service(
    _ type: TypeID, iid: UInt64?, _ characteristics: [Node], name: String = "HAKService", more: [String: Node] = [:]
  ) -> Node {
    var members: [String: Node] = [
      "HAK.uuid": uuid(type), "HAK.hidden": .bool(false), "HAK.characteristics": array(characteristics),
    ]
    members["HAK.instanceid"] = iid.map { .integer($0) }
    return object(name, members.merging(more) { _, last in last })
  }

  /// Accessory Information, with instance IDs from 1.
  mutating func information(_ name: String) -> Node {
    let name = add(.string(name))
    return service(
      0x3E, iid: 1,
      [
        characteristic(0x14, format: 1, permissions: 8, properties: 2, iid: 2),
        characteristic(
          0x20, format: 8, permissions: 4, properties: 1, iid: 3, value: add(.string("Kilgo Devices, Inc."))),
        characteristic(0x23, format: 8, permissions: 4, properties: 1, iid: 4, value: name),
      ], name: "HAKAccessoryInformationService")
  }

  mutating func accessory(_ services: [Node], iid: UInt64 = 1, more: [String: Node] = [:]) -> Node {
    let members: [String: Node] = [
      "HAK.instanceid": .integer(iid), "HAK.idPool": .integer(40), "HAK.accessoryVersion": .integer(1),
      "HAK.services": array(services), "HAK.transports": array([]), "HAK.bridge": Self.null, "HAK.primary": Self.null,
      "HAK.bridgedAccessories": array([]),
    ]
    return object("HAKAccessory", members.merging(more) { _, last in last })
  }

  /// The whole file: the accessory inside the dictionary that surrounds it.
  mutating func file(_ accessory: Node) -> [UInt8] {
    let root = object(
      "NSDictionary",
      [
        "NS.keys": .list([add(.string("kind")), add(.string("version")), add(.string("accessory"))]),
        "NS.objects": .list([add(.string("accessory")), add(.integer(1)), accessory]),
      ])
    return bytes(top: ["root": root])
  }

  func bytes(top: [String: Node]) -> [UInt8] {
    Self.bytes(
      .object([
        "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"), "$top": .object(top),
        "$objects": .list(objects),
      ]))
  }

  static func bytes(_ node: Node, asXML: Bool = false) -> [UInt8] {
    let tree = tree(node)
    defer { plist_free(tree) }
    var text: UnsafeMutablePointer<CChar>?
    var length: UInt32 = 0
    if asXML { plist_to_xml(tree, &text, &length) } else { plist_to_bin(tree, &text, &length) }
    defer { cplist_free(text) }
    return [UInt8](UnsafeRawBufferPointer(start: text, count: Int(length)))
  }

  private static func tree(_ node: Node) -> plist_t? {
    switch node {
    case .bool(let value): return plist_new_bool(value ? 1 : 0)
    case .integer(let value): return plist_new_uint(value)
    case .real(let value): return plist_new_real(value)
    case .string(let text): return plist_new_string(text)
    case .data(let bytes):
      return bytes.withUnsafeBytes { buffer in
        plist_new_data(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(buffer.count))
      }
    case .date: return plist_new_date(1, 0)
    case .uid(let place): return plist_new_uid(UInt64(place))
    case .list(let elements):
      let list = plist_new_array()
      for element in elements { plist_array_append_item(list, tree(element)) }
      return list
    case .object(let members):
      let object = plist_new_dict()
      // A fixed order, for identical bytes in each run.
      for (name, member) in members.sorted(by: { $0.key < $1.key }) { plist_dict_set_item(object, name, tree(member)) }
      return object
    }
  }
}

extension TypeID {
  var bytes: [UInt8] {
    let digits = uuid.filter { $0 != "-" }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
