import HAPModel
import HAPWire

// Services and characteristics as in the answer to `GET /accessories`. HAP R2 §6.6.1 to §6.6.3.

extension JSONNode {
  /// The members of a characteristic besides its value.
  private static let characteristicMembers = [
    "iid", "type", "perms", "format", "unit", "description", "minValue", "maxValue", "minStep", "maxLen", "maxDataLen",
    "valid-values", "valid-values-range",
  ]

  /// Reads a characteristic. Only its value may be missing or null.
  func characteristic(hasValue: Bool) throws(JSONProblem) -> Characteristic {
    try refuseUnknownMembers(except: Self.characteristicMembers + (hasValue ? ["value"] : []))
    let format = try required("format").word("a format", of: Format.self)
    var permissions: Permissions = []
    for node in try required("perms").asList() {
      permissions.insert(try node.parsed("a permission such as \"pr\"", Permissions.init(name:)))
    }
    return Characteristic(
      iid: try required("iid").number(from: 1), type: try Self.typeID(try required("type")), format: format,
      perms: permissions, value: try optional("value") { node throws(JSONProblem) in try node.value(format) } ?? .null,
      unit: try optional("unit") { node throws(JSONProblem) in try node.word("a unit", of: Unit.self) },
      description: try optional("description", Self.string), constraints: try constraints())
  }

  private func constraints() throws(JSONProblem) -> Constraints {
    func limit(_ name: String) throws(JSONProblem) -> Value? {
      try optional(name) { node throws(JSONProblem) in
        let value = try Value(exact: node)
        guard let number = value.doubleValue, number.isFinite, node.numberValue != nil else {
          throw node.problem("a number is expected, not \(node.kindName)")
        }
        return value
      }
    }
    func length(_ name: String) throws(JSONProblem) -> Int? {
      try optional(name) { node throws(JSONProblem) in try node.number(from: 0) }
    }
    var range: ClosedRange<Int>?
    if let ends = try numbers("valid-values-range"), let node = self["valid-values-range"] {
      guard ends.count == 2, ends[0] <= ends[1] else {
        throw node.problem("a range has two numbers, the lower one first")
      }
      range = ends[0]...ends[1]
    }
    return Constraints(
      minValue: try limit("minValue"), maxValue: try limit("maxValue"), minStep: try limit("minStep"),
      maxLen: try length("maxLen"), maxDataLen: try length("maxDataLen"), validValues: try numbers("valid-values"),
      validValuesRange: range)
  }

  private func numbers(_ name: String) throws(JSONProblem) -> [Int]? {
    try optional(name) { node throws(JSONProblem) in
      try node.elements { node throws(JSONProblem) in try node.number() }
    }
  }

  /// Reads a value as it is sent: bytes as base64, and a Boolean also as 0 or 1.
  private func value(_ format: Format) throws(JSONProblem) -> Value {
    switch (format, kind) {
    case (.bool, .bool(let bool)): return .bool(bool)
    case (.bool, .number(let number)) where number.integer == 0 || number.integer == 1:
      return .bool(number.integer == 1)
    case (.float, .number(let number)) where number.double.isFinite: return .float(number.double)
    case (.string, .string(let text)): return .string(text)
    case (.tlv8, .string), (.data, .string): return .data(try parsed("base64", Base64.decode))
    case (_, .number(let number)) where format.integerRange != nil:
      if let integer = number.integer { return .integer(integer) }
    default: break
    }
    throw problem("a value of the format \(format.rawValue) is expected, not \(kindName)")
  }

  /// Reads the members that the services of a database and those of a home have in common.
  func linkedServices() throws(JSONProblem) -> [UInt64] {
    try list("linked") { node throws(JSONProblem) in try node.number() }
  }
}

extension JSONNode {
  /// Writes a characteristic.
  /// - Parameter value: nil: without a value.
  static func characteristic(
    iid: UInt64, type: TypeID, perms: Permissions, rules: ValueRules, unit: Unit?, description: String?, value: Value?
  ) -> JSONNode {
    let limits = rules.constraints
    func numbers(_ numbers: [Int]) -> JSONNode { .list(numbers.map { .integer($0) }) }
    let isWritten = value.map { !$0.isNull } ?? false
    return .members(
      ("iid", .integer(iid)), ("type", .text(type.wireForm)), ("perms", .list(perms.names.map { .text($0) })),
      ("format", .text(rules.format.rawValue)), ("value", isWritten ? value?.sentNode : nil),
      ("unit", unit.map { .text($0.rawValue) }), ("description", description.map { .text($0) }),
      ("minValue", limits.minValue?.exactNode), ("maxValue", limits.maxValue?.exactNode),
      ("minStep", limits.minStep?.exactNode), ("maxLen", limits.maxLen.map { .integer($0) }),
      ("maxDataLen", limits.maxDataLen.map { .integer($0) }), ("valid-values", limits.validValues.map(numbers)),
      ("valid-values-range", limits.validValuesRange.map { numbers([$0.lowerBound, $0.upperBound]) }))
  }
}

extension Value {
  /// The value as it is sent: bytes as base64.
  package var sentNode: JSONNode {
    if case .data(let bytes) = self { .text(Base64.encode(bytes)) } else { exactNode }
  }
}
