/// A string of a JSON text in its original form: the bytes between the quotes.
package struct JSONText: Equatable, Sendable {
  package var range: Range<Int>
  package var hasEscapes: Bool

  /// Returns the value of four hexadecimal digits; nil if there are no four digits.
  static func hex(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32? {
    guard bytes.count - offset >= 4 else { return nil }
    var value: UInt32 = 0
    for index in offset..<(offset + 4) {
      switch bytes[index] {
      case 0x30...0x39: value = value << 4 | UInt32(bytes[index] - 0x30)
      case 0x41...0x46: value = value << 4 | UInt32(bytes[index] - 0x41 + 10)
      case 0x61...0x66: value = value << 4 | UInt32(bytes[index] - 0x61 + 10)
      default: return nil
      }
    }
    return value
  }
}

/// A number of a JSON text. An integer has neither fraction nor exponent: `1.0` and `1e2` are not integers.
package struct JSONNumber: Equatable, Sendable {
  package var range: Range<Int>
  package var isInteger = true
  package var isNegative = false
  /// The magnitude of an integer, if `fitsMagnitude`.
  package var magnitude: UInt64 = 0
  package var fitsMagnitude = true
}

extension JSONReader {
  package func isEqual(_ text: JSONText, to word: StaticString) -> Bool {
    if !text.hasEscapes { return UnsafeRawBufferPointer(rebasing: bytes[text.range]).equals(word) }
    return string(text) == word.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
  }

  package func string(_ text: JSONText) -> String {
    let raw = UnsafeRawBufferPointer(rebasing: bytes[text.range])
    guard text.hasEscapes else { return String(decoding: raw, as: UTF8.self) }
    return String(unsafeUninitializedCapacity: raw.count) { output in
      var count = 0
      forEachUnescaped(raw) { byte in
        output.initializeElement(at: count, to: byte)
        count += 1
      }
      return count
    }
  }

  /// Appends the text as UTF-8, with escapes resolved.
  package func append(_ text: JSONText, to buffer: inout ByteBuffer) {
    let raw = UnsafeRawBufferPointer(rebasing: bytes[text.range])
    guard text.hasEscapes else { return buffer.append(raw) }
    forEachUnescaped(raw) { buffer.append($0) }
  }

  /// Calls `put` with each byte of the text, with escapes resolved. The scan has already checked all escapes.
  private func forEachUnescaped(_ raw: UnsafeRawBufferPointer, _ put: (UInt8) -> Void) {
    var at = 0
    while at < raw.count {
      guard raw[at] == UInt8(ascii: "\\") else {
        put(raw[at])
        at += 1
        continue
      }
      let escape = raw[at + 1]
      at += 2
      switch escape {
      case UInt8(ascii: "b"): put(0x08)
      case UInt8(ascii: "f"): put(0x0C)
      case UInt8(ascii: "n"): put(0x0A)
      case UInt8(ascii: "r"): put(0x0D)
      case UInt8(ascii: "t"): put(0x09)
      case UInt8(ascii: "u"):
        var code = JSONText.hex(raw, at: at) ?? 0
        at += 4
        if (0xD800...0xDBFF).contains(code) {
          let low = JSONText.hex(raw, at: at + 2) ?? 0xDC00
          at += 6
          code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code), let encoded = UTF8.encode(scalar) else { continue }
        for byte in encoded { put(byte) }
      default: put(escape)
      }
    }
  }

  /// Returns nil for a fraction, an exponent, or an integer that doesn't fit into `Int128`.
  package func integer(_ number: JSONNumber) -> Int128? {
    guard number.isInteger else { return nil }
    if number.fitsMagnitude { return number.isNegative ? -Int128(number.magnitude) : Int128(number.magnitude) }
    var value: Int128 = 0
    for byte in bytes[number.range] where byte != UInt8(ascii: "-") {
      let digit = Int128(byte &- 0x30)
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        number.isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }

  /// Returns the nearest double; nil if the number is too large.
  package func double(_ number: JSONNumber) -> Double? {
    if number.isInteger, number.fitsMagnitude {
      let magnitude = Double(number.magnitude)
      return number.isNegative ? -magnitude : magnitude
    }
    guard let value = Double(String(decoding: UnsafeRawBufferPointer(rebasing: bytes[number.range]), as: UTF8.self)),
      value.isFinite
    else { return nil }
    return value
  }
}
