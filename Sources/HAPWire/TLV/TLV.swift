/// A TLV8 message: typed values in order. HAP R2 §14.1.
///
/// Values of more than 255 bytes are fragmented on the wire; here each item is complete.
package struct TLV: Equatable, Sendable {
  /// One value, which may be empty. A separator is an item with an empty value.
  package struct Item: Equatable, Sendable {
    package var type: UInt8
    package var value: [UInt8]

    package init(type: UInt8, value: [UInt8]) {
      self.type = type
      self.value = value
    }
  }

  package var items: [Item]

  package init(_ items: [Item] = []) { self.items = items }

  // MARK: Building

  package mutating func append(_ type: UInt8, _ value: [UInt8]) { items.append(Item(type: type, value: value)) }

  package mutating func append(_ type: UInt8, _ text: String) { append(type, [UInt8](text.utf8)) }

  /// Appends a little-endian integer in the smallest of 1, 2, 4 or 8 bytes.
  package mutating func append(_ type: UInt8, integer: UInt64) {
    let width = integer <= 0xFF ? 1 : integer <= 0xFFFF ? 2 : integer <= 0xFFFF_FFFF ? 4 : 8
    append(type, (0..<width).map { UInt8(truncatingIfNeeded: integer >> (8 * UInt64($0))) })
  }

  /// Appends a separator: length 0, and type 0xFF between the list entries of `/pairings`, or type 0 in
  /// characteristic values.
  package mutating func appendSeparator(_ type: UInt8 = TLVType.separator) { append(type, []) }

  // MARK: Looking up

  /// Returns the first value of the type.
  package subscript(_ type: UInt8) -> [UInt8]? { items.first { $0.type == type }?.value }

  /// Returns the first value of the type as a little-endian number. Nil unless it has 1, 2, 4 or 8 bytes.
  package func integer(_ type: UInt8) -> UInt64? {
    guard let value = self[type], [1, 2, 4, 8].contains(value.count) else { return nil }
    return Self.littleEndian(value)
  }

  /// Returns the first value of the type as a little-endian number of `1...maxBytes` bytes, the form of HAP's Flags.
  package func integer(_ type: UInt8, upToBytes maxBytes: Int) -> UInt64? {
    guard let value = self[type], (1...min(maxBytes, 8)).contains(value.count) else { return nil }
    return Self.littleEndian(value)
  }

  /// Returns the first value of the type if it is exactly one byte: State, Method, Permissions and Error.
  package func byte(_ type: UInt8) -> UInt8? {
    guard let value = self[type], value.count == 1 else { return nil }
    return value[0]
  }

  /// Whether a type occurs more than once, not counting separators: valid in a list, refused in a pairing message.
  package var hasDuplicates: Bool {
    var seen: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    for item in items where item.type != TLVType.separator {
      let bit: UInt64 = 1 << UInt64(item.type & 63)
      switch item.type >> 6 {
      case 0: if seen.0 & bit != 0 { return true } else { seen.0 |= bit }
      case 1: if seen.1 & bit != 0 { return true } else { seen.1 |= bit }
      case 2: if seen.2 & bit != 0 { return true } else { seen.2 |= bit }
      default: if seen.3 & bit != 0 { return true } else { seen.3 |= bit }
      }
    }
    return false
  }

  private static func littleEndian(_ bytes: [UInt8]) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
