import HAPWire
import MatterModel
import MatterWire

/// The members of a structure or a list of a message. Unknown members are skipped; a known member of another type, or
/// out of its range, is an InvalidAction. Integers may have any width.
struct MessageFields {
  let members: [Element]

  /// Reads a message: one structure without a tag.
  init(_ payload: [UInt8]) throws(InteractionStatus) {
    guard let element = try? Element(decoding: payload), element.tag == .anonymous,
      case .container(.structure, let members) = element.value
    else { throw InteractionStatus(.invalidAction) }
    self.members = members
  }

  private init(_ value: Element.Value, _ container: ElementContainer) throws(InteractionStatus) {
    guard case .container(container, let members) = value else { throw InteractionStatus(.invalidAction) }
    self.members = members
  }

  subscript(_ tag: UInt8) -> Element.Value? { members.first { $0.tag == .context(tag) }?.value }

  func number<Number: FixedWidthInteger>(
    _ tag: UInt8, _ type: Number.Type = Number.self
  ) throws(InteractionStatus) -> Number? {
    switch self[tag] {
    case nil: return nil
    case .unsigned(let value):
      guard let number = Number(exactly: value) else { throw InteractionStatus(.invalidAction) }
      return number
    default: throw InteractionStatus(.invalidAction)
    }
  }

  func needed<Number: FixedWidthInteger>(
    _ tag: UInt8, _ type: Number.Type = Number.self
  ) throws(InteractionStatus) -> Number {
    guard let number = try number(tag, type) else { throw InteractionStatus(.invalidAction) }
    return number
  }

  /// Returns false if the member is absent.
  func flag(_ tag: UInt8) throws(InteractionStatus) -> Bool {
    switch self[tag] {
    case nil: return false
    case .bool(let isTrue): return isTrue
    default: throw InteractionStatus(.invalidAction)
    }
  }

  func fields(_ tag: UInt8, _ container: ElementContainer) throws(InteractionStatus) -> MessageFields? {
    guard let value = self[tag] else { return nil }
    return try MessageFields(value, container)
  }

  func neededFields(_ tag: UInt8, _ container: ElementContainer) throws(InteractionStatus) -> MessageFields {
    guard let fields = try fields(tag, container) else { throw InteractionStatus(.invalidAction) }
    return fields
  }

  /// Returns the members of an array of containers, each converted; empty if the array is absent.
  func each<Result>(
    _ tag: UInt8, _ container: ElementContainer,
    _ convert: (MessageFields) throws(InteractionStatus) -> Result
  ) throws(InteractionStatus) -> [Result] {
    guard let array = try fields(tag, .array) else { return [] }
    var results: [Result] = []
    results.reserveCapacity(array.members.count)
    for member in array.members { results.append(try convert(try MessageFields(member.value, container))) }
    return results
  }
}

extension ByteBuffer {
  /// The revision of the interaction model that messages carry. Matter 1.4 §8.1.1.
  static let interactionModelRevision: UInt64 = 12

  /// Returns a message: a structure with the members that `body` appends, and the revision.
  static func message(_ body: (inout ByteBuffer) -> Void) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 128)
    buffer.openContainer(.anonymous, .structure)
    body(&buffer)
    buffer.appendElement(.context(0xFF), unsigned: interactionModelRevision)
    buffer.closeContainer()
    return buffer.bytes
  }

  /// Appends an array, which is left out if it has no members.
  mutating func appendArray<Member>(
    _ tag: UInt8, _ members: [Member], _ append: (Member, inout ByteBuffer) -> Void
  ) {
    guard !members.isEmpty else { return }
    openContainer(.context(tag), .array)
    for member in members { append(member, &self) }
    closeContainer()
  }

  mutating func appendNumber(_ tag: UInt8, _ number: (some FixedWidthInteger & UnsignedInteger)?) {
    if let number { appendElement(.context(tag), unsigned: UInt64(number)) }
  }

  mutating func appendFlag(_ tag: UInt8, _ flag: Bool) { appendElement(.context(tag), bool: flag) }

  mutating func appendStructure(_ tag: ElementTag, _ body: (inout ByteBuffer) -> Void) {
    openContainer(tag, .structure)
    body(&self)
    closeContainer()
  }
}
