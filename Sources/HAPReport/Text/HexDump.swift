/// Bytes as a hex dump: offset, sixteen bytes, and their ASCII characters.
enum HexDump {
  static func lines(_ bytes: some Collection<UInt8>) -> [String] {
    let bytes = Array(bytes)
    return stride(from: 0, to: bytes.count, by: 16).map { start in
      let row = bytes[start..<min(start + 16, bytes.count)]
      let offset = String(start, radix: 16)
      var line = Array(repeating: UInt8(ascii: "0"), count: max(0, 4 - offset.utf8.count)) + offset.utf8
      line += [UInt8(ascii: " ")]
      for index in 0..<16 {
        if index % 8 == 0 { line.append(UInt8(ascii: " ")) }
        if start + index < row.endIndex {
          let byte = row[start + index]
          line += [digit(byte >> 4), digit(byte & 15), UInt8(ascii: " ")]
        } else {
          line += "   ".utf8
        }
      }
      line.append(UInt8(ascii: " "))
      line += row.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }
      return String(decoding: line, as: UTF8.self)
    }
  }

  /// Returns a digit in lower case.
  static func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x57 + nibble }
}
