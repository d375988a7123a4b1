extension TLV {
  /// The reason why bytes are not a TLV8 message; the offset is that of the item's header.
  package enum DecodingError: Error, Equatable {
    /// The bytes end inside the item.
    case truncated(at: Int)
    /// An item of the same type as the previous one, although that one was shorter than 255 bytes and had therefore
    /// ended.
    case adjacentSameType(at: Int)
    /// A fragment of length 0 after one of 255.
    case emptyContinuation(at: Int)
  }

  /// Reads a complete message, or refuses all of it.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(DecodingError) {
    items = []
    var at = 0
    var previous: (type: UInt8, length: Int)?
    while at < bytes.count {
      guard bytes.count - at >= 2, bytes.count - at - 2 >= Int(bytes[at + 1]) else { throw .truncated(at: at) }
      let type = bytes[at]
      let length = Int(bytes[at + 1])
      let value = UnsafeRawBufferPointer(rebasing: bytes[(at + 2)..<(at + 2 + length)])
      if let previous, previous.type == type {
        guard previous.length == 255 else { throw .adjacentSameType(at: at) }
        guard length > 0 else { throw .emptyContinuation(at: at) }
        items[items.count - 1].value.append(contentsOf: value)
      } else {
        items.append(Item(type: type, value: [UInt8](value)))
      }
      previous = (type, length)
      at += 2 + length
    }
  }

  package init(decoding bytes: [UInt8]) throws(DecodingError) {
    // A closure would lose the type of the error.
    let result = bytes.withUnsafeBytes { raw in
      Result { () throws(DecodingError) in try TLV(decoding: raw) }
    }
    self = try result.get()
  }

  /// Returns the wire form.
  ///
  /// Adjacent items of the same type, which no reader may accept, are written without a separator.
  package func encoded() -> [UInt8] {
    var writer = TLVWriter()
    for item in items { writer.append(item.type, item.value) }
    return writer.bytes
  }

  package func encode(into buffer: inout ByteBuffer) {
    for item in items {
      item.value.withUnsafeBytes { value in
        var rest = value[...]
        repeat {
          let fragment = rest.prefix(255)
          buffer.append(item.type)
          buffer.append(UInt8(fragment.count))
          buffer.append(UnsafeRawBufferPointer(rebasing: fragment))
          rest = rest.dropFirst(255)
        } while !rest.isEmpty
      }
    }
  }
}

/// Writes TLV8 item by item: valid or, for defects and hostile tests, invalid.
package struct TLVWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Appends an item. Every fragment except the last has exactly 255 bytes; there is no empty fragment at the end.
  package mutating func append(_ type: UInt8, _ value: [UInt8]) {
    append(type, value, fragmentSize: 255)
  }

  /// Appends an item in fragments of `fragmentSize` bytes (1...255). The message is invalid unless the size is 255 or
  /// the value fits into one fragment.
  package mutating func append(
    _ type: UInt8, _ value: [UInt8], fragmentSize: Int, trailingEmptyFragment: Bool = false
  ) {
    precondition((1...255).contains(fragmentSize), "a fragment carries 1...255 bytes")
    var rest = value[...]
    repeat {
      let fragment = rest.prefix(fragmentSize)
      appendRaw(type, declaredLength: UInt8(fragment.count), fragment)
      rest = rest.dropFirst(fragmentSize)
    } while !rest.isEmpty
    if trailingEmptyFragment { appendRaw(type, declaredLength: 0, []) }
  }

  /// Appends a header and bytes that may not match.
  package mutating func appendRaw(_ type: UInt8, declaredLength: UInt8, _ value: some Sequence<UInt8>) {
    bytes.append(type)
    bytes.append(declaredLength)
    bytes.append(contentsOf: value)
  }

  /// Appends arbitrary bytes.
  package mutating func appendRaw(_ raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }
}
