extension JSONNode {
  package func problem(_ message: String) -> JSONProblem {
    JSONProblem(path: path.description, place: place, message: message)
  }

  /// "a string", "an object" …, for messages.
  package var kindName: String {
    switch kind {
    case .null: "null"
    case .bool: "true or false"
    case .number(let number): number.isInteger ? "an integer" : "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  // MARK: This value

  package var isNull: Bool { kind == .null }
  package var boolValue: Bool? { if case .bool(let bool) = kind { bool } else { nil } }
  package var stringValue: String? { if case .string(let string) = kind { string } else { nil } }
  package var numberValue: Number? { if case .number(let number) = kind { number } else { nil } }
  package var elements: [JSONNode]? { if case .array(let elements) = kind { elements } else { nil } }
  package var members: [Member]? { if case .object(let members) = kind { members } else { nil } }
  /// Nil for a number that is not written as an integer, such as `1.0`.
  package var integerValue: Int128? { numberValue?.integer }

  package func asString() throws(JSONProblem) -> String {
    guard let stringValue else { throw problem("a string is expected, not \(kindName)") }
    return stringValue
  }

  package func asBool() throws(JSONProblem) -> Bool {
    guard let boolValue else { throw problem("true or false is expected, not \(kindName)") }
    return boolValue
  }

  package func asInteger(in range: ClosedRange<Int128>) throws(JSONProblem) -> Int128 {
    guard let integerValue else { throw problem("an integer is expected, not \(kindName)") }
    guard range.contains(integerValue) else {
      throw problem("\(integerValue) is not in \(range.lowerBound)...\(range.upperBound)")
    }
    return integerValue
  }

  package func asDouble() throws(JSONProblem) -> Double {
    guard let numberValue, numberValue.double.isFinite else { throw problem("a number is expected, not \(kindName)") }
    return numberValue.double
  }

  package func asList() throws(JSONProblem) -> [JSONNode] {
    guard let elements else { throw problem("a list is expected, not \(kindName)") }
    return elements
  }

  package func asObject() throws(JSONProblem) -> [Member] {
    guard let members else { throw problem("an object is expected, not \(kindName)") }
    return members
  }

  // MARK: Members of this object

  /// Nil if this is not an object or has no such member.
  package subscript(_ name: String) -> JSONNode? { members?.first { $0.name == name }?.value }

  /// This object without the members that are null; any other value unchanged.
  package var withoutNulls: JSONNode {
    guard let members else { return self }
    var node = self
    node.kind = .object(members.filter { !$0.value.isNull })
    return node
  }

  package func required(_ name: String) throws(JSONProblem) -> JSONNode {
    guard let node = self[name] else {
      _ = try asObject()
      throw problem("\"\(name)\" is missing")
    }
    return node
  }

  package func string(_ name: String) throws(JSONProblem) -> String { try required(name).asString() }
  package func optionalString(_ name: String) throws(JSONProblem) -> String? { try self[name]?.asString() }
  package func bool(_ name: String, default value: Bool) throws(JSONProblem) -> Bool {
    try self[name]?.asBool() ?? value
  }
  /// Returns the elements of a list member; empty if it is missing.
  package func list(_ name: String) throws(JSONProblem) -> [JSONNode] { try self[name]?.asList() ?? [] }

  package func list<T>(
    _ name: String, of element: (JSONNode) throws(JSONProblem) -> T
  ) throws(JSONProblem) -> [T] {
    var result: [T] = []
    for node in try list(name) { result.append(try element(node)) }
    return result
  }

  /// Members of formats that had another name before.
  private static let renamedMembers = ["conduct": "quirks"]

  /// Returns a problem for each member that is neither in `names` nor starts with "x-", with the probable intended
  /// name.
  package func unknownMembers(except names: [String]) -> [JSONProblem] {
    (members ?? []).compactMap { problem(ofUnknown: $0, except: names) }
  }

  private func problem(ofUnknown member: Member, except names: [String]) -> JSONProblem? {
    if names.contains(member.name) || member.name.hasPrefix("x-") { return nil }
    let renamed = Self.renamedMembers[member.name].flatMap { names.contains($0) ? $0 : nil }
    let hint =
      renamed.map { ": it is called \"\($0)\" now" }
      ?? nearestName(to: member.name, in: names).map { ": did you mean \"\($0)\"?" } ?? ""
    return JSONProblem(
      path: JSONPath.member(of: path, member.name).description, place: member.place,
      message: "there is no member \"\(member.name)\" here\(hint)")
  }

  package func refuseUnknownMembers(except names: [String]) throws(JSONProblem) {
    for member in try asObject() {
      if let problem = problem(ofUnknown: member, except: names) { throw problem }
    }
  }
}
