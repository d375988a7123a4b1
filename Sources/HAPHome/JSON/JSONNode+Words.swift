import HAPWire

extension JSONNode {
  /// Returns what a word of a table means.
  /// - Parameters:
  ///   - noun: the words together, for messages: "a weekday".
  ///   - table: the words and their meanings, in the order in which messages list them.
  func meaning<T>(_ noun: String, _ table: [(word: String, meaning: T)]) throws(JSONProblem) -> T {
    guard let text = stringValue else { throw problem("\(noun) is expected, not \(kindName)") }
    if let row = table.first(where: { $0.word == text }) { return row.meaning }
    let words = table.map(\.word)
    if let near = nearestName(to: text, in: words) {
      throw problem("\"\(text.shortened)\" is not \(noun): did you mean \"\(near)\"?")
    }
    throw problem("\"\(text.shortened)\" is not \(noun): write \(words.alternatives)")
  }

  /// Returns the case whose raw value is this text.
  func word<T: CaseIterable & RawRepresentable>(
    _ noun: String, of type: T.Type
  ) throws(JSONProblem) -> T where T.RawValue == String {
    try meaning(noun, T.allCases.map { ($0.rawValue, $0) })
  }

  /// Returns the value of a text.
  /// - Parameters:
  ///   - noun: the expected text with an example, for messages: "a period such as \"1d\"".
  ///   - parse: returns nil for a wrong text.
  func parsed<T>(_ noun: String, _ parse: (String) -> T?) throws(JSONProblem) -> T {
    guard let text = stringValue else { throw problem("\(noun) is expected, not \(kindName)") }
    guard let value = parse(text) else { throw problem("\(noun) is expected, not \"\(text.shortened)\"") }
    return value
  }

  /// Returns the only member that decides about the form of an object, such as `sun` of an event.
  /// - Parameters:
  ///   - noun: the object, for messages: "an event".
  ///   - type: the members that decide.
  ///   - others: the other members that the object may have, for "did you mean".
  func form<T: CaseIterable & RawRepresentable>(
    _ noun: String, of type: T.Type, and others: [String]
  ) throws(JSONProblem) -> T where T.RawValue == String {
    let names = T.allCases.map(\.rawValue)
    let found = try asObject().compactMap { member in T(rawValue: member.name).map { (member, $0) } }
    guard let (first, form) = found.first else {
      if let unknown = unknownMembers(except: names + others).first { throw unknown }
      throw problem("\(noun) has one of the members \(names.alternatives)")
    }
    guard found.count == 1 else {
      let second = found[1].0
      throw second.value.problem("\(noun) has only one of the members \"\(first.name)\" and \"\(second.name)\"")
    }
    return form
  }

  /// Returns an object without the members whose value is nil.
  static func members(_ members: (name: String, value: JSONNode?)...) -> JSONNode {
    .object(members.compactMap { name, value in value.map { (name, $0) } })
  }

  static func flag(_ flag: Bool) -> JSONNode { JSONNode(.bool(flag)) }

  /// Returns a number that is parsed as a fraction again, even if it is whole. Infinity is written as a number too large
  /// for a double, and NaN as null.
  static func fraction(_ double: Double) -> JSONNode {
    if double.isNaN { return JSONNode(.null) }
    let text = double.isFinite ? double.description : double < 0 ? "-1e999" : "1e999"
    return JSONNode(.number(Number(text: text, isInteger: false, integer: nil, double: double)))
  }
}

extension [String] {
  /// The words as messages list them: "a, b or c".
  var alternatives: String {
    count < 2 ? joined() : "\(dropLast().joined(separator: ", ")) or \(last ?? "")"
  }
}

extension String {
  /// The text for messages, with at most 40 characters.
  var shortened: String { unicodeScalars.count <= 40 ? self : "\(String(unicodeScalars.prefix(40)))…" }
}
