import HAPModel

/// An attribute database as it was sent: everything is optional, nothing is corrected.
struct ParsedDatabase: Sendable {
  /// The path before an accessory's index: "accessories", or empty for a bare list.
  var listName = ""
  /// The list of accessories; `nil` if there is none.
  var list: ParsedValue?
  var root: ParsedValue
  var accessories: [ParsedAccessory] = []
  /// Whether the database has the Pairing service, which only Bluetooth and Thread devices expose. Its recorder then
  /// chose the form of the JSON.
  var isOfOtherTransport = false

  init(_ root: ParsedValue) {
    self.root = root
    if root.elements != nil {
      list = root
    } else if let member = root["accessories"] {
      listName = "accessories"
      list = member
    }
    accessories = (list?.elements ?? []).enumerated().map { ParsedAccessory($1, index: $0) }
    isOfOtherTransport = accessories.contains { accessory in
      accessory.services.contains { $0.type == .pairing && $0[.pairSetup] != nil }
    }
  }

}

extension ParsedDatabase {
  /// Counts accessories, services and characteristics together, before any of them is examined.
  static func things(in root: ParsedValue) -> Int {
    let accessories = root.elements ?? root["accessories"]?.elements ?? []
    var count = accessories.count
    for accessory in accessories {
      let services = accessory["services"]?.elements ?? []
      count += services.count
      for service in services { count += service["characteristics"]?.elements?.count ?? 0 }
    }
    return count
  }
}

struct ParsedAccessory: Sendable {
  var value: ParsedValue
  var index: Int
  var aid: UInt64?
  var services: [ParsedService]
  /// The first Accessory Information service.
  private(set) var information: ParsedService?
  /// The name in that service; empty if there is none.
  private(set) var name = ""

  init(_ value: ParsedValue, index: Int) {
    self.value = value
    self.index = index
    aid = value["aid"]?.id
    services = (value["services"]?.elements ?? []).enumerated().map { ParsedService($1, index: $0) }
    information = services.first { $0.type == .information }
    name = information?[.name]?.content?.string ?? ""
  }
}

struct ParsedService: Sendable {
  var value: ParsedValue
  var index: Int
  var iid: UInt64?
  var type: TypeID?
  var definition: ServiceDefinition?
  var characteristics: [ParsedCharacteristic]
  var isPrimary: Bool
  var isHidden: Bool
  /// The valid iids in `linked`.
  var linked: [UInt64]

  init(_ value: ParsedValue, index: Int) {
    self.value = value
    self.index = index
    iid = value["iid"]?.id
    type = value["type"]?.string.flatMap(TypeID.init(seen:))
    definition = type.flatMap(Catalogue.service)
    characteristics = (value["characteristics"]?.elements ?? []).enumerated().map {
      ParsedCharacteristic($1, index: $0)
    }
    isPrimary = value["primary"]?.isYes ?? false
    isHidden = value["hidden"]?.isYes ?? false
    linked = value["linked"]?.elements?.compactMap(\.id) ?? []
  }

  subscript(_ type: TypeID) -> ParsedCharacteristic? { characteristics.first { $0.type == type } }

  /// A name such as "Light Bulb", or the type as written.
  var name: String { definition?.name ?? type?.wireForm ?? "service without a type" }
}

struct ParsedCharacteristic: Sendable {
  var value: ParsedValue
  var index: Int
  var iid: UInt64?
  var type: TypeID?
  var definition: CharacteristicDefinition?
  /// The format as written ("int32" is read as int), or Apple's if it is missing.
  var format: Format?
  /// The permissions; `nil` if there is no list of them.
  var perms: Permissions?
  /// The member `value`, including null.
  var content: ParsedValue?
  var minValue: ParsedValue?
  var maxValue: ParsedValue?
  var minStep: ParsedValue?

  init(_ value: ParsedValue, index: Int) {
    self.value = value
    self.index = index
    var formatText: String?
    // One pass, because characteristics are by far the most frequent elements.
    for member in value.members ?? [] {
      switch member.name {
      case "iid": iid = iid ?? member.value.id
      case "type": type = type ?? member.value.string.flatMap(TypeID.init(seen:))
      case "format": formatText = formatText ?? member.value.string
      case "perms":
        if perms == nil, let elements = member.value.elements {
          perms = Permissions(elements.compactMap { $0.string.flatMap(Permissions.init(name:)) })
        }
      case "value": content = content ?? member.value
      case "minValue": minValue = minValue ?? member.value
      case "maxValue": maxValue = maxValue ?? member.value
      case "minStep": minStep = minStep ?? member.value
      default: break
      }
    }
    definition = type.flatMap(Catalogue.characteristic)
    format = formatText.map { $0 == "int32" ? .int : Format(rawValue: $0) } ?? definition?.format
  }

  var name: String { definition?.name ?? type?.wireForm ?? "characteristic without a type" }
}

extension ParsedValue {
  /// An integer from 1 to 2^64-1.
  var id: UInt64? { integer.flatMap(UInt64.init(exactly:)).flatMap { $0 > 0 ? $0 : nil } }

  /// Whether the value is true, or the 1 that some stacks write for true.
  var isYes: Bool { bool ?? (integer == 1) }
}

extension TypeID {
  /// Parses a short or full type, also without dashes.
  init?(seen text: String) {
    if let type = TypeID(text) {
      self = type
      return
    }
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    var digits = text[...]
    var parts: [Substring] = []
    for count in [8, 4, 4, 4, 12] {
      parts.append(digits.prefix(count))
      digits = digits.dropFirst(count)
    }
    guard let type = TypeID(parts.joined(separator: "-")) else { return nil }
    self = type
  }
}
