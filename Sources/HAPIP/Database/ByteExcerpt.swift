import HAPWire

/// Some of the bytes that an accessory sent, around the place where they make no sense: for people, in hexadecimal.
package struct ByteExcerpt: Equatable, Sendable {
  /// So many bytes are kept at most.
  package static let most = 256
  private static let perLine = 16

  /// Where the excerpt begins, counted from the beginning of the whole; a multiple of 16.
  package let offset: Int
  package let bytes: [UInt8]
  /// Of the whole.
  package let totalCount: Int
  /// Where it stops to make sense, counted from the beginning of the whole.
  package let fault: Int

  /// - Parameter fault: an offset in `whole`; what lies beyond its end means its end.
  package init(of whole: UnsafeRawBufferPointer, around fault: Int) {
    totalCount = whole.count
    self.fault = min(max(fault, 0), whole.count)
    // Mostly what came before tells why.
    let start = max(0, self.fault - Self.most * 3 / 4)
    offset = start + (Self.perLine - start % Self.perLine) % Self.perLine
    bytes = Array(whole[offset..<min(whole.count, offset + Self.most)])
  }

  package init(of whole: [UInt8], around fault: Int) {
    self = whole.withUnsafeBytes { ByteExcerpt(of: $0, around: fault) }
  }

  /// The byte at a line and column of a JSON text.
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

  /// A heading, and 16 bytes in each line: offset, hexadecimal, and text with a dot for what isn't to be printed. The line of the fault has an
  /// arrow.
  package var lines: [String] {
    guard totalCount > 0 else { return ["nothing came"] }
    var lines = ["bytes \(offset)..<\(offset + bytes.count) of \(totalCount), and the fault at \(fault):"]
    for start in stride(from: 0, to: bytes.count, by: Self.perLine) {
      let row = bytes[start..<min(start + Self.perLine, bytes.count)]
      let first = offset + start
      // A fault at the end is the last line's.
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
