/// Reads elements one after the other, without copies. Matter 1.4 appendix A.
///
/// It refuses reserved types, ends without a container, and members whose tag does not fit their container. It does not
/// compare the tags of a structure: of two equal ones, the first counts. Integers may have any width. Texts are checked
/// when they are taken.
package struct ElementReader: Sendable {
  /// The maximum number of containers within each other. The deepest message of the interaction model has 9.
  package static let depthLimit = 32

  package enum Content: Hashable, Sendable {
    case signed(Int64)
    case unsigned(UInt64)
    case bool(Bool)
    case single(Float)
    case double(Double)
    /// The place of the UTF-8.
    case text(Range<Int>)
    case octets(Range<Int>)
    case null
    /// A container begins. Its members follow, and then `end`.
    case begin(ElementContainer)
    case end
  }

  package struct Item: Hashable, Sendable {
    package var tag: ElementTag
    package var content: Content
    /// The offset of the control octet.
    package var offset: Int
  }

  package let bytes: [UInt8]
  /// The offset of the next element.
  package private(set) var offset = 0
  private var open: [ElementContainer] = []

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of containers that are open.
  package var depth: Int { open.count }

  /// Returns the next element; nil at the end of the bytes.
  package mutating func next() throws(ElementError) -> Item? {
    let begin = offset
    guard begin < bytes.count else {
      if !open.isEmpty { throw ElementError(.truncated, at: begin) }
      return nil
    }
    let control = try UInt8(integer(1, begin))
    let tag = try self.tag(control >> 5, begin)
    let type = control & 0x1F
    if type == 0x18 {
      guard tag == .anonymous, !open.isEmpty else { throw ElementError(.strayEnd, at: begin) }
      open.removeLast()
      return Item(tag: tag, content: .end, offset: begin)
    }
    if let container = open.last, container != .list, (tag == .anonymous) != (container == .array) {
      throw ElementError(.wrongTag, at: begin)
    }
    return Item(tag: tag, content: try content(type, begin), offset: begin)
  }

  /// Passes the rest of the innermost open container, with its end.
  package mutating func skipContainer() throws(ElementError) {
    precondition(!open.isEmpty, "no container is open")
    let target = open.count - 1
    while open.count > target { _ = try next() }
  }

  /// Returns the text at a place.
  package func text(at place: Range<Int>) throws(ElementError) -> String {
    guard let text = String(validating: bytes[place], as: UTF8.self) else {
      throw ElementError(.notUTF8, at: place.lowerBound)
    }
    return text
  }

  /// Reads a little-endian integer of 1, 2, 4 or 8 bytes.
  private mutating func integer(_ width: Int, _ begin: Int) throws(ElementError) -> UInt64 {
    guard let value = bytes.littleEndian(width, at: offset) else { throw ElementError(.truncated, at: begin) }
    offset += width
    return value
  }

  private mutating func tag(_ form: UInt8, _ begin: Int) throws(ElementError) -> ElementTag {
    switch form {
    case 0: return .anonymous
    case 1: return .context(UInt8(try integer(1, begin)))
    case 2, 3: return .common(UInt32(try integer(form == 2 ? 2 : 4, begin)))
    case 4, 5: return .implicit(UInt32(try integer(form == 4 ? 2 : 4, begin)))
    default:
      let (vendor, profile) = (UInt16(try integer(2, begin)), UInt16(try integer(2, begin)))
      return .full(vendor: vendor, profile: profile, number: UInt32(try integer(form == 6 ? 2 : 4, begin)))
    }
  }

  private mutating func content(_ type: UInt8, _ begin: Int) throws(ElementError) -> Content {
    let width = 1 << Int(type & 3)
    switch type {
    case 0x00...0x03:
      let unused = 64 - 8 * width
      return .signed(Int64(bitPattern: try integer(width, begin) << UInt64(unused)) >> Int64(unused))
    case 0x04...0x07: return .unsigned(try integer(width, begin))
    case 0x08, 0x09: return .bool(type == 0x09)
    case 0x0A: return .single(Float(bitPattern: UInt32(try integer(4, begin))))
    case 0x0B: return .double(Double(bitPattern: try integer(8, begin)))
    case 0x0C...0x0F: return .text(try string(width, begin))
    case 0x10...0x13: return .octets(try string(width, begin))
    case 0x14: return .null
    default:
      guard let container = ElementContainer(rawValue: type) else {
        throw ElementError(.reservedType(type), at: begin)
      }
      guard open.count < Self.depthLimit else { throw ElementError(.tooDeep, at: begin) }
      open.append(container)
      return .begin(container)
    }
  }

  private mutating func string(_ width: Int, _ begin: Int) throws(ElementError) -> Range<Int> {
    let count = try integer(width, begin)
    guard count <= UInt64(bytes.count - offset) else { throw ElementError(.truncated, at: begin) }
    defer { offset += Int(count) }
    return offset..<offset + Int(count)
  }
}
