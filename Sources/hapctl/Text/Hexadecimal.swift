/// Bytes of hexadecimal digits; nil for anything else.
func bytes(ofHexadecimal text: String) -> [UInt8]? {
  let digits = text.unicodeScalars.compactMap { $0.properties.isASCIIHexDigit ? UInt8(String($0), radix: 16) : nil }
  guard digits.count == text.unicodeScalars.count, digits.count % 2 == 0 else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
