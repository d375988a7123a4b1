/// RFC 4648 §4, with padding.
package enum Base64 {
  private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  package static func encode(_ bytes: [UInt8]) -> String {
    var buffer = ByteBuffer(capacity: (bytes.count + 2) / 3 * 4)
    buffer.appendBase64(bytes)
    return buffer.withReadable { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns nil unless the text consists of complete groups of four characters of the alphabet, with correct padding
  /// and no spare bits set.
  package static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
  }

  package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    if text.isEmpty { return [] }
    let padding = text[text.count - 1] != UInt8(ascii: "=") ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    for index in 0..<(text.count - padding) {
      guard let value = value(of: text[index]) else { return nil }
      bits = bits << 6 | value
      if index % 4 == 3 {
        bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits = 0
      }
    }
    switch padding {
    case 1:
      guard bits & 0x3 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
    case 2:
      guard bits & 0xF == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    default: break
    }
    return bytes
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case 0x41...0x5A: UInt32(byte - 0x41)
    case 0x61...0x7A: UInt32(byte - 0x61 + 26)
    case 0x30...0x39: UInt32(byte - 0x30 + 52)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  fileprivate static func digit(_ bits: UInt32) -> UInt8 { alphabet.utf8Start[Int(bits & 0x3F)] }
}

extension ByteBuffer {
  package mutating func appendBase64(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      var index = 0
      while index < bytes.count {
        let left = bytes.count - index
        let bits =
          UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
          | (left > 2 ? UInt32(bytes[index + 2]) : 0)
        append(Base64.digit(bits >> 18))
        append(Base64.digit(bits >> 12))
        append(left > 1 ? Base64.digit(bits >> 6) : UInt8(ascii: "="))
        append(left > 2 ? Base64.digit(bits) : UInt8(ascii: "="))
        index += 3
      }
    }
  }
}
