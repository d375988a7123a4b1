/// Reads the tokens of one JSON text, strictly according to RFC 8259. Allocates nothing.
///
/// Commas and colons are checked but not returned. The bytes must outlive the reader. Duplicate member names are
/// accepted; `JSONNode` refuses them.
package struct JSONReader {
  package enum Token: Equatable, Sendable {
    case beginObject, endObject, beginArray, endArray
    case key(JSONText)
    case string(JSONText)
    case number(JSONNumber)
    case bool(Bool)
    case null
    /// The end of the text: only blanks are left.
    case end
  }

  /// The error, and its offset in bytes from the start.
  package struct Failure: Error, Equatable, Sendable {
    package var reason: Reason
    package var offset: Int
  }

  package enum Reason: Equatable, Sendable {
    case unexpectedEnd, unexpectedByte, trailingComma, expectedValue, expectedKey, expectedColon, expectedCommaOrEnd
    case trailingBytes, comment, byteOrderMark, tooDeep
    case badNumber, badEscape, controlCharacter, badUTF8, unterminatedString
  }

  private enum Expectation { case value, valueOrEnd, key, keyOrEnd, commaOrEnd, end }

  package let bytes: UnsafeRawBufferPointer
  /// The offset of the next byte.
  package private(set) var offset = 0
  /// The offset of the last token.
  package private(set) var tokenStart = 0
  package private(set) var depth = 0
  private let depthLimit: Int
  /// One bit per level, the lowest for the innermost: 1 object, 0 array.
  private var objects: UInt128 = 0
  private var expectation = Expectation.value

  /// - Parameter depthLimit: 1...128 levels of arrays and objects.
  package init(_ bytes: UnsafeRawBufferPointer, depthLimit: Int = 64) {
    precondition((1...128).contains(depthLimit))
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  package mutating func next() throws(Failure) -> Token {
    skipBlanks()
    if expectation == .commaOrEnd {
      guard offset < bytes.count else { throw fail(.unexpectedEnd) }
      switch bytes[offset] {
      case UInt8(ascii: ","):
        let comma = offset
        offset += 1
        skipBlanks()
        let isInObject = objects & 1 == 1
        if offset < bytes.count, bytes[offset] == UInt8(ascii: isInObject ? "}" : "]") {
          throw Failure(reason: .trailingComma, offset: comma)
        }
        expectation = isInObject ? .key : .value
      case UInt8(ascii: "}") where objects & 1 == 1: return close(.endObject)
      case UInt8(ascii: "]") where objects & 1 == 0: return close(.endArray)
      default: throw fail(.expectedCommaOrEnd)
      }
    }
    tokenStart = offset
    if expectation == .end {
      guard offset == bytes.count else { throw fail(.trailingBytes) }
      return .end
    }
    guard offset < bytes.count else { throw fail(.unexpectedEnd) }
    let byte = bytes[offset]
    switch expectation {
    case .keyOrEnd where byte == UInt8(ascii: "}"): return close(.endObject)
    case .valueOrEnd where byte == UInt8(ascii: "]"): return close(.endArray)
    case .key, .keyOrEnd:
      guard byte == UInt8(ascii: "\"") else { throw fail(.expectedKey) }
      let text = try scanString()
      skipBlanks()
      guard offset < bytes.count else { throw fail(.unexpectedEnd) }
      guard bytes[offset] == UInt8(ascii: ":") else { throw fail(.expectedColon) }
      offset += 1
      expectation = .value
      return .key(text)
    case .value, .valueOrEnd: return try scanValue(byte)
    case .commaOrEnd, .end: preconditionFailure("handled above")
    }
  }

  /// Skips the next value, whatever it contains. If a member name is next, skips the name too.
  package mutating func skipValue() throws(Failure) {
    let level = depth
    switch try next() {
    case .beginObject, .beginArray:
      while depth > level { _ = try next() }
    case .key: try skipValue()
    case .end, .endObject, .endArray: throw Failure(reason: .expectedValue, offset: tokenStart)
    case .string, .number, .bool, .null: break
    }
  }

  // MARK: Helpers

  private mutating func scanValue(_ byte: UInt8) throws(Failure) -> Token {
    switch byte {
    case UInt8(ascii: "{"): return try open(isObject: true)
    case UInt8(ascii: "["): return try open(isObject: false)
    case UInt8(ascii: "\""):
      let text = try scanString()
      valueEnded()
      return .string(text)
    case UInt8(ascii: "-"), 0x30...0x39:
      let number = try scanNumber()
      valueEnded()
      return .number(number)
    case UInt8(ascii: "t"):
      try scanWord("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try scanWord("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try scanWord("null")
      return .null
    default: throw fail(.expectedValue)
    }
  }

  private mutating func open(isObject: Bool) throws(Failure) -> Token {
    guard depth < depthLimit else { throw fail(.tooDeep) }
    depth += 1
    objects = objects << 1 | (isObject ? 1 : 0)
    offset += 1
    expectation = isObject ? .keyOrEnd : .valueOrEnd
    return isObject ? .beginObject : .beginArray
  }

  private mutating func close(_ token: Token) -> Token {
    tokenStart = offset
    offset += 1
    depth -= 1
    objects >>= 1
    valueEnded()
    return token
  }

  private mutating func valueEnded() { expectation = depth == 0 ? .end : .commaOrEnd }

  private mutating func skipBlanks() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  private mutating func scanWord(_ word: StaticString) throws(Failure) {
    for index in 0..<word.utf8CodeUnitCount {
      guard offset < bytes.count else { throw fail(.unexpectedEnd) }
      guard bytes[offset] == word.utf8Start[index] else { throw fail(.unexpectedByte) }
      offset += 1
    }
    valueEnded()
  }

  private mutating func scanNumber() throws(Failure) -> JSONNumber {
    let start = offset
    var number = JSONNumber(range: start..<start)
    if bytes[offset] == UInt8(ascii: "-") {
      number.isNegative = true
      offset += 1
    }
    let digits = offset
    while offset < bytes.count, bytes[offset] &- 0x30 < 10 {
      let (tens, overflow) = number.magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(bytes[offset] &- 0x30))
      if overflow || carry { number.fitsMagnitude = false }
      number.magnitude = sum
      offset += 1
    }
    guard offset > digits else { throw fail(offset < bytes.count ? .badNumber : .unexpectedEnd) }
    if bytes[digits] == 0x30, offset > digits + 1 {
      offset = digits + 1
      throw fail(.badNumber)  // a leading zero
    }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      number.isInteger = false
      offset += 1
      try scanDigits()
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      number.isInteger = false
      offset += 1
      if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") { offset += 1 }
      try scanDigits()
    }
    number.range = start..<offset
    return number
  }

  private mutating func scanDigits() throws(Failure) {
    let start = offset
    while offset < bytes.count, bytes[offset] &- 0x30 < 10 { offset += 1 }
    guard offset > start else { throw fail(offset < bytes.count ? .badNumber : .unexpectedEnd) }
  }

  private mutating func scanString() throws(Failure) -> JSONText {
    offset += 1
    let start = offset
    var hasEscapes = false
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") {
        offset += 1
        return JSONText(range: start..<(offset - 1), hasEscapes: hasEscapes)
      } else if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        try scanEscape()
      } else if byte < 0x20 {
        throw fail(.controlCharacter)
      } else if byte < 0x80 {
        offset += 1
      } else {
        try scanMultibyte(byte)
      }
    }
    throw fail(.unterminatedString)
  }

  /// Scans `\n`, `\u0041`, or a surrogate pair; an unpaired surrogate is not valid Unicode and is refused.
  private mutating func scanEscape() throws(Failure) {
    let start = offset
    guard bytes.count - offset >= 2 else { throw fail(.unterminatedString) }
    offset += 2
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      guard let unit = JSONText.hex(bytes, at: offset) else { throw Failure(reason: .badEscape, offset: start) }
      offset += 4
      switch unit {
      case 0xD800...0xDBFF:
        guard bytes.count - offset >= 2, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u"),
          let low = JSONText.hex(bytes, at: offset + 2), (0xDC00...0xDFFF).contains(low)
        else { throw Failure(reason: .badEscape, offset: start) }
        offset += 6
      case 0xDC00...0xDFFF: throw Failure(reason: .badEscape, offset: start)
      default: return
      }
    default: throw Failure(reason: .badEscape, offset: start)
    }
  }

  /// Scans a multibyte character. RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
  private mutating func scanMultibyte(_ lead: UInt8) throws(Failure) {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw fail(.badUTF8)
    }
    guard bytes.count - offset >= length, second.contains(bytes[offset + 1]) else { throw fail(.badUTF8) }
    for index in 2..<max(2, length) where bytes[offset + index] & 0xC0 != 0x80 { throw fail(.badUTF8) }
    offset += length
  }

  /// Returns a failure at the current byte; a comment or a byte order mark there gets its specific reason.
  private func fail(_ reason: Reason) -> Failure {
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "/"), reason != .badUTF8 {
      let next = offset + 1 < bytes.count ? bytes[offset + 1] : 0
      if next == UInt8(ascii: "/") || next == UInt8(ascii: "*") { return Failure(reason: .comment, offset: offset) }
    }
    if offset == 0, bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      return Failure(reason: .byteOrderMark, offset: 0)
    }
    return Failure(reason: reason, offset: offset)
  }
}

extension JSONReader.Failure {
  package var message: String {
    switch reason {
    case .unexpectedEnd: "the text ends too early"
    case .unexpectedByte: "unexpected character"
    case .trailingComma: "trailing comma: remove it, because JSON has no comma before a closing bracket"
    case .expectedValue: "a value is expected here"
    case .expectedKey: "a member name in double quotes is expected here"
    case .expectedColon: "a colon is expected here"
    case .expectedCommaOrEnd: "a comma or a closing bracket is expected here"
    case .trailingBytes: "nothing may follow the value"
    case .comment: "JSON has no comments: remove it, or keep the note as a member whose name starts with \"x-\""
    case .byteOrderMark: "the text starts with a byte order mark, which JSON does not allow"
    case .tooDeep: "nested too deeply"
    case .badNumber: "malformed number"
    case .badEscape: "malformed escape in a string"
    case .controlCharacter: "a control character in a string must be escaped"
    case .badUTF8: "the text is not UTF-8"
    case .unterminatedString: "the string is not closed"
    }
  }
}
