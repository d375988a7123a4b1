import HAPModel
import HAPWire

/// Finds the parts of a suite that do not fit the vocabulary, each with its place.
struct ShapeChecker {
  let file: String
  /// Names of the suite's expectations.
  let expectations: [String]
  /// Whether to skip all checks, because a test has done them.
  let isTrusting: Bool
  private(set) var problems: [SuiteProblem] = []

  init(file: String, expectations: [String], isTrusting: Bool = false) {
    self.file = file
    self.expectations = expectations
    self.isTrusting = isTrusting
  }

  mutating func complain(_ node: JSONNode, _ message: String) { problems.append(SuiteProblem(node, in: file, message)) }

  // MARK: Steps

  mutating func steps(_ node: JSONNode) {
    guard let steps = node.elements else { return complain(node, "a list of steps is expected, not \(node.kindName)") }
    for step in steps { self.step(step) }
  }

  mutating func step(_ node: JSONNode) {
    guard let members = node.members else {
      return complain(node, "a step is an object with one verb, such as { verify: main }, not \(node.kindName)")
    }
    let verbs = members.filter { $0.name != "note" }
    guard verbs.count == 1, let member = verbs.first else {
      return complain(
        node, verbs.isEmpty ? "a step needs a verb such as send or expect" : "a step has one verb, not \(verbs.count)")
    }
    guard let verb = Vocabulary.verb(member.name) else {
      let meant =
        nearestName(to: member.name, in: Vocabulary.verbs.map(\.name)).map { ": did you mean \"\($0)\"?" } ?? ""
      problems.append(
        SuiteProblem(
          file: file, place: member.place, path: member.value.path.description,
          message: "unknown step \"\(member.name)\"\(meant)"))
      return
    }
    check(member.value, verb.shape)
    if verb.step == .expect { expectation(member.value) }
    if verb.step == .expect || verb.step == .event { atLeastSomething(member.value) }
  }

  /// Checks that the names of expectations are known.
  mutating func expectation(_ node: JSONNode) {
    if isTrusting { return }
    if let name = node.stringValue { return known(name, node) }
    if let name = node["is"] { name.stringValue.map { known($0, name) } }
    for alternative in [node] + (node["any"]?.elements ?? []) {
      if alternative["silent"] != nil, let deviation = alternative["deviation"] {
        complain(deviation, "a missing answer is a failure, not a deviation: remove \"deviation\"")
      }
    }
    for alternative in node["any"]?.elements ?? [] {
      if let name = alternative.stringValue { known(name, alternative) }
      if let name = alternative["is"] { name.stringValue.map { known($0, name) } }
    }
  }

  private mutating func known(_ name: String, _ node: JSONNode) {
    if hasVariable(name) || expectations.contains(name) { return }
    let meant = nearestName(to: name, in: expectations).map { ": did you mean \"\($0)\"?" } ?? ""
    complain(node, "the suite has no expectation \"\(name)\"\(meant)")
  }

  /// Refuses an expectation without requirements, because any answer would fit it.
  mutating func atLeastSomething(_ node: JSONNode) {
    if isTrusting { return }
    guard let members = node.members else { return }
    if let ways = node["any"], ways.elements?.isEmpty == true {
      complain(ways, "\"any\" must list at least one alternative")
    }
    let idle: Set<String> = ["on", "within", "procedure", "save", "secure", "deviation", "record", "only", "keep"]
    if members.allSatisfy({ idle.contains($0.name) }) && node["save"] == nil {
      complain(node, "nothing is expected here: write at least one requirement")
    }
  }

  // MARK: Shapes

  mutating func check(_ node: JSONNode, _ shape: Shape) {
    if isTrusting { return }
    if let text = node.stringValue, hasVariable(text) {
      if case .steps = shape { complain(node, "a variable is not allowed instead of steps") }
      return
    }
    switch shape {
    case .any: break
    case .text: if !isScalar(node) { complain(node, "text is expected, not \(node.kindName)") }
    case .integer(let range):
      guard let number = node.integerValue else {
        return complain(node, "an integer is expected, not \(node.kindName)")
      }
      if !range.contains(number) { complain(node, "\(number) is not in \(range.lowerBound)...\(range.upperBound)") }
    case .bool: if node.boolValue == nil { complain(node, "true or false is expected, not \(node.kindName)") }
    case .duration:
      if node.stringValue.flatMap({ Duration(long: $0) }) == nil {
        complain(node, "a duration such as 500ms or 2s is expected, not \(shown(node))")
      }
    case .word(let words): word(node, words)
    case .pattern: pattern(node)
    case .bytes: bytes(node)
    case .items: items(node)
    case .itemPatterns: itemPatterns(node)
    case .alterations: alterations(node)
    case .list(let element):
      guard let elements = node.elements else { return complain(node, "a list is expected, not \(node.kindName)") }
      for entry in elements { check(entry, element) }
    case .map(let value):
      guard let members = node.members else { return complain(node, "an object is expected, not \(node.kindName)") }
      for member in members { check(member.value, value) }
    case .object(let members): object(node, members)
    case .either(let shapes): either(node, shapes)
    case .steps: steps(node)
    case .subject: subject(node)
    }
  }

  private mutating func object(_ node: JSONNode, _ members: [ShapeMember]) {
    guard node.members != nil else { return complain(node, "an object is expected, not \(node.kindName)") }
    for problem in node.unknownMembers(except: members.map(\.name)) { problems.append(SuiteProblem(problem, in: file)) }
    for member in members {
      if let value = node[member.name] {
        check(value, member.shape)
      } else if member.isRequired {
        complain(node, "\"\(member.name)\" is missing")
      }
    }
  }

  private mutating func word(_ node: JSONNode, _ words: [String]) {
    guard let text = node.stringValue else {
      return complain(node, "one of \(words.joined(separator: ", ")) is expected")
    }
    if words.contains(text) { return }
    let meant =
      nearestName(to: text, in: words).map { ": did you mean \"\($0)\"?" }
      ?? ": there are \(words.joined(separator: ", "))"
    complain(node, "\"\(text)\" is not allowed here\(meant)")
  }

  /// Checks by the shapes that accept this kind of value.
  private mutating func either(_ node: JSONNode, _ shapes: [Shape]) {
    let fitting = shapes.filter { takes($0, node) }
    guard let first = fitting.first else {
      return complain(node, "\(node.kindName) is not allowed here")
    }
    // Words come before bytes and text. A text that is none of the words can still fit those.
    for shape in fitting.dropLast() {
      var attempt = ShapeChecker(file: file, expectations: expectations)
      attempt.check(node, shape)
      if attempt.problems.isEmpty { return }
    }
    check(node, fitting.last ?? first)
  }

  private func takes(_ shape: Shape, _ node: JSONNode) -> Bool {
    switch shape {
    case .any, .pattern, .bytes: true
    case .text: isScalar(node)
    case .integer: node.integerValue != nil
    case .bool: node.boolValue != nil
    case .duration, .word: node.stringValue != nil
    case .items: node.elements != nil || node.members != nil
    case .list, .steps, .alterations: node.elements != nil
    case .itemPatterns, .map, .object, .subject: node.members != nil
    case .either(let shapes): shapes.contains { takes($0, node) }
    }
  }

  private func isScalar(_ node: JSONNode) -> Bool { node.elements == nil && node.members == nil && !node.isNull }

  // MARK: Patterns, bytes, items

  mutating func pattern(_ node: JSONNode) {
    if let elements = node.elements {
      for element in elements { pattern(element) }
      return
    }
    guard let members = node.members else { return }
    let names = Vocabulary.constraints.map(\.name)
    let dollars = members.filter { $0.name.hasPrefix("$") }
    for member in dollars where !names.contains(member.name) {
      let meant = nearestName(to: member.name, in: names).map { ": did you mean \"\($0)\"?" } ?? ""
      complain(member.value, "unknown constraint \"\(member.name)\"\(meant)")
    }
    if !dollars.isEmpty, dollars.count < members.count {
      complain(node, "constraints ($…) cannot be mixed with names of members: use $all")
    }
    for member in members {
      switch member.name {
      case "$matches":
        if let text = member.value.stringValue, !hasVariable(text), (try? Regex(text)) == nil {
          complain(member.value, "invalid regular expression")
        }
      case "$is": break
      default: pattern(member.value)
      }
    }
  }

  private mutating func bytes(_ node: JSONNode) {
    if let elements = node.elements {
      for element in elements { check(element, .bytes) }
      return
    }
    if node.members != nil { return object(node, Vocabulary.bytesMembers) }
    if let text = node.stringValue {
      if Hexadecimal.bytes(text) == nil {
        complain(node, "hexadecimal text is expected: write the bytes of a text as { text: … }")
      }
    } else {
      complain(node, "bytes are hexadecimal text in quotes, or an object, not \(node.kindName)")
    }
  }

  private mutating func items(_ node: JSONNode) {
    if let elements = node.elements {
      for element in elements {
        guard let pair = element.elements, pair.count == 2 else {
          complain(element, "an item is a pair [type, value]")
          continue
        }
        item(pair[0], name: pair[0].stringValue ?? pair[0].integerValue.map { "\($0)" } ?? "", value: pair[1])
      }
      return
    }
    guard let members = node.members else { return complain(node, "items are an object or a list of pairs") }
    for member in members { item(member.value, name: member.name, value: member.value) }
  }

  private mutating func item(_ node: JSONNode, name: String, value: JSONNode) {
    itemName(name, node)
    if let text = value.stringValue {
      if hasVariable(text) || name == "identifier" { return }
      if name == "error", Vocabulary.errorNames.contains(where: { $0.name == text }) { return }
      if Hexadecimal.bytes(text) == nil {
        complain(value, "hexadecimal text is expected: write the bytes of a text as { text: … }")
      }
    } else if value.members != nil || value.elements != nil {
      bytes(value)
    } else if value.integerValue == nil {
      complain(value, "an item's value is a number or bytes, not \(value.kindName)")
    }
  }

  private mutating func itemName(_ name: String, _ node: JSONNode) {
    if Vocabulary.itemType(name) != nil || hasVariable(name) { return }
    let names = Vocabulary.itemTypes.map(\.name)
    let meant = nearestName(to: name, in: names).map { ": did you mean \"\($0)\"?" } ?? ""
    complain(node, "unknown item \"\(name)\"\(meant); a number such as 0x7F is also allowed")
  }

  private mutating func itemPatterns(_ node: JSONNode) {
    guard let members = node.members else { return complain(node, "an object is expected, not \(node.kindName)") }
    for member in members {
      if !["list", "$only", "order"].contains(member.name) { itemName(member.name, member.value) }
      pattern(member.value)
    }
  }

  private mutating func alterations(_ node: JSONNode) {
    guard let elements = node.elements else { return complain(node, "a list of alterations is expected") }
    for element in elements {
      guard let members = element.members, members.count == 1 else {
        complain(element, "an alteration is an object with one member")
        continue
      }
      object(element, Vocabulary.alterations)
      for value in [members[0].value, members[0].value["item"]].compactMap({ $0 }) {
        if ["drop", "duplicate"].contains(members[0].name) || value.path != members[0].value.path,
          let name = value.stringValue
        {
          itemName(name, value)
        }
      }
    }
  }

  // MARK: Subjects

  private mutating func subject(_ node: JSONNode) {
    object(node, Vocabulary.subjectMembers)
    let isService = node["kind"]?.stringValue == "service"
    let isAccessory = node["kind"]?.stringValue == "accessory"
    for name in texts(node["type"]) {
      isService ? serviceType(name.text, name.node) : characteristicType(name.text, name.node)
    }
    for name in texts(node["except"]) { characteristicType(name.text, name.node) }
    for name in texts(node["service"]) { serviceType(name.text, name.node) }
    for name in texts(node["with"]) {
      isAccessory ? serviceType(name.text, name.node) : characteristicType(name.text, name.node)
    }
    for entry in texts(node["format"]) where Format(rawValue: entry.text) == nil && !hasVariable(entry.text) {
      complain(entry.node, "unknown format \"\(entry.text)\"")
    }
    for entry in texts(node["perms"]) + texts(node["without"])
    where Permissions(name: entry.text) == nil && !hasVariable(entry.text) {
      complain(entry.node, "unknown permission \"\(entry.text)\"")
    }
  }

  private func texts(_ node: JSONNode?) -> [(text: String, node: JSONNode)] {
    guard let node else { return [] }
    return (node.elements ?? [node]).compactMap { entry in entry.stringValue.map { ($0, entry) } }
  }

  private mutating func characteristicType(_ name: String, _ node: JSONNode) {
    if hasVariable(name) || Catalogue.characteristic(named: name) != nil || TypeID(name) != nil { return }
    let meant =
      nearestName(to: name, in: Catalogue.characteristics.map(\.identifier)).map { ": did you mean \"\($0)\"?" } ?? ""
    complain(node, "the catalogue has no characteristic \"\(name)\"\(meant)")
  }

  private mutating func serviceType(_ name: String, _ node: JSONNode) {
    if hasVariable(name) || Catalogue.service(named: name) != nil || TypeID(name) != nil { return }
    let meant =
      nearestName(to: name, in: Catalogue.services.map(\.identifier)).map { ": did you mean \"\($0)\"?" } ?? ""
    complain(node, "the catalogue has no service \"\(name)\"\(meant)")
  }

  private func shown(_ node: JSONNode) -> String { node.stringValue.map { "\"\($0)\"" } ?? node.kindName }
}

/// Returns whether a text contains a variable.
package func hasVariable(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "$")) && text.contains("${") }

extension Vocabulary {
  /// Returns an item's type by its name or number: "state", "0x7F", "127".
  package static func itemType(_ name: String) -> UInt8? {
    if let known = itemTypes.first(where: { $0.name == name }) { return known.type }
    if name.hasPrefix("0x") { return UInt8(name.dropFirst(2), radix: 16) }
    return UInt8(name)
  }
}
