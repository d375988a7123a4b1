import HAPSuite
import HAPWire

/// A TLV8 message on its way out, which may be made wrong in every way there is.
package struct TLVDraft: Equatable {
  package struct Item: Equatable {
    package var type: UInt8
    package var value: [UInt8]
    /// Sizes of its first fragments; the others are as they should be.
    package var fragments: [Int] = []
    /// What its header says, whatever its value is.
    package var declaredLength: UInt8?

    package init(type: UInt8, value: [UInt8]) {
      self.type = type
      self.value = value
    }
  }

  package var items: [Item]
  /// Behind the items.
  private var tail: [UInt8] = []
  /// Off the end.
  private var cut = 0
  /// In place of all.
  private var replacement: [UInt8]?

  package init(_ items: [Item] = []) { self.items = items }

  package init(_ message: TLV) { items = message.items.map { Item(type: $0.type, value: $0.value) } }

  /// From a suite: `{ state: 1, method: 0 }`, or `[[state, 1], [0x7F, "aabb"]]` where order or repetition matters.
  package init(_ node: JSONNode, _ maker: ByteMaker) throws(StepError) {
    items = []
    if let pairs = node.elements {
      for pair in pairs {
        guard let entry = pair.elements, entry.count == 2, let name = Self.name(entry[0]) else {
          throw StepError(pair, "an item is a pair [type, value]")
        }
        items.append(try Self.item(name, entry[1], maker))
      }
    } else {
      for member in node.members ?? [] { items.append(try Self.item(member.name, member.value, maker)) }
    }
  }

  private static func name(_ node: JSONNode) -> String? {
    node.stringValue ?? node.integerValue.map { "\($0)" }
  }

  private static func item(_ name: String, _ value: JSONNode, _ maker: ByteMaker) throws(StepError) -> Item {
    Item(type: try type(name, value), value: try bytes(value, of: name, maker))
  }

  static func type(_ name: String, _ node: JSONNode) throws(StepError) -> UInt8 {
    guard let type = Vocabulary.itemType(name) else { throw StepError(node, "there is no item \"\(name)\"") }
    return type
  }

  private static func bytes(_ value: JSONNode, of name: String, _ maker: ByteMaker) throws(StepError) -> [UInt8] {
    if let number = value.integerValue {
      guard let number = UInt64(exactly: number) else { throw StepError(value, "\(number) is no value of an item") }
      let width = number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
      return (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
    if let text = value.stringValue {
      if name == "identifier" { return Array(text.utf8) }
      if name == "error", let error = Vocabulary.errorNames.first(where: { $0.name == text }) { return [error.value] }
    }
    return try maker.bytes(value)
  }

  // MARK: Alterations

  package mutating func alter(_ alterations: JSONNode?, _ maker: ByteMaker) throws(StepError) {
    for node in alterations?.elements ?? [] {
      guard let member = node.members?.first else {
        throw StepError(node, "an alteration is an object with one member")
      }
      guard let name = AlterationName(rawValue: member.name) else {
        throw StepError(member.value, "there is no alteration \"\(member.name)\"")
      }
      try alter(name, member.value, maker)
    }
  }

  private mutating func alter(_ name: AlterationName, _ node: JSONNode, _ maker: ByteMaker) throws(StepError) {
    switch name {
    case .drop:
      let type = try itemType(node)
      items.removeAll { $0.type == type }
    case .set:
      for item in try TLVDraft(node, maker).items {
        if let index = items.firstIndex(where: { $0.type == item.type }) {
          items[index].value = item.value
        } else {
          items.append(item)
        }
      }
    case .add: items += try TLVDraft(node, maker).items
    case .prepend: items = try TLVDraft(node, maker).items + items
    case .duplicate: items.append(items[try index(node)])
    case .flip:
      let which = node["item"] ?? node
      let at = node["at"]?.integerValue.map { Int(clamping: $0) } ?? -1
      ByteMaker.flip(&items[try index(which)].value, at: at)
    case .truncate:
      let index = try index(try member(node, "item"))
      let count = items[index].value.count
      let to = try node["to"].map { node throws(StepError) in try ByteMaker.count(node) }
      let by = try node["by"].map { node throws(StepError) in try ByteMaker.count(node) } ?? 0
      items[index].value = Array(items[index].value.prefix(to ?? max(0, count - by)))
    case .extend:
      let index = try index(try member(node, "item"))
      let by = try node["by"].map { node throws(StepError) in try ByteMaker.count(node) } ?? 1
      let zeros = [UInt8](repeating: 0, count: by)
      let isInFront = node["front"]?.boolValue ?? false
      items[index].value = isInFront ? zeros + items[index].value : items[index].value + zeros
    case .fragment:
      let index = try index(try member(node, "item"))
      items[index].fragments = []
      for size in node["sizes"]?.elements ?? [] {
        // What a header can announce.
        items[index].fragments.append(min(try ByteMaker.count(size), 255))
      }
    case .declare:
      let index = try index(try member(node, "item"))
      items[index].declaredLength = UInt8(clamping: node["length"]?.integerValue ?? 0)
    case .reverse: if node.boolValue ?? true { items.reverse() }
    case .move:
      let item = items.remove(at: try index(try member(node, "item")))
      if node["to"]?.stringValue == "front" { items.insert(item, at: 0) } else { items.append(item) }
    case .append: tail += try maker.bytes(node)
    case .cut: cut = min(cut + (try ByteMaker.count(node)), ByteMaker.most)
    case .replace: replacement = try maker.bytes(node)
    }
  }

  private func itemType(_ node: JSONNode) throws(StepError) -> UInt8 {
    guard let name = Self.name(node) else { throw StepError(node, "the name of an item is expected") }
    return try Self.type(name, node)
  }

  private func index(_ node: JSONNode) throws(StepError) -> Int {
    let type = try itemType(node)
    guard let index = items.firstIndex(where: { $0.type == type }) else {
      throw StepError(node, "the message has no such item")
    }
    return index
  }

  private func member(_ node: JSONNode, _ name: String) throws(StepError) -> JSONNode {
    guard let member = node[name] else { throw StepError(node, "\"\(name)\" is missing") }
    return member
  }

  // MARK: Out

  package func encoded() -> [UInt8] {
    if let replacement { return replacement }
    var writer = TLVWriter()
    for item in items {
      if let length = item.declaredLength {
        writer.appendRaw(item.type, declaredLength: length, item.value)
        continue
      }
      var rest = item.value[...]
      for size in item.fragments {
        writer.appendRaw(item.type, declaredLength: UInt8(clamping: min(size, rest.count)), rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      if item.fragments.isEmpty || !rest.isEmpty { writer.append(item.type, Array(rest)) }
    }
    return Array((writer.bytes + tail).dropLast(cut))
  }
}
