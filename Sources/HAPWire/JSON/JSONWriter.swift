extension ByteBuffer {
  /// Appends the text in quotes, with the minimum of escapes.
  package mutating func appendJSON(_ text: String) {
    var text = text
    text.withUTF8 { appendJSON(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Appends UTF-8 text in quotes and escaped; the caller must make sure that it is valid UTF-8.
  package mutating func appendJSON(utf8 text: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    // Most texts contain no characters to escape, and are appended in one piece.
    var start = 0
    for index in 0..<text.count {
      let byte = text[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
      appendEscaped(byte)
      start = index + 1
    }
    append(UnsafeRawBufferPointer(rebasing: text[start...]))
    append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x0A: append("\\n")
    case 0x0D: append("\\r")
    case 0x09: append("\\t")
    case 0x08: append("\\b")
    case 0x0C: append("\\f")
    case 0..<0x20:
      let hex: StaticString = "0123456789abcdef"
      append("\\u00")
      append(hex.utf8Start[Int(byte >> 4)])
      append(hex.utf8Start[Int(byte & 15)])
    default: append(byte)
    }
  }

  package mutating func appendJSON(_ bool: Bool) { append(bool ? "true" : "false") }

  package mutating func appendJSON(_ number: Int128) {
    if let small = Int64(exactly: number) { return appendDecimal(small) }
    if let small = UInt64(exactly: number) { return appendDecimal(small) }
    append(String(number).utf8)
  }

  /// Appends the shortest decimal that parses to the same double; a whole number has no fraction. NaN and infinities
  /// are null.
  package mutating func appendJSON(_ number: Double) {
    guard number.isFinite else { return append("null") }
    if number.magnitude < 9_007_199_254_740_992, number == number.rounded(.towardZero) {
      return appendDecimal(Int64(number))
    }
    append(number.description.utf8)
  }

  package mutating func appendJSONBase64(_ bytes: [UInt8]) {
    append(UInt8(ascii: "\""))
    appendBase64(bytes)
    append(UInt8(ascii: "\""))
  }

  /// Appends a value without blanks, with members in their order.
  package mutating func appendJSON(_ node: JSONNode) {
    switch node.kind {
    case .null: append("null")
    case .bool(let bool): appendJSON(bool)
    case .number(let number): append(number.text.utf8)
    case .string(let text): appendJSON(text)
    case .array(let elements):
      append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { append(UInt8(ascii: ",")) }
        appendJSON(element)
      }
      append(UInt8(ascii: "]"))
    case .object(let members):
      append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { append(UInt8(ascii: ",")) }
        appendJSON(member.name)
        append(UInt8(ascii: ":"))
        appendJSON(member.value)
      }
      append(UInt8(ascii: "}"))
    }
  }
}

/// Writes a JSON text and inserts the commas. If speed is more important, use `ByteBuffer.appendJSON` directly.
///
/// ```swift
/// let line = JSONWriter.text { json in
///   json.object {
///     $0.key("event"); $0.string("ready")
///     $0.key("ports"); $0.array { $0.integer(51826) }
///   }
/// }
/// ```
package struct JSONWriter: ~Copyable {
  private var buffer: ByteBuffer
  private var needsComma = false

  private init(_ buffer: consuming ByteBuffer) { self.buffer = buffer }

  /// Appends the text that `body` writes to `buffer`.
  package static func write(into buffer: inout ByteBuffer, _ body: (inout JSONWriter) -> Void) {
    var empty = ByteBuffer(capacity: 0)
    swap(&empty, &buffer)
    var writer = JSONWriter(empty)
    body(&writer)
    buffer = writer.take()
  }

  package static func bytes(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(ByteBuffer())
    body(&writer)
    return writer.buffer.bytes
  }

  package static func text(_ body: (inout JSONWriter) -> Void) -> String {
    String(decoding: bytes(body), as: UTF8.self)
  }

  private consuming func take() -> ByteBuffer { buffer }

  package mutating func object(_ body: (inout JSONWriter) -> Void) { nest("{", "}", body) }
  package mutating func array(_ body: (inout JSONWriter) -> Void) { nest("[", "]", body) }

  /// Writes a member's name; its value must be written next.
  package mutating func key(_ name: String) {
    comma()
    buffer.appendJSON(name)
    buffer.append(UInt8(ascii: ":"))
    needsComma = false
  }

  package mutating func null() {
    comma()
    buffer.append("null")
  }

  package mutating func bool(_ bool: Bool) {
    comma()
    buffer.appendJSON(bool)
  }

  package mutating func string(_ text: String) {
    comma()
    buffer.appendJSON(text)
  }

  package mutating func integer(_ number: some BinaryInteger) {
    comma()
    buffer.appendJSON(Int128(clamping: number))
  }

  // The generic method converts each number at run time, which takes longer than writing it.
  package mutating func integer(_ number: Int) { integer(Int64(number)) }

  package mutating func integer(_ number: Int128) {
    comma()
    buffer.appendJSON(number)
  }

  package mutating func integer(_ number: UInt64) {
    comma()
    buffer.appendDecimal(number)
  }

  package mutating func integer(_ number: Int64) {
    comma()
    buffer.appendDecimal(number)
  }

  package mutating func double(_ number: Double) {
    comma()
    buffer.appendJSON(number)
  }

  package mutating func base64(_ bytes: [UInt8]) {
    comma()
    buffer.appendJSONBase64(bytes)
  }

  package mutating func node(_ node: JSONNode) {
    comma()
    buffer.appendJSON(node)
  }

  /// Writes a value that is already JSON text.
  package mutating func written(_ json: [UInt8]) {
    comma()
    buffer.append(json)
  }

  private mutating func nest(_ open: StaticString, _ close: StaticString, _ body: (inout JSONWriter) -> Void) {
    comma()
    buffer.append(open)
    needsComma = false
    body(&self)
    buffer.append(close)
    needsComma = true
  }

  private mutating func comma() {
    if needsComma { buffer.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}
