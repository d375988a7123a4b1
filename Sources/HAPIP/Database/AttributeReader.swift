import HAPModel
import HAPWire

/// Reads the JSON of an attribute database from accessories, which is not always valid. Uses all that can be
/// understood, and reports each deviation. HAP R2 §6.3.
package struct AttributeReader {
  /// The tolerated deviations so far, in the order of the text.
  package private(set) var remarks: [Deviation] = []
  /// Whether a Boolean was written as `true` or `false`; most accessories write 1 and 0.
  package private(set) var sawBooleanInWords = false
  /// Whether a readable tlv8 was null; most accessories write "".
  package private(set) var sawNullTLV8 = false

  package init() {}

  /// Parses a body: strict JSON, or JSON that can be repaired.
  package mutating func parse(_ body: [UInt8]) throws(JSONProblem) -> JSONNode {
    do throws(JSONError) { return try JSONNode.parse(body) } catch {
      let (repaired, mends) = LenientJSON.repaired(body)
      guard let node = try? JSONNode.parse(repaired) else {
        throw JSONProblem(path: "", place: error.place, message: error.message)
      }
      if mends.isEmpty { remarks.append(Deviation("", "extra bytes follow the end of the JSON")) }
      for mend in mends { remarks.append(Deviation("byte \(mend.offset)", mend.message)) }
      return node
    }
  }

  /// Reads the answer to `GET /accessories`, or only its list.
  /// - Throws: if there is no list of accessories.
  package mutating func accessories(_ node: JSONNode) throws(JSONProblem) -> [Accessory] {
    let list = try (node.elements == nil ? try node.required("accessories") : node).asList()
    var result: [Accessory] = []
    var aids: Set<UInt64> = []
    for entry in list {
      guard let aid = id(entry, "aid") else { continue }
      guard aids.insert(aid).inserted else {
        remark(entry, "aid \(aid) already exists; this accessory is left out")
        continue
      }
      var taken: Set<UInt64> = []
      var services: [Service] = []
      for node in elements(entry, "services") {
        if let service = service(node, taken: &taken) { services.append(service) }
      }
      result.append(Accessory(aid: aid, services: settled(services, besides: taken, of: entry)))
    }
    return result
  }

  /// - Parameter taken: the iids of the characteristics read so far in this accessory.
  private mutating func service(_ node: JSONNode, taken: inout Set<UInt64>) -> Service? {
    guard let iid = id(node, "iid"), let type = type(node) else { return nil }
    var linked: [UInt64] = []
    for entry in elements(node, "linked") {
      if let number = entry.integerValue.flatMap(UInt64.init(exactly:)), number > 0 {
        linked.append(number)
      } else {
        remark(entry, "is not an iid; this link is left out")
      }
    }
    var characteristics: [Characteristic] = []
    for entry in elements(node, "characteristics") {
      guard let characteristic = characteristic(entry) else { continue }
      if taken.insert(characteristic.iid).inserted {
        characteristics.append(characteristic)
      } else {
        remark(entry, "iid \(characteristic.iid) already exists; this characteristic is left out")
      }
    }
    return Service(
      iid: iid, type: type, isPrimary: flag(node, "primary"), isHidden: flag(node, "hidden"), linked: linked,
      characteristics: characteristics)
  }

  /// Gives a free iid to each service whose iid is already in use, and drops links to services that don't exist.
  /// Services are renumbered instead of characteristics, because requests use only the iids of characteristics.
  private mutating func settled(
    _ services: [Service], besides characteristics: Set<UInt64>, of node: JSONNode
  ) -> [Service] {
    var result = services
    let written = characteristics.union(services.map(\.iid))
    var taken = characteristics
    var moved: [UInt64: UInt64] = [:]
    // New iids are above all others. If there are none left, they are the lowest free ones.
    var next = written.max() ?? 0
    for index in result.indices where !taken.insert(result[index].iid).inserted {
      repeat { next = next == .max ? 1 : next + 1 } while written.contains(next)
      remark(node, "service \(result[index].iid) has a duplicate iid; it gets iid \(next) here")
      moved[result[index].iid] = moved[result[index].iid] ?? next
      result[index].iid = next
      taken.insert(next)
    }
    let iids = Set(result.map(\.iid))
    for index in result.indices {
      var linked: [UInt64] = []
      for iid in result[index].linked {
        if iids.contains(iid) {
          linked.append(iid)
        } else if let moved = moved[iid] {
          linked.append(moved)
        } else {
          remark(node, "service \(result[index].iid) is linked to \(iid), which does not exist; the link is left out")
        }
      }
      result[index].linked = linked
    }
    return result
  }

  // MARK: Characteristics

  private mutating func characteristic(_ node: JSONNode) -> Characteristic? {
    guard let iid = id(node, "iid"), let type = type(node) else { return nil }
    let known = Catalogue.characteristic(type)
    guard let format = format(node, known) else { return nil }
    var characteristic = Characteristic(iid: iid, type: type, format: format, perms: perms(node, known))
    if let node = node["unit"], !node.isNull {
      characteristic.unit = node.stringValue.flatMap(Unit.init(rawValue:))
      if characteristic.unit == nil, node.stringValue != "unitless" { remark(node, "is not a HAP unit") }
    }
    characteristic.description = node["description"]?.stringValue
    characteristic.constraints = constraints(node, format)
    if let value = node["value"] { characteristic.value = self.value(value, format) }
    return characteristic
  }

  private mutating func format(_ node: JSONNode, _ known: CharacteristicDefinition?) -> Format? {
    if let named = node["format"] {
      if let format = named.stringValue.flatMap(Format.init(rawValue:)) { return format }
      if named.stringValue == "int32" {
        remark(named, "\"int32\" is called \"int\" in HAP")
        return .int
      }
      remark(named, "is not a HAP format")
    }
    if let known {
      if node["format"] == nil { remark(node, "the format is missing; \(known.name) has \(known.format.rawValue)") }
      return known.format
    }
    let guess: Format? =
      switch node["value"]?.kind {
      case .bool?: .bool
      case .number(let number)?: number.isInteger ? .int : .float
      case .string?: .string
      default: nil
      }
    remark(node, "the format is unknown" + (guess.map { "; its value suggests \($0.rawValue)" } ?? "; it is left out"))
    return guess
  }

  private mutating func perms(_ node: JSONNode, _ known: CharacteristicDefinition?) -> Permissions {
    guard node["perms"] != nil else {
      remark(node, "the permissions are missing")
      return known?.perms ?? .pairedRead
    }
    var perms: Permissions = []
    for entry in elements(node, "perms") {
      if let permission = entry.stringValue.flatMap(Permissions.init(name:)) {
        perms.insert(permission)
      } else {
        remark(entry, "is not a HAP permission")
      }
    }
    return perms
  }

  private mutating func constraints(_ node: JSONNode, _ format: Format) -> Constraints {
    var constraints = Constraints()
    func limit(_ name: String) -> Value? {
      guard let entry = node[name], !entry.isNull else { return nil }
      guard let number = entry.numberValue, number.double.isFinite else {
        remark(entry, "is not a number")
        return nil
      }
      if format == .float { return .float(number.double) }
      if let integer = number.integer { return .integer(integer) }
      if let whole = Int128(exactly: number.double) { return .integer(whole) }
      return .float(number.double)
    }
    constraints.minValue = limit("minValue")
    constraints.maxValue = limit("maxValue")
    constraints.minStep = limit("minStep")
    func length(_ name: String) -> Int? {
      guard let entry = node[name], !entry.isNull else { return nil }
      guard let number = entry.integerValue.flatMap(Int.init(exactly:)), number >= 0 else {
        remark(entry, "is not a length")
        return nil
      }
      return number
    }
    constraints.maxLen = length("maxLen")
    constraints.maxDataLen = length("maxDataLen")
    if node["valid-values"] != nil {
      let values = integers(node, "valid-values")
      if !values.isEmpty { constraints.validValues = values }
    }
    if node["valid-values-range"] != nil {
      let ends = integers(node, "valid-values-range")
      if ends.count == 2, ends[0] <= ends[1] {
        constraints.validValuesRange = ends[0]...ends[1]
      } else {
        remark(node, "valid-values-range is not a range")
      }
    }
    return constraints
  }

  // MARK: Values

  /// Converts a value to its format, from JSON that may have another form; null if that is impossible.
  package mutating func value(_ node: JSONNode, _ format: Format) -> Value {
    switch (format, node.kind) {
    case (.tlv8, .null):
      sawNullTLV8 = true
      return .null
    case (_, .null): return .null
    case (.bool, .bool(let value)):
      sawBooleanInWords = true
      return .bool(value)
    case (.bool, .number(let number)) where number.integer == 0 || number.integer == 1:
      return .bool(number.integer == 1)
    case (.float, .number(let number)) where number.double.isFinite: return .float(number.double)
    case (.string, .string(let text)): return .string(text)
    case (.tlv8, .string(let text)), (.data, .string(let text)):
      if let bytes = Base64.decode(text) { return .data(bytes) }
      if let bytes = Hexadecimal.bytes(text) {
        remark(node, "bytes are written in hexadecimal")
        return .data(bytes)
      }
      if let bytes = Base64.decode(text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)) {
        remark(node, "the Base64 padding is missing")
        return .data(bytes)
      }
    case (_, .number(let number)) where format.integerRange != nil:
      if let integer = number.integer { return .integer(integer) }
      if let whole = Int128(exactly: number.double) {
        remark(node, "a whole number is written as \(number.text)")
        return .integer(whole)
      }
    case (_, .bool(let value)) where format.integerRange != nil:
      remark(node, "\(value) is used as a number")
      return .integer(value ? 1 : 0)
    case (_, .string(let text)) where format.integerRange != nil:
      if let number = Int128(text) {
        remark(node, "a number is written as text")
        return .integer(number)
      }
    case (.float, .string(let text)):
      if let number = Double(text), number.isFinite {
        remark(node, "a number is written as text")
        return .float(number)
      }
    case (.string, .number(let number)):
      remark(node, "a text is written as a number")
      return .string(number.text)
    default: break
    }
    remark(node, "\(node.kindName) is not a value of format \(format.rawValue)")
    return .null
  }

  // MARK: Helpers

  private mutating func remark(_ node: JSONNode, _ message: String) {
    if remarks.count < Deviation.most { remarks.append(Deviation(node.path.description, message)) }
  }

  private mutating func id(_ node: JSONNode, _ name: String) -> UInt64? {
    guard let entry = node[name] else {
      remark(node, "\(name) is missing; this is left out")
      return nil
    }
    if let number = entry.integerValue.flatMap(UInt64.init(exactly:)), number > 0 { return number }
    if let text = entry.stringValue ?? entry.numberValue?.text, let number = Double(text), number >= 1,
      let id = UInt64(exactly: number)
    {
      remark(entry, "is not written as a JSON integer")
      return id
    }
    remark(entry, "is not an ID; this is left out")
    return nil
  }

  private mutating func type(_ node: JSONNode) -> TypeID? {
    if let text = node["type"]?.stringValue {
      if let type = TypeID(text) { return type }
      if let type = TypeID(withoutDashes: text) {
        remark(node, "the type's UUID has no dashes")
        return type
      }
    }
    remark(node, "the type is missing or is not a UUID; this is left out")
    return nil
  }

  private mutating func flag(_ node: JSONNode, _ name: String) -> Bool {
    guard let entry = node[name], !entry.isNull else { return false }
    if let value = entry.boolValue { return value }
    remark(entry, "is neither true nor false")
    return entry.integerValue == 1
  }

  private mutating func elements(_ node: JSONNode, _ name: String) -> [JSONNode] {
    guard let entry = node[name], !entry.isNull else { return [] }
    if let elements = entry.elements { return elements }
    remark(entry, "is not a list")
    return []
  }

  private mutating func integers(_ node: JSONNode, _ name: String) -> [Int] {
    elements(node, name).compactMap { entry in
      if let number = entry.integerValue.flatMap(Int.init(exactly:)) { return number }
      remark(entry, "is not a whole number")
      return nil
    }
  }
}

extension TypeID {
  /// Parses 32 hexadecimal digits without dashes.
  fileprivate init?(withoutDashes text: String) {
    guard text.utf8.count == 32 else { return nil }
    var digits = text[...]
    self.init(
      [8, 4, 4, 4, 12].map { count in
        defer { digits = digits.dropFirst(count) }
        return String(digits.prefix(count))
      }.joined(separator: "-"))
  }
}
