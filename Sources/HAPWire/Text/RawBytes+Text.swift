extension UnsafeRawBufferPointer {
  /// Returns whether the bytes are the ASCII `text` in any case; `text` must be in lower case.
  func matches(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    let expected = text.utf8Start
    for index in 0..<count {
      var byte = self[index]
      if byte &- 0x41 < 26 { byte |= 0x20 }
      if byte != expected[index] { return false }
    }
    return true
  }

  /// Returns whether the bytes are exactly those of `text`.
  package func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    let expected = text.utf8Start
    for index in 0..<count where self[index] != expected[index] { return false }
    return true
  }

  /// The bytes without spaces and tabs at both ends.
  var trimmingBlanks: UnsafeRawBufferPointer {
    var from = 0
    var to = count
    while from < to, self[from] == 0x20 || self[from] == 0x09 { from += 1 }
    while to > from, self[to - 1] == 0x20 || self[to - 1] == 0x09 { to -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[from..<to])
  }

  /// The number that the ASCII digits form; nil if empty, not only digits, or too large for `Int`.
  var decimalNumber: Int? {
    guard !isEmpty else { return nil }
    var number = 0
    for byte in self {
      guard byte &- 0x30 < 10 else { return nil }
      let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int(byte &- 0x30))
      if overflow || carry { return nil }
      number = sum
    }
    return number
  }
}

/// Returns whether a byte is allowed in an RFC 9110 §5.6.2 "token".
func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
  case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
    UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
    UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
    true
  default: false
  }
}
