/// Replaces each number that JSON cannot represent (NaN, Infinity, inf, nan) with null.
enum JSONRepair {
  struct Word {
    /// The offset in the given text.
    var offset: Int
    var text: String
  }

  private static let words: [(text: String, bytes: [UInt8])] =
    ["-Infinity", "Infinity", "-NaN", "NaN", "-nan", "nan", "-inf", "inf"].map { ($0, Array($0.utf8)) }

  /// - Returns: the text, and the first few replaced words.
  static func repaired(_ bytes: [UInt8]) -> (bytes: [UInt8], words: [Word]) {
    var output: [UInt8] = []
    var found: [Word] = []
    var isInString = false
    var at = 0
    output.reserveCapacity(bytes.count)
    while at < bytes.count {
      let byte = bytes[at]
      if isInString {
        output.append(byte)
        if byte == UInt8(ascii: "\\"), at + 1 < bytes.count {
          at += 1
          output.append(bytes[at])
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if let word = word(bytes, at) {
        if found.count < 16 { found.append(Word(offset: at, text: word.text)) }
        output += Array("null".utf8)
        at += word.bytes.count
        continue
      } else {
        if byte == UInt8(ascii: "\"") { isInString = true }
        output.append(byte)
      }
      at += 1
    }
    return (output, found)
  }

  private static func word(_ bytes: [UInt8], _ at: Int) -> (text: String, bytes: [UInt8])? {
    switch bytes[at] {
    case UInt8(ascii: "-"), UInt8(ascii: "I"), UInt8(ascii: "N"), UInt8(ascii: "i"), UInt8(ascii: "n"): break
    default: return nil
    }
    return words.first { bytes[at...].starts(with: $0.bytes) }
  }
}
