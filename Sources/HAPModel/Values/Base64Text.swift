/// Decodes the base64 of tlv8 and data values strictly: standard alphabet, groups of four, padding only at the end.
///
/// HAPModel has no dependencies, so it has a separate decoder. The spare bits before the padding are not checked, as
/// in the ADK.
func bytesOfBase64(_ text: String) -> [UInt8]? {
  var text: String = text
  return text.withUTF8 { (input: UnsafeBufferPointer<UInt8>) -> [UInt8]? in
    guard input.count % 4 == 0 else { return nil }
    var padding: Int = 0
    if let last: UInt8 = input.last, last == UInt8(ascii: "=") {
      padding = input[input.count - 2] == UInt8(ascii: "=") ? 2 : 1
    }
    var output: [UInt8] = []
    output.reserveCapacity(input.count / 4 * 3)
    var group: UInt32 = 0
    for (index, byte): (Int, UInt8) in input.enumerated() {
      group <<= 6
      if index < input.count - padding {
        guard let digit: UInt32 = base64Digit(byte) else { return nil }
        group |= digit
      }
      if index % 4 == 3 {
        output.append(UInt8(truncatingIfNeeded: group >> 16))
        output.append(UInt8(truncatingIfNeeded: group >> 8))
        output.append(UInt8(truncatingIfNeeded: group))
        group = 0
      }
    }
    output.removeLast(padding)
    return output
  }
}

private func base64Digit(_ byte: UInt8) -> UInt32? {
  switch byte {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): return UInt32(byte - UInt8(ascii: "A"))
  case UInt8(ascii: "a")...UInt8(ascii: "z"): return UInt32(byte - UInt8(ascii: "a")) + 26
  case UInt8(ascii: "0")...UInt8(ascii: "9"): return UInt32(byte - UInt8(ascii: "0")) + 52
  case UInt8(ascii: "+"): return 62
  case UInt8(ascii: "/"): return 63
  default: return nil
  }
}
