import HAPWire

/// One change of a JSON text. See docs/reference/defects.md, "Paths and edits of JSON".
struct JSONEdit: Sendable {
  enum Change: Sendable {
    case set(JSONNode)
    case raise(Double)
    case remove
    case rename(String)
    case insert(JSONNode, atBeginning: Bool)
    case copy(to: JSONPattern)
    case `repeat`
    case reverse
    case quote
    case lower
    case upper
    case fill(Int)
    /// Repeats the last element of a list, each time with an unused aid, until the list has this many elements.
    case crowd(Int)
  }

  let path: JSONPattern
  let change: Change

  func apply(to text: inout JSONNode, _ lookup: AttributeLookup) {
    if case .copy(let target) = change {
      guard let value = path.first(in: text, lookup) else { return }
      return JSONEdit(path: target, change: .set(value)).apply(to: &text, lookup)
    }
    guard !path.steps.isEmpty else {
      var whole = text
      if Self.apply(change, to: &whole) { text = whole }
      return
    }
    path.edit(&text, lookup) { parent, place in
      switch change {
      case .set(let value): parent.replace(place, by: value)
      case .remove: parent.replace(place, by: nil)
      case .rename(let name): parent.rename(place, to: name)
      case .repeat:
        guard case .element(let index) = place, var elements = parent.elements, elements.indices.contains(index) else {
          return
        }
        elements.insert(elements[index], at: index)
        parent.kind = .array(elements)
      case .raise, .insert, .reverse, .quote, .lower, .upper, .fill, .crowd, .copy:
        guard var value = parent.value(at: place), Self.apply(change, to: &value) else { return }
        parent.replace(place, by: value)
      }
    }
  }

  /// The maximum number of values that one crowd creates. Without it, nested crowds would grow without limit.
  private static let mostCrowded = 1_000_000

  /// - Returns: whether the change affects a value by itself and is possible for this value.
  private static func apply(_ change: Change, to value: inout JSONNode) -> Bool {
    switch change {
    case .set(let other): value = other
    case .raise(let number):
      guard let old = value.numberValue else { return false }
      if let integer = old.integer, let step = Int128(exactly: number) {
        let (sum, overflow) = integer.addingReportingOverflow(step)
        guard !overflow else { return false }
        value = .integer(sum)
      } else {
        value = .number(old.double + number)
      }
    case .insert(let element, let atBeginning):
      guard let elements = value.elements else { return false }
      value.kind = .array(atBeginning ? [element] + elements : elements + [element])
    case .reverse:
      if let elements = value.elements {
        value.kind = .array(elements.reversed())
      } else if let members = value.members {
        value.kind = .object(members.reversed())
      } else {
        return false
      }
    case .quote:
      switch value.kind {
      case .number(let number): value = .text(number.text)
      case .bool(let bool): value = .text(String(bool))
      default: return false
      }
    case .lower:
      guard let text = value.stringValue else { return false }
      value = .text(text.lowercased())
    case .upper:
      guard let text = value.stringValue else { return false }
      value = .text(text.uppercased())
    case .fill(let count): value = .text(String(repeating: "x", count: count))
    case .crowd(let count):
      guard var elements = value.elements, let last = elements.last else { return false }
      var aid = elements.compactMap { $0["aid"]?.integerValue }.max() ?? 0
      guard aid <= Int128(UInt64.max), last.nodeCount * max(0, count - elements.count) <= mostCrowded else {
        return false
      }
      while elements.count < count {
        aid += 1
        var another = last
        another.replace(.member("aid"), by: .integer(aid))
        elements.append(another)
      }
      value.kind = .array(elements)
    case .remove, .rename, .copy, .repeat: return false
    }
    return true
  }
}

extension JSONNode {
  /// The number of values in it, including itself.
  fileprivate var nodeCount: Int {
    (elements?.reduce(0) { $0 + $1.nodeCount } ?? members?.reduce(0) { $0 + $1.value.nodeCount } ?? 0) + 1
  }

  fileprivate mutating func rename(_ place: JSONPattern.Place, to name: String) {
    guard case .member(let old) = place, var members, let index = members.firstIndex(where: { $0.name == old }) else {
      return
    }
    members[index].name = name
    kind = .object(members)
  }
}

extension Array<JSONEdit> {
  /// Returns the body after all edits; `nil`: it is not JSON.
  func apply(to body: [UInt8], _ lookup: AttributeLookup) -> [UInt8]? {
    guard var node = try? JSONNode.parse(body) else { return nil }
    for edit in self { edit.apply(to: &node, lookup) }
    var buffer = ByteBuffer()
    buffer.appendJSON(node)
    return buffer.bytes
  }
}
