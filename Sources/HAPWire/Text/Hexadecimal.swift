/// Bytes as hexadecimal digits, two for each.
package enum Hexadecimal {
  /// In small letters.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Nil for an odd number of digits, and for anything that is none.
  package static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.unicodeScalars.compactMap { $0.properties.isASCIIHexDigit ? UInt8(String($0), radix: 16) : nil }
    guard digits.count == text.unicodeScalars.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
