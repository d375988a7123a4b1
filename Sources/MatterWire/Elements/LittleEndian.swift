import HAPWire

extension [UInt8] {
  /// The little-endian integer of 1...8 bytes at an offset; nil: the bytes end before.
  func littleEndian(_ width: Int, at offset: Int) -> UInt64? {
    guard count - offset >= width else { return nil }
    var value: UInt64 = 0
    for index in (0..<width).reversed() { value = value << 8 | UInt64(self[offset + index]) }
    return value
  }
}

extension ByteBuffer {
  mutating func appendLittleEndian(_ value: UInt64, width: Int) {
    var rest = value
    for _ in 0..<width {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}
