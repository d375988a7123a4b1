import HAPWire

/// An element with its tag, as a tree. For data whose structure is not known beforehand: values of attributes, fields of
/// commands, and logs. Matter 1.4 appendix A.
package struct Element: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case signed(Int64)
    case unsigned(UInt64)
    case bool(Bool)
    case single(Float)
    case double(Double)
    case text(String)
    case octets([UInt8])
    case null
    case container(ElementContainer, [Element])
  }

  package var tag: ElementTag
  package var value: Value

  package init(_ tag: ElementTag = .anonymous, _ value: Value) { (self.tag, self.value) = (tag, value) }

  /// Reads bytes that are exactly one element.
  package init(decoding bytes: [UInt8]) throws(ElementError) {
    var reader = ElementReader(bytes)
    guard let item = try reader.next() else { throw ElementError(.truncated, at: 0) }
    try self.init(item, &reader)
    if reader.offset < bytes.count { throw ElementError(.trailingBytes, at: reader.offset) }
  }

  /// Reads the rest of an element whose beginning a reader has returned.
  package init(_ item: ElementReader.Item, _ reader: inout ElementReader) throws(ElementError) {
    tag = item.tag
    switch item.content {
    case .signed(let number): value = .signed(number)
    case .unsigned(let number): value = .unsigned(number)
    case .bool(let isTrue): value = .bool(isTrue)
    case .single(let number): value = .single(number)
    case .double(let number): value = .double(number)
    case .text(let place): value = .text(try reader.text(at: place))
    case .octets(let place): value = .octets(Array(reader.bytes[place]))
    case .null: value = .null
    case .begin(let container): value = .container(container, try Self.members(&reader))
    case .end: preconditionFailure("the end of a container is no element")
    }
  }

  private static func members(_ reader: inout ElementReader) throws(ElementError) -> [Element] {
    var members: [Element] = []
    while let item = try reader.next(), item.content != .end { members.append(try Element(item, &reader)) }
    return members
  }

  package func encode(into buffer: inout ByteBuffer) {
    switch value {
    case .signed(let number): buffer.appendElement(tag, signed: number)
    case .unsigned(let number): buffer.appendElement(tag, unsigned: number)
    case .bool(let isTrue): buffer.appendElement(tag, bool: isTrue)
    case .single(let number): buffer.appendElement(tag, single: number)
    case .double(let number): buffer.appendElement(tag, double: number)
    case .text(let text): buffer.appendElement(tag, text: text)
    case .octets(let octets): buffer.appendElement(tag, octets: octets)
    case .null: buffer.appendNull(tag)
    case .container(let container, let members):
      buffer.openContainer(tag, container)
      for member in members { member.encode(into: &buffer) }
      buffer.closeContainer()
    }
  }

  package var encoded: [UInt8] {
    var buffer = ByteBuffer()
    encode(into: &buffer)
    return buffer.bytes
  }

  /// The first member of a structure or a list with a context tag; nil: there is none, or this has no such members.
  package subscript(_ number: UInt8) -> Value? {
    guard case .container(_, let members) = value else { return nil }
    return members.first { $0.tag == .context(number) }?.value
  }
}
