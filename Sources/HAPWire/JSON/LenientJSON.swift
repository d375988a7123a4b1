/// Repairs frequent errors in the JSON of existing devices, for readers that must accept them. The project itself
/// never writes such JSON.
package enum LenientJSON {
  /// A repair: its description, and its offset in bytes.
  package struct Mend: Equatable, Sendable {
    package var offset: Int
    package var message: String
  }

  /// Repairs a text to strict JSON: removes commas before closing brackets and bytes after the end, and escapes
  /// control characters in strings. Other errors stay unchanged.
  /// - Returns: the text and its repairs; only the first 16 are listed.
  package static func repaired(_ bytes: [UInt8]) -> (bytes: [UInt8], mends: [Mend]) {
    var mender = Repair()
    for (offset, byte) in bytes.enumerated() where !mender.isOver { mender.take(byte, at: offset) }
    return (mender.output, mender.mends)
  }

  private struct Repair {
    var output: [UInt8] = []
    var mends: [Mend] = []
    /// Whether the closing bracket of the outermost value has been read.
    var isOver = false
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The position in the output of a comma that only blanks follow.
    private var comma: Int?

    private mutating func note(_ offset: Int, _ message: String) {
      if mends.count < 16 { mends.append(Mend(offset: offset, message: message)) }
    }

    mutating func take(_ byte: UInt8, at offset: Int) {
      if isInString { return takeInString(byte, at: offset) }
      switch byte {
      case UInt8(ascii: " "), 0x09, 0x0A, 0x0D: break
      case UInt8(ascii: ","):
        comma = output.count
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if let comma {
          output[comma] = UInt8(ascii: " ")
          note(offset, "a comma before a closing bracket")
        }
        comma = nil
        depth -= 1
        output.append(byte)
        if depth == 0 { isOver = true }
        return
      case 0..<0x20:
        return note(offset, "a control character between values")
      default:
        comma = nil
        if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
        if byte == UInt8(ascii: "\"") { isInString = true }
      }
      output.append(byte)
    }

    private mutating func takeInString(_ byte: UInt8, at offset: Int) {
      if byte < 0x20 {
        note(offset, "a control character inside a string")
        isEscaped = false
        let digits = Array("0123456789abcdef".utf8)
        output += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        return
      }
      output.append(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
    }
  }
}
