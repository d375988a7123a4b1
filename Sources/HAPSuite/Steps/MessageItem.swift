import HAPWire

/// An item of a TLV8 message to send.
package struct MessageItem: Equatable, Sendable {
  package var type: UInt8
  package var value: ByteRecipe

  /// - Parameter node: `{ state: 1, method: 0 }`, or `[[state, 1], [0x7F, "aabb"]]` if the order matters or an item is repeated; resolved.
  static func list(_ node: JSONNode) throws(StepError) -> [MessageItem] {
    var items: [MessageItem] = []
    for pair in node.elements ?? [] {
      guard let entry = pair.elements, entry.count == 2, let name = name(entry[0]) else {
        throw StepError(pair, "an item is a pair [type, value]")
      }
      items.append(try MessageItem(name, entry[1]))
    }
    for member in node.members ?? [] { items.append(try MessageItem(member.name, member.value)) }
    return items
  }

  private init(_ name: String, _ value: JSONNode) throws(StepError) {
    type = try Self.type(name, value)
    self.value = try Self.bytes(value, of: name)
  }

  fileprivate static func name(_ node: JSONNode) -> String? { node.stringValue ?? node.integerValue.map { "\($0)" } }

  fileprivate static func type(_ name: String, _ node: JSONNode) throws(StepError) -> UInt8 {
    guard let type = Vocabulary.itemType(name) else { throw StepError(node, "unknown item \"\(name)\"") }
    return type
  }

  private static func bytes(_ value: JSONNode, of name: String) throws(StepError) -> ByteRecipe {
    if let number = value.integerValue {
      guard let number = UInt64(exactly: number) else {
        throw StepError(value, "\(number) is not a valid value of an item")
      }
      return .bytes(ByteRecipe.littleEndian(number))
    }
    if let text = value.stringValue {
      if name == "identifier" { return .bytes(Array(text.utf8)) }
      if name == "error", let error = Vocabulary.errorNames.first(where: { $0.name == text }) {
        return .bytes([error.value])
      }
    }
    return try ByteRecipe(value)
  }
}

/// An alteration of a TLV8 message, with its place in the suite.
package struct MessageAlteration: Equatable, Sendable {
  package var change: MessageChange
  private let place: JSONPlace
  private let path: JSONPath

  /// - Parameter node: a list of objects with one member each; resolved. `nil`: none.
  static func list(_ node: JSONNode?) throws(StepError) -> [MessageAlteration] {
    var alterations: [MessageAlteration] = []
    for element in node?.elements ?? [] {
      guard let member = element.members?.first else {
        throw StepError(element, "an alteration is an object with one member")
      }
      guard let name = AlterationName(rawValue: member.name) else {
        throw StepError(member.value, "unknown alteration \"\(member.name)\"")
      }
      guard let change = try MessageChange(name, member.value) else { continue }
      alterations.append(MessageAlteration(change: change, place: member.value.place, path: member.value.path))
    }
    return alterations
  }

  /// Returns an error at the place of the alteration.
  package func error(_ message: String) -> StepError { StepError(place: place, path: path, message) }
}

/// An alteration of a TLV8 message before it is sent. Items are identified by their types.
package enum MessageChange: Equatable, Sendable {
  case drop(UInt8)
  /// Sets values of items. Missing items are added.
  case set([MessageItem])
  case add([MessageItem])
  case prepend([MessageItem])
  case duplicate(UInt8)
  /// Inverts one bit of the byte at an offset. A negative offset counts from the end.
  case flip(UInt8, at: Int)
  /// Truncates to a number of bytes.
  case truncate(UInt8, to: Int)
  /// Removes a number of bytes.
  case shorten(UInt8, by: Int)
  case extend(UInt8, by: Int, isInFront: Bool)
  /// Splits an item; the numbers are the sizes of its first fragments.
  case fragment(UInt8, sizes: [Int])
  case declare(UInt8, length: UInt8)
  case reverse
  case move(UInt8, toFront: Bool)
  case append(ByteRecipe)
  case cut(Int)
  case replace(ByteRecipe)

  /// The maximum number of bytes that the alteration adds.
  var size: Int {
    switch self {
    case .set(let items), .add(let items), .prepend(let items): items.reduce(0) { $0 + $1.value.size }
    case .extend(_, let count, _): count
    case .append(let recipe), .replace(let recipe): recipe.size
    case .drop, .duplicate, .flip, .truncate, .shorten, .fragment, .declare, .reverse, .move, .cut: 0
    }
  }

  /// - Returns: `nil` for `reverse: false`.
  fileprivate init?(_ name: AlterationName, _ node: JSONNode) throws(StepError) {
    switch name {
    case .drop: self = .drop(try Self.item(node))
    case .set: self = .set(try MessageItem.list(node))
    case .add: self = .add(try MessageItem.list(node))
    case .prepend: self = .prepend(try MessageItem.list(node))
    case .duplicate: self = .duplicate(try Self.item(node))
    case .flip: self = .flip(try Self.item(node["item"] ?? node), at: try node.integer("at") ?? -1)
    case .truncate:
      let item = try Self.item(node.required("item"))
      let by = try node.count("by") ?? 0
      self = try node.count("to").map { .truncate(item, to: $0) } ?? .shorten(item, by: by)
    case .extend:
      self = .extend(
        try Self.item(node.required("item")), by: try node.count("by") ?? 1, isInFront: try node.flag("front") ?? false)
    case .fragment:
      // The length field of a fragment holds at most 255.
      let sizes = try node.counts("sizes") ?? []
      self = .fragment(try Self.item(node.required("item")), sizes: sizes.map { min($0, 255) })
    case .declare:
      self = .declare(try Self.item(node.required("item")), length: UInt8(clamping: try node.integer("length") ?? 0))
    case .reverse:
      if node.boolValue == false { return nil }
      self = .reverse
    case .move:
      self = .move(try Self.item(node.required("item")), toFront: try node.word("to", in: ["front", "end"]) == "front")
    case .append: self = .append(try ByteRecipe(node))
    case .cut: self = .cut(try node.count)
    case .replace: self = .replace(try ByteRecipe(node))
    }
  }

  private static func item(_ node: JSONNode) throws(StepError) -> UInt8 {
    guard let name = MessageItem.name(node) else { throw StepError(node, "the name of an item is expected") }
    return try MessageItem.type(name, node)
  }
}
