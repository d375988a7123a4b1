import HAPWire

/// An excerpt of the bytes that an accessory sent, around an error, as a hex dump for people.
package struct ByteExcerpt: Equatable, Sendable {
  /// The maximum number of bytes in an excerpt.
  package static let most = 256
  private static let perLine = 16

  /// The offset of the excerpt in all bytes; a multiple of 16.
  package let offset: Int
  package let bytes: [UInt8]
  /// The number of all bytes.
  package let totalCount: Int
  /// The offset of the error in all bytes.
  package let fault: Int

  /// - Parameter fault: an offset in `whole`; larger values mean the end.
  package init(of whole: UnsafeRawBufferPointer, around fault: Int) {
    totalCount = whole.count
    self.fault = min(max(fault, 0), whole.count)
    // The bytes before the error usually show its cause.
    let start = max(0, self.fault - Self.most * 3 / 4)
    offset = start + (Self.perLine - start % Self.perLine) % Self.perLine
    bytes = Array(whole[offset..<min(whole.count, offset + Self.most)])
  }

  package init(of whole: [UInt8], around fault: Int) {
    self = whole.withUnsafeBytes { ByteExcerpt(of: $0, around: fault) }
  }

  /// Returns the offset of the byte at a line and column of a JSON text.
  package static func offset(of place: JSONPlace, in bytes: [UInt8]) -> Int {
    var (line, column) = (1, 1)
    for (offset, byte) in bytes.enumerated() {
      // A column begins with the first byte of a character.
      if byte & 0xC0 != 0x80, (line, column) >= (place.line, place.column) { return offset }
      if byte == 0x0A {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return bytes.count
  }

  /// A heading, then 16 bytes per line: offset, hexadecimal, and text with a dot for each unprintable byte. An arrow
  /// marks the line of the error.
  package var lines: [String] {
    guard totalCount > 0 else { return ["no bytes were received"] }
    var lines = ["bytes \(offset)..<\(offset + bytes.count) of \(totalCount), error at byte \(fault):"]
    for start in stride(from: 0, to: bytes.count, by: Self.perLine) {
      let row = bytes[start..<min(start + Self.perLine, bytes.count)]
      let first = offset + start
      // An error at the end belongs to the last line.
      let isLast = start + Self.perLine >= bytes.count
      let hasFault = fault >= first && (fault < first + Self.perLine || isLast)
      let number = String(first, radix: 16)
      let hexadecimal = row.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
      let text = row.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
      lines.append(
        (hasFault ? "> " : "  ") + String(repeating: "0", count: max(0, 6 - number.count)) + number + "  "
          + hexadecimal + String(repeating: " ", count: Self.perLine * 3 + 1 - hexadecimal.count) + text)
    }
    return lines
  }
}
