import HAPWire

/// Secrets, and their removal from output that others may see.
///
/// A secret is found as raw bytes, in hexadecimal (either case, also with a space, colon or dash between the bytes) and in Base64, also
/// inside a longer Base64 text. A setup code is also found as its digits alone. Callers add other forms, such as the setup payload, as
/// further secrets.
package struct Redaction: Sendable {
  package static let none = Redaction()
  package static let mark = "[redacted]"

  private enum Pattern: Sendable {
    case exact([UInt8])
    /// A Base64 text. Padding after it is part of the match.
    case base64([UInt8])
    case hexadecimal([UInt8])
  }

  private var patterns: [Pattern] = []
  /// The patterns that can begin with each byte.
  private var first: [[Int]] = Array(repeating: [], count: 256)

  /// The minimum length of a secret that is also searched in hexadecimal and Base64, in bytes. A shorter one would
  /// match everywhere in these forms.
  private static let leastEncoded = 4

  /// - Parameters:
  ///   - texts: the setup code and the setup payload. An empty text is ignored.
  ///   - bytes: keys.
  package init(texts: [String] = [], bytes: [[UInt8]] = []) {
    for text in texts {
      add(Array(text.utf8))
      let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
      if digits.count == 8, text.utf8.count == 10, digits.allSatisfy({ (0x30...0x39).contains($0) }) { add(digits) }
    }
    for secret in bytes { add(secret) }
  }

  package var isEmpty: Bool { patterns.isEmpty }

  private mutating func add(_ secret: [UInt8]) {
    if secret.isEmpty { return }
    add(.exact(secret), startingWith: [secret[0]])
    guard secret.count >= Self.leastEncoded else { return }
    let high = HexDump.digit(secret[0] >> 4)
    add(.hexadecimal(secret), startingWith: high < 0x3A ? [high] : [high, high & ~0x20])
    for shift in 0..<3 {
      // The letters that depend on the secret alone, for each position in a group of three.
      let encoded = Array(Base64.encode(Array(repeating: 0, count: shift) + secret).utf8)
      let start = [0, 2, 3][shift]
      let end = (shift + secret.count) * 8 / 6
      guard end > start else { continue }
      let letters = Array(encoded[start..<end])
      add(.base64(letters), startingWith: [letters[0]])
    }
  }

  private mutating func add(_ pattern: Pattern, startingWith bytes: [UInt8]) {
    for byte in bytes { first[Int(byte)].append(patterns.count) }
    patterns.append(pattern)
  }

  /// Returns the text with each secret replaced by `[redacted]`.
  package func callAsFunction(_ text: String) -> String {
    if isEmpty { return text }
    var text = text
    var redacted: [UInt8] = []
    var copied = 0
    let isClean = text.withUTF8 { bytes in
      forEachSecret(in: bytes) { range in
        redacted += bytes[copied..<range.lowerBound]
        redacted += Self.mark.utf8
        copied = range.upperBound
      }
      redacted += bytes[copied...]
      return copied == 0
    }
    return isClean ? text : String(decoding: redacted, as: UTF8.self)
  }

  /// Returns the bytes with each byte of a secret replaced by an asterisk, in any form of the secret.
  package func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
    if isEmpty { return bytes }
    var result = bytes
    bytes.withUnsafeBufferPointer { bytes in
      forEachSecret(in: bytes) { range in
        for index in range { result[index] = UInt8(ascii: "*") }
      }
    }
    return result
  }

  /// Finds secrets from left to right, without overlaps. Of several that begin at one byte, the longest counts.
  private func forEachSecret(in bytes: UnsafeBufferPointer<UInt8>, _ found: (Range<Int>) -> Void) {
    let begins = first.map { !$0.isEmpty }
    begins.withUnsafeBufferPointer { begins in
      var at = 0
      while at < bytes.count {
        let byte = Int(bytes[at])
        guard begins[byte] else {
          at += 1
          continue
        }
        var longest = at
        for pattern in first[byte] {
          if let end = Self.end(of: patterns[pattern], in: bytes, at: at) { longest = max(longest, end) }
        }
        if longest > at { found(at..<longest) }
        at = max(longest, at + 1)
      }
    }
  }

  private static func end(of pattern: Pattern, in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    switch pattern {
    case .exact(let secret): return end(of: secret, in: bytes, at: start)
    case .base64(let letters):
      guard var end = end(of: letters, in: bytes, at: start) else { return nil }
      // The letter before the padding contains bits of the secret.
      if end + 1 < bytes.count, bytes[end] != UInt8(ascii: "="), bytes[end + 1] == UInt8(ascii: "=") { end += 1 }
      while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
      return end
    case .hexadecimal(let secret):
      var at = start
      var index = 0
      while index < secret.count {
        let byte = secret[index]
        if index > 0, at < bytes.count, isSeparator(bytes[at]) { at += 1 }
        guard at + 1 < bytes.count, lower(bytes[at]) == HexDump.digit(byte >> 4),
          lower(bytes[at + 1]) == HexDump.digit(byte & 15)
        else { return nil }
        at += 2
        index += 1
      }
      return at
    }
  }

  private static func end(of word: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard bytes.count - start >= word.count else { return nil }
    var index = 0
    while index < word.count {
      if bytes[start + index] != word[index] { return nil }
      index += 1
    }
    return start + word.count
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
  }

  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x46).contains(byte) ? byte | 0x20 : byte }
}
