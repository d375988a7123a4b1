import HAPIP
import HAPModel
import HAPWire

/// Values and databases in a capture. They are complete, as they were served, so that a capture depends neither on the profile nor on the
/// version that recorded it.
enum CaptureText {
  static func write(_ value: Value, to json: inout JSONWriter) {
    switch value {
    case .null: json.null()
    case .bool(let bool): json.bool(bool)
    case .integer(let integer): json.integer(integer)
    case .float(let float):
      // Distinct from integers, and exact.
      json.object { json in
        json.key("float")
        json.string(String(float.bitPattern, radix: 16))
      }
    case .string(let text): json.string(text)
    case .data(let bytes):
      json.object { json in
        json.key("data")
        json.base64(bytes)
      }
    }
  }

  static func value(_ node: JSONNode) throws(JSONProblem) -> Value {
    switch node.kind {
    case .null: return .null
    case .bool(let bool): return .bool(bool)
    case .number: return .integer(try node.asInteger(in: .min ... .max))
    case .string(let text): return .string(text)
    case .array: throw node.problem("a list is not a value")
    case .object:
      if let float = node["float"] {
        guard let bits = UInt64(try float.asString(), radix: 16) else {
          throw float.problem("a float must be 64 bits in hexadecimal")
        }
        return .float(Double(bitPattern: bits))
      }
      return .data(try bytes(node, "data"))
    }
  }

  static func bytes(_ node: JSONNode, _ name: String) throws(JSONProblem) -> [UInt8] {
    let member = try node.required(name)
    guard let bytes = Base64.decode(try member.asString()) else { throw member.problem("base64 is expected") }
    return bytes
  }

  static func number(_ node: JSONNode, _ name: String) throws(JSONProblem) -> UInt64 {
    UInt64(try node.required(name).asInteger(in: 0...Int128(UInt64.max)))
  }

  static func id(_ node: JSONNode) throws(JSONProblem) -> AttributeID {
    try id(try node.asString(), in: node)
  }

  private static func id(_ text: String, in node: JSONNode) throws(JSONProblem) -> AttributeID {
    let parts = text.split(separator: ".").map { UInt64($0) }
    guard parts.count == 2, let aid = parts[0], let iid = parts[1] else { throw node.problem("an id must be aid.iid") }
    return AttributeID(aid: aid, iid: iid)
  }

  static func ids(_ node: JSONNode, _ name: String) throws(JSONProblem) -> [AttributeID] {
    try node.list(name) { (node) throws(JSONProblem) in try id(node) }
  }

  /// Writes the choices of a profile about its Matter side, if there are any.
  static func write(matter: MatterChoices, to json: inout JSONWriter) {
    guard !matter.isEmpty else { return }
    json.key("matter")
    json.object { json in
      for (id, choice) in matter.sorted(by: { $0.key < $1.key }) {
        json.key("\(id)")
        json.node(choice)
      }
    }
  }

  static func matter(_ node: JSONNode) throws(JSONProblem) -> MatterChoices {
    guard let choices = node["matter"] else { return [:] }
    guard let members = choices.members else { throw choices.problem("an object is expected") }
    var matter: MatterChoices = [:]
    for member in members { matter[try id(member.name, in: choices)] = member.value }
    return matter
  }
}

extension CaptureText {
  static func write(_ accessories: [Accessory], to json: inout JSONWriter) {
    json.array { json in
      for accessory in accessories {
        json.object { json in
          json.key("aid")
          json.integer(accessory.aid)
          json.key("services")
          json.array { json in for service in accessory.services { write(service, to: &json) } }
        }
      }
    }
  }

  private static func write(_ service: Service, to json: inout JSONWriter) {
    json.object { json in
      json.key("iid")
      json.integer(service.iid)
      json.key("type")
      json.string(service.type.wireForm)
      json.key("primary")
      json.bool(service.isPrimary)
      json.key("hidden")
      json.bool(service.isHidden)
      json.key("linked")
      json.array { json in for iid in service.linked { json.integer(iid) } }
      json.key("characteristics")
      json.array { json in for entry in service.characteristics { write(entry, to: &json) } }
    }
  }

  private static func write(_ entry: Characteristic, to json: inout JSONWriter) {
    json.object { json in
      json.key("iid")
      json.integer(entry.iid)
      json.key("type")
      json.string(entry.type.wireForm)
      json.key("format")
      json.string(entry.format.rawValue)
      json.key("perms")
      json.array { json in for name in entry.perms.names { json.string(name) } }
      json.key("adminOnly")
      json.array { json in for name in entry.adminOnly.names { json.string(name) } }
      json.key("persists")
      json.bool(entry.persists)
      json.key("value")
      write(entry.value, to: &json)
      if let unit = entry.unit {
        json.key("unit")
        json.string(unit.rawValue)
      }
      if let description = entry.description {
        json.key("description")
        json.string(description)
      }
      let limits = entry.constraints
      for (name, value) in [("minValue", limits.minValue), ("maxValue", limits.maxValue), ("minStep", limits.minStep)] {
        guard let value else { continue }
        json.key(name)
        write(value, to: &json)
      }
      let range = limits.validValuesRange.map { [$0.lowerBound, $0.upperBound] }
      for (name, numbers) in [
        ("maxLen", limits.maxLen.map { [$0] }), ("maxDataLen", limits.maxDataLen.map { [$0] }),
        ("valid-values", limits.validValues), ("valid-values-range", range),
      ] {
        guard let numbers else { continue }
        json.key(name)
        json.array { json in for number in numbers { json.integer(number) } }
      }
    }
  }

  static func accessories(_ node: JSONNode, _ name: String) throws(JSONProblem) -> [Accessory] {
    try node.list(name) { (node) throws(JSONProblem) in
      Accessory(
        aid: try number(node, "aid"),
        services: try node.list("services") { (node) throws(JSONProblem) in
          Service(
            iid: try number(node, "iid"), type: try type(node), isPrimary: try node.bool("primary", default: false),
            isHidden: try node.bool("hidden", default: false),
            linked: try node.list("linked") { (node) throws(JSONProblem) in
              UInt64(try node.asInteger(in: 0...Int128(UInt64.max)))
            },
            characteristics: try node.list("characteristics") { (node) throws(JSONProblem) in try characteristic(node) }
          )
        })
    }
  }

  private static func characteristic(_ node: JSONNode) throws(JSONProblem) -> Characteristic {
    guard let format = Format(rawValue: try node.string("format")) else {
      throw node.problem("there is no such format")
    }
    var limits = Constraints()
    limits.minValue = try limit(node, "minValue")
    limits.maxValue = try limit(node, "maxValue")
    limits.minStep = try limit(node, "minStep")
    limits.maxLen = try numbers(node, "maxLen")?.first
    limits.maxDataLen = try numbers(node, "maxDataLen")?.first
    limits.validValues = try numbers(node, "valid-values")
    if let ends = try numbers(node, "valid-values-range"), ends.count == 2, ends[0] <= ends[1] {
      limits.validValuesRange = ends[0]...ends[1]
    }
    return Characteristic(
      iid: try number(node, "iid"), type: try type(node), format: format, perms: try permissions(node, "perms"),
      value: try value(try node.required("value")), unit: try node.optionalString("unit").flatMap(Unit.init),
      description: try node.optionalString("description"), constraints: limits,
      adminOnly: try permissions(node, "adminOnly"), persists: try node.bool("persists", default: false))
  }

  /// A limit is a number: only numbers have metadata of this kind (HAP R2 §6.6.3).
  private static func limit(_ node: JSONNode, _ name: String) throws(JSONProblem) -> Value? {
    guard let member = node[name] else { return nil }
    let limit = try value(member)
    switch limit {
    case .integer, .float: return limit
    case .null, .bool, .string, .data: throw member.problem("\(name) is not a number")
    }
  }

  private static func type(_ node: JSONNode) throws(JSONProblem) -> TypeID {
    guard let type = TypeID(try node.string("type")) else { throw node.problem("there is no such type") }
    return type
  }

  private static func permissions(_ node: JSONNode, _ name: String) throws(JSONProblem) -> Permissions {
    var permissions: Permissions = []
    for name in try node.list(name) {
      guard let permission = Permissions(name: try name.asString()) else {
        throw name.problem("there is no such permission")
      }
      permissions.insert(permission)
    }
    return permissions
  }

  private static func numbers(_ node: JSONNode, _ name: String) throws(JSONProblem) -> [Int]? {
    guard node[name] != nil else { return nil }
    return try node.list(name) { (node) throws(JSONProblem) in
      Int(try node.asInteger(in: Int128(Int.min)...Int128(Int.max)))
    }
  }
}
