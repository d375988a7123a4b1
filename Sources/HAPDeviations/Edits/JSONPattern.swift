import HAPModel
import HAPWire

/// A path into a JSON text that may mean several places: `/characteristics/*[ev]/value`. See docs/reference/defects.md, "Paths and edits of JSON".
package struct JSONPattern: Equatable, Sendable {
  enum Selector: Equatable, Sendable {
    case member(String)
    /// Negative: from the end.
    case element(Int)
    case all
    /// The first that matches and contains the rest of the path.
    case first
    /// After the last element.
    case end
  }

  enum Test: Equatable, Sendable {
    case present
    case absent
    case equal(String)
    case different(String)
    case containing(String)
    case above(Double)
    case below(Double)
  }

  struct Filter: Equatable, Sendable {
    var name: String
    var test: Test
  }

  struct Step: Equatable, Sendable {
    var selector: Selector
    var filters: [Filter] = []
  }

  let steps: [Step]

  /// - Throws: a message that describes the error in the text.
  init(_ text: String) throws(Malformed) {
    guard text.hasPrefix("/") else { throw Malformed(message: "a path begins with \"/\": \"\(text)\"") }
    if text == "/" {
      steps = []
      return
    }
    var steps: [Step] = []
    for piece in Self.pieces(of: text.dropFirst()) { steps.append(try Self.step(piece)) }
    self.steps = steps
  }

  package struct Malformed: Error, Equatable { package var message: String }

  /// Returns the parts between slashes that are not inside brackets.
  private static func pieces(of text: Substring) -> [String] {
    var pieces = [""]
    var depth = 0
    for character in text {
      if character == "[" { depth += 1 }
      if character == "]" { depth -= 1 }
      if character == "/", depth == 0 { pieces.append("") } else { pieces[pieces.count - 1].append(character) }
    }
    return pieces
  }

  private static func step(_ text: String) throws(Malformed) -> Step {
    let name = text.prefix { $0 != "[" }
    guard !name.isEmpty else { throw Malformed(message: "a step of a path is empty: \"\(text)\"") }
    var step: Step
    switch name {
    case "*": step = Step(selector: .all)
    case "?": step = Step(selector: .first)
    case "-": step = Step(selector: .end)
    default: step = Step(selector: Int(name).map { .element($0) } ?? .member(String(name)))
    }
    var rest = text[name.endIndex...]
    while !rest.isEmpty {
      guard rest.first == "[", let close = rest.firstIndex(of: "]") else {
        throw Malformed(message: "a bracket is not closed: \"\(text)\"")
      }
      step.filters.append(try filter(rest[rest.index(after: rest.startIndex)..<close]))
      rest = rest[rest.index(after: close)...]
    }
    return step
  }

  private static func filter(_ text: Substring) throws(Malformed) -> Filter {
    if text.hasPrefix("!") { return Filter(name: String(text.dropFirst()), test: .absent) }
    guard let at = text.firstIndex(where: { "=!~<>".contains($0) }) else {
      return Filter(name: String(text), test: .present)
    }
    let name = String(text[..<at])
    let value = String(text[text.index(after: at)...])
    switch text[at] {
    case "=": return Filter(name: name, test: .equal(value))
    case "!": return Filter(name: name, test: .different(value.hasPrefix("=") ? String(value.dropFirst()) : value))
    case "~": return Filter(name: name, test: .containing(value))
    default:
      guard let bound = Double(value) else { throw Malformed(message: "a number is expected in \"[\(text)]\"") }
      return Filter(name: name, test: text[at] == ">" ? .above(bound) : .below(bound))
    }
  }
}

/// The facts in the database about a characteristic whose entry in a message contains only its IDs.
package struct AttributeFacts: Equatable, Sendable {
  package var type: String
  package var format: String
  package var perms: [String]
  /// The type of its service.
  package var service: String

  package init(type: String, format: String, perms: [String], service: String) {
    self.type = type
    self.format = format
    self.perms = perms
    self.service = service
  }
}

package typealias AttributeLookup = (_ aid: UInt64, _ iid: UInt64) -> AttributeFacts?

extension JSONPattern.Filter {
  /// Returns whether a value passes the test.
  func fits(_ node: JSONNode, _ lookup: AttributeLookup) -> Bool {
    let found = node[name] ?? looked(up: node, lookup)
    switch test {
    case .present: return found != nil
    case .absent: return found == nil
    case .equal(let text): return found.map { says($0, text) } ?? false
    case .different(let text): return found.map { !says($0, text) } ?? false
    case .containing(let text):
      guard let found else { return false }
      if let elements = found.elements { return elements.contains { says($0, text) } }
      return found.stringValue?.contains(text) ?? false
    case .above(let bound): return found?.numberValue.map { $0.double > bound } ?? false
    case .below(let bound): return found?.numberValue.map { $0.double < bound } ?? false
    }
  }

  private func looked(up node: JSONNode, _ lookup: AttributeLookup) -> JSONNode? {
    guard ["type", "format", "perms", "service"].contains(name),
      let id = node.attributeID, let facts = lookup(id.aid, id.iid)
    else { return nil }
    switch name {
    case "type": return .text(facts.type)
    case "format": return .text(facts.format)
    case "service": return .text(facts.service)
    default: return .list(facts.perms.map { .text($0) })
    }
  }

  private func says(_ node: JSONNode, _ text: String) -> Bool {
    switch node.kind {
    case .string(let own):
      guard name == "type" || name == "service" else { return own == text }
      let wanted = Catalogue.type(named: text)
      return wanted == nil ? own == text : TypeID(own) == wanted
    case .number(let number): return number.text == text
    case .bool(let bool): return String(bool) == text
    case .null: return text == "null"
    case .array, .object: return false
    }
  }
}

extension Catalogue {
  /// Returns the type for the name of a characteristic or a service, or for an identifier.
  static func type(named text: String) -> TypeID? {
    characteristic(named: text)?.type ?? service(named: text)?.type ?? TypeID(text)
  }
}

// MARK: Finding and editing

extension JSONPattern {
  /// Returns whether the path matches anything.
  func exists(in node: JSONNode, _ lookup: AttributeLookup) -> Bool { Self.exists(steps[...], node, lookup) }

  private static func exists(_ steps: ArraySlice<Step>, _ node: JSONNode, _ lookup: AttributeLookup) -> Bool {
    guard let step = steps.first else { return true }
    return step.children(of: node, lookup).contains { exists(steps.dropFirst(), $0.node, lookup) }
  }

  /// Returns the first value that the path matches.
  func first(in node: JSONNode, _ lookup: AttributeLookup) -> JSONNode? { Self.first(steps[...], node, lookup) }

  private static func first(_ steps: ArraySlice<Step>, _ node: JSONNode, _ lookup: AttributeLookup) -> JSONNode? {
    guard let step = steps.first else { return node }
    for child in step.children(of: node, lookup) {
      if let found = first(steps.dropFirst(), child.node, lookup) { return found }
    }
    return nil
  }

  /// The position of a value in its parent.
  enum Place: Equatable {
    case member(String)
    /// An index in a list. The list's count means after the last element.
    case element(Int)
  }

  /// Calls `change` with the parent of each place that the path matches, from the last to the first. Does not apply to
  /// the whole text.
  func edit(_ node: inout JSONNode, _ lookup: AttributeLookup, _ change: (inout JSONNode, Place) -> Void) {
    _ = Self.edit(steps[...], &node, lookup, change)
  }

  private static func edit(
    _ steps: ArraySlice<Step>, _ node: inout JSONNode, _ lookup: AttributeLookup,
    _ change: (inout JSONNode, Place) -> Void
  ) -> Bool {
    guard let step = steps.first else { return false }
    guard steps.count > 1 else {
      let places = step.places(in: node, lookup)
      for place in step.selector == .first ? Array(places.prefix(1)) : places.reversed() { change(&node, place) }
      return !places.isEmpty
    }
    var isFound = false
    for child in step.children(of: node, lookup) {
      var value = child.node
      guard edit(steps.dropFirst(), &value, lookup, change) else { continue }
      isFound = true
      node.replace(child.place, by: value)
      if step.selector == .first { break }
    }
    return isFound
  }
}

extension JSONPattern.Step {
  func children(of node: JSONNode, _ lookup: AttributeLookup) -> [(place: JSONPattern.Place, node: JSONNode)] {
    let all: [(JSONPattern.Place, JSONNode)]
    switch selector {
    case .member(let name): all = node[name].map { [(.member(name), $0)] } ?? []
    case .element(let index):
      let elements = node.elements ?? []
      let position = index < 0 ? elements.count + index : index
      all = elements.indices.contains(position) ? [(.element(position), elements[position])] : []
    case .all, .first:
      all =
        node.elements?.enumerated().map { (.element($0.offset), $0.element) }
        ?? node.members?.map { (.member($0.name), $0.value) } ?? []
    case .end: all = []
    }
    return all.filter { child in filters.allSatisfy { $0.fits(child.1, lookup) } }
  }

  /// Returns also places that have no value yet.
  fileprivate func places(in node: JSONNode, _ lookup: AttributeLookup) -> [JSONPattern.Place] {
    switch selector {
    case .member(let name) where node[name] == nil && node.members != nil && filters.isEmpty: [.member(name)]
    case .end: node.elements.map { [.element($0.count)] } ?? []
    case .member, .element, .all, .first: children(of: node, lookup).map(\.place)
    }
  }
}

extension JSONNode {
  /// Returns the value at a place in this value.
  func value(at place: JSONPattern.Place) -> JSONNode? {
    switch place {
    case .member(let name): return self[name]
    case .element(let index): return elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }
  }

  /// Sets the value at a place in this value, which may be after the last element; `nil`: removes it.
  mutating func replace(_ place: JSONPattern.Place, by value: JSONNode?) {
    switch (place, kind) {
    case (.member(let name), .object(var members)):
      if let index = members.firstIndex(where: { $0.name == name }) {
        if let value { members[index].value = value } else { members.remove(at: index) }
      } else if let value {
        members.append(Member(name: name, place: JSONPlace(line: 1, column: 1), value: value))
      }
      kind = .object(members)
    case (.element(let index), .array(var elements)):
      if elements.indices.contains(index) {
        if let value { elements[index] = value } else { elements.remove(at: index) }
      } else if let value {
        elements.append(value)
      }
      kind = .array(elements)
    default: break
    }
  }
}
