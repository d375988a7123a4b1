import HAPWire

extension JSONNode {
  /// Returns the meaning of this text in a table.
  /// - Parameters:
  ///   - noun: the words together, for messages: "a weekday".
  ///   - table: the words and their meanings, in the order in which messages list them.
  package func meaning<T>(_ noun: String, _ table: [(word: String, meaning: T)]) throws(JSONProblem) -> T {
    guard let text = stringValue else { throw problem("\(noun) is expected, not \(kindName)") }
    if let row = table.first(where: { $0.word == text }) { return row.meaning }
    let words = table.map(\.word)
    if let near = nearestName(to: text, in: words) {
      throw problem("\"\(text.shortened)\" is not \(noun): did you mean \"\(near)\"?")
    }
    throw problem("\"\(text.shortened)\" is not \(noun): write \(words.alternatives)")
  }

  /// Returns the case whose raw value is this text.
  package func word<T: CaseIterable & RawRepresentable>(
    _ noun: String, of type: T.Type
  ) throws(JSONProblem) -> T where T.RawValue == String {
    try meaning(noun, T.allCases.map { ($0.rawValue, $0) })
  }

  /// Returns the value of a text.
  /// - Parameters:
  ///   - noun: the expected text with an example, for messages: "a period such as \"1d\"".
  ///   - parse: returns nil for a wrong text.
  package func parsed<T>(_ noun: String, _ parse: (String) -> T?) throws(JSONProblem) -> T {
    guard let text = stringValue else { throw problem("\(noun) is expected, not \(kindName)") }
    guard let value = parse(text) else { throw problem("\(noun) is expected, not \"\(text.shortened)\"") }
    return value
  }

  /// Returns the only member that decides about the form of an object, such as `sun` of an event.
  /// - Parameters:
  ///   - noun: the object, for messages: "an event".
  ///   - type: the members that decide.
  ///   - others: the other members that the object may have, for "did you mean".
  package func form<T: CaseIterable & RawRepresentable>(
    _ noun: String, of type: T.Type, and others: [String]
  ) throws(JSONProblem) -> T where T.RawValue == String {
    let names = T.allCases.map(\.rawValue)
    let found = try asObject().compactMap { member in T(rawValue: member.name).map { (member, $0) } }
    guard let (first, form) = found.first else {
      try refuseUnknownMembers(except: names + others)
      throw problem("\(noun) has one of the members \(names.alternatives)")
    }
    guard found.count == 1 else {
      let second = found[1].0
      throw second.value.problem("\(noun) has only one of the members \"\(first.name)\" and \"\(second.name)\"")
    }
    return form
  }

  /// Returns an object without the members whose value is nil.
  package static func members(_ members: (name: String, value: JSONNode?)...) -> JSONNode {
    .object(members.compactMap { name, value in value.map { (name, $0) } })
  }

  /// Reads the identifier of an object.
  package func identifier(of kind: HomeObjectKind? = nil) throws(JSONProblem) -> HomeObjectID {
    try parsed("the identifier of \(kind.map { $0.withArticle } ?? "an object")", HomeObjectID.init)
  }

  /// Reads a member with the identifier of an object: `"room": "…"`.
  package func identifier(_ kind: HomeObjectKind) throws(JSONProblem) -> HomeObjectID {
    try required(kind.word).identifier(of: kind)
  }

  /// Reads an optional member; null counts as missing.
  package func optional<T>(
    _ name: String, _ read: (JSONNode) throws(JSONProblem) -> T
  ) throws(JSONProblem) -> T? {
    guard let node = self[name], !node.isNull else { return nil }
    return try read(node)
  }

  /// Reads a member that has to be there, but may be null.
  package func nullable<T>(
    _ name: String, _ read: (JSONNode) throws(JSONProblem) -> T
  ) throws(JSONProblem) -> T? {
    let node = try required(name)
    return node.isNull ? nil : try read(node)
  }

  /// Reads the elements of a list.
  package func elements<T>(_ read: (JSONNode) throws(JSONProblem) -> T) throws(JSONProblem) -> [T] {
    var elements: [T] = []
    for node in try asList() { elements.append(try read(node)) }
    return elements
  }

  /// Reads a whole number of a type.
  package func number<T: FixedWidthInteger>(as type: T.Type = T.self, from least: T = .min) throws(JSONProblem) -> T {
    T(try asInteger(in: Int128(least)...Int128(T.max)))
  }

  package static func id(_ id: HomeObjectID) -> JSONNode { .text(id.description) }

  package static func ids(_ ids: [HomeObjectID]) -> JSONNode { .list(ids.map { .id($0) }) }

  package static func flag(_ flag: Bool) -> JSONNode { JSONNode(.bool(flag)) }

  /// Returns a number that is parsed as a fraction again, even if it is whole. Infinity is written as a number too large
  /// for a double, and NaN as null.
  package static func fraction(_ double: Double) -> JSONNode {
    if double.isNaN { return JSONNode(.null) }
    let text = double.isFinite ? double.description : double < 0 ? "-1e999" : "1e999"
    return JSONNode(.number(Number(text: text, isInteger: false, integer: nil, double: double)))
  }
}

/// A member of an object that is written.
package typealias JSONMember = (name: String, value: JSONNode)

/// Returns a member with the identifier of an object: `"room": "…"`.
func member(_ kind: HomeObjectKind, _ id: HomeObjectID) -> JSONMember { (kind.word, .id(id)) }

/// Returns the members whose value is not nil.
func present(_ members: (name: String, value: JSONNode?)...) -> [JSONMember] {
  members.compactMap { name, value in value.map { (name, $0) } }
}

extension [String] {
  /// The words as messages list them: "a, b or c".
  package var alternatives: String {
    count < 2 ? joined() : "\(dropLast().joined(separator: ", ")) or \(last ?? "")"
  }
}

extension String {
  /// The text for messages, with at most 40 characters.
  package var shortened: String { unicodeScalars.count <= 40 ? self : "\(String(unicodeScalars.prefix(40)))…" }
}

extension HomeObjectKind {
  /// The member that has the identifier of an object of this kind.
  package var word: String { self == .actionSet ? "actionSet" : rawValue }

  /// The kind for messages: "an accessory".
  package var withArticle: String {
    switch self {
    case .accessory, .actionSet: "an \(rawValue)"
    case .home, .room, .zone, .group, .service, .characteristic, .trigger, .user: "a \(rawValue)"
    }
  }
}
