extension TLV {
  /// Why bytes are no TLV8 message; the offset is that of the item's header.
  package enum DecodingError: Error, Equatable {
    /// The bytes end inside the item.
    case truncated(at: Int)
    /// An item of the same type as the one before, which was shorter than 255 bytes and so had ended.
    case adjacentSameType(at: Int)
    /// A fragment of length 0 after one of 255.
    case emptyContinuation(at: Int)
  }

  /// Reads a whole message, or refuses the whole of it.
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
    // A closure would lose the error's type.
    let result = bytes.withUnsafeBytes { raw in
      Result { () throws(DecodingError) in try TLV(decoding: raw) }
    }
    self = try result.get()
  }

  /// The bytes on the wire.
  ///
  /// Written as it stands: two neighbours of one type, which no reader may accept, are not kept apart here.
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

/// Writes TLV8 item by item, rightly or, for defects and hostile tests, wrongly.
package struct TLVWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Every fragment but the last is exactly 255 bytes; no trailing empty fragment.
  package mutating func append(_ type: UInt8, _ value: [UInt8]) {
    append(type, value, fragmentSize: 255)
  }

  /// As `append`, in fragments of `fragmentSize` bytes (1...255); wrong unless it is 255 or the value fits one.
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

  /// Header and bytes that need not agree.
  package mutating func appendRaw(_ type: UInt8, declaredLength: UInt8, _ value: some Sequence<UInt8>) {
    bytes.append(type)
    bytes.append(declaredLength)
    bytes.append(contentsOf: value)
  }

  /// Anything at all.
  package mutating func appendRaw(_ raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }
}
