import HAPTestSupport
import Testing

@testable import HAPWire

private func value(_ text: String) throws(JSONError) -> JSONNode { try JSONNode.parse(utf8(text)) }

@Suite("Random edits of JSON text") struct JSONDocumentRandomTests {
  @Test(
    "Any edit of the text has the effect of the same edit of the tree",
    arguments: 0..<300 as Range<UInt64>)
  func anyText(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var document = try JSONDocument(utf8(randomText(&random, depth: 4)), width: Int.random(in: 1...60, using: &random))
    for _ in 0..<8 {
      let before = document
      let places = containers(document.root)
      guard let place = places.randomElement(using: &random) else { return }
      let new = try value(randomText(&random, depth: 2))
      var expected = document.root
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let items = place.items
        guard let item = items.randomElement(using: &random) else { continue }
        document.remove(item.path)
        expected = edit(expected, place.path) { $0.items.removeAll { $0.path == item.path } }
      case 1:
        guard let item = place.items.randomElement(using: &random) else { continue }
        try document.replace(item.path, with: new)
        expected = edit(expected, place.path) { node in
          node.items = node.items.map { $0.path == item.path ? new : $0 }
        }
      default:
        if place.members == nil {
          try document.append(new, to: place.path)
        } else {
          let order = place.members.map { $0.map(\.name).shuffled(using: &random) }
          try document.set(
            "new", of: place.path, to: new, order: Bool.random(using: &random) ? [] : (order ?? []) + ["new"])
        }
        expected = edit(expected, place.path) { $0.add(new) }
      }
      #expect(sorted(document.root).says(sorted(expected)), "\(String(decoding: before.bytes, as: UTF8.self))")
      #expect(JSONLayout(document.bytes).range == document.layout.range)
    }
  }

  @Test("Appending and removing an element restores the text", arguments: 0..<100 as Range<UInt64>)
  func thereAndBack(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let text = randomText(&random, depth: 4)
    for place in containers(try value(text)) where place.elements?.isEmpty == false {
      var document = try JSONDocument(utf8(text), width: 100_000)
      try document.append(value(randomText(&random, depth: 2)), to: place.path)
      #expect(document.bytes != utf8(text))
      document.remove(.element(of: place.path, place.elements?.count ?? 0))
      #expect(String(decoding: document.bytes, as: UTF8.self) == text)
    }
  }
}

// MARK: Random texts, and the same changes made to trees

private func randomText(_ random: inout SeededGenerator, depth: Int) -> String {
  func blanks() -> String {
    let some = ["", "", " ", "\n", "\r\n  ", "\t", "\n      "]
    return some.randomElement(using: &random) ?? ""
  }
  switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
  case 0: return ["null", "true", "-1.50e2", "0"].randomElement(using: &random) ?? "null"
  case 1: return #""\u00e9 \" ä""#
  case 2: return "[" + blanks() + "]"
  case 3: return "{" + blanks() + "}"
  case 4:
    let items = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      blanks() + randomText(&random, depth: depth - 1) + blanks()
    }
    return "[" + items.joined(separator: ",") + "]"
  default:
    let items = (0..<Int.random(in: 1...4, using: &random)).map { index in
      blanks() + "\"m\(index)\"" + blanks() + ":" + blanks() + randomText(&random, depth: depth - 1) + blanks()
    }
    return "{" + items.joined(separator: ",") + "}"
  }
}

/// All lists and objects.
private func containers(_ node: JSONNode) -> [JSONNode] {
  (node.elements == nil && node.members == nil ? [] : [node]) + node.items.flatMap(containers)
}

/// The node with sorted members, because another test checks the position of new ones.
private func sorted(_ node: JSONNode) -> JSONNode {
  switch node.kind {
  case .array(let elements): .list(elements.map(sorted))
  case .object(let members): .object(members.sorted { $0.name < $1.name }.map { ($0.name, sorted($0.value)) })
  default: node
  }
}

private func edit(_ node: JSONNode, _ path: JSONPath, _ change: (inout JSONNode) -> Void) -> JSONNode {
  var node = node
  if node.path == path {
    change(&node)
  } else {
    node.items = node.items.map { edit($0, path, change) }
  }
  return node
}

extension JSONNode {
  fileprivate var items: [JSONNode] {
    get { elements ?? members?.map(\.value) ?? [] }
    set {
      if members == nil {
        if elements != nil { kind = .array(newValue) }
        return
      }
      // A replaced value has another path. Its member keeps the name.
      let names = members?.map { ($0.name, $0.value.path) } ?? []
      let gone = names.filter { name in newValue.count < names.count && !newValue.contains { $0.path == name.1 } }
      let left = names.filter { name in !gone.contains { $0.0 == name.0 } }
      kind = .object(zip(left, newValue).map { Member(name: $0.0, place: place, value: $1) })
    }
  }

  fileprivate mutating func add(_ value: JSONNode) {
    switch kind {
    case .array(let elements): kind = .array(elements + [value])
    case .object(let members):
      kind = .object(members.filter { $0.name != "new" } + [Member(name: "new", place: place, value: value)])
    default: break
    }
  }
}
