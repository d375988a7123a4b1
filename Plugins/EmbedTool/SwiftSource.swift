/// Declarations in Swift that hold texts.
///
/// A long array of static strings compiles quickly if its type is explicit. An array of bytes takes many times as long.
enum SwiftSource {
  /// Files with their names, in the order given.
  static func texts(type: String, files: ArraySlice<String>) throws(EmbedError) -> String {
    var swift = "package enum \(type) {\n  package static let files: [(name: String, text: StaticString)] = [\n"
    for file in files {
      let name = file.split(separator: "/").last.map(String.init) ?? file
      let text = try text(of: file)
      swift += "    (\(try quoted(name)), \(literal(text))),\n"
    }
    return swift + "  ]\n}\n"
  }

  /// A JSON document without the white space between its tokens.
  static func json(type: String, file: String) throws(EmbedError) -> String {
    var isInText = false
    var isEscaped = false
    var bytes: [UInt8] = []
    for byte in try text(of: file).utf8 {
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInText = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isInText = true
      } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t") {
        continue
      }
      bytes.append(byte)
    }
    guard !isInText, bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
      throw EmbedError("the file \(file) is not a JSON object; correct the file")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return "package enum \(type) {\n  package static let text: StaticString = \(literal(text))\n}\n"
  }

  /// Returns a text that a multi-line literal can hold byte by byte.
  static func text(of file: String) throws(EmbedError) -> String {
    let bytes = try System.bytes(of: file)
    let line = { (index: Int) in bytes[..<index].count { $0 == UInt8(ascii: "\n") } + 1 }
    // The compiler converts a carriage return to a line feed, and refuses other control characters.
    let isRefused = { (byte: UInt8) in
      byte == 0x7F || byte < 0x20 && byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\t")
    }
    if let index = bytes.firstIndex(where: isRefused) {
      throw EmbedError(
        "the file \(file) has the control character \(bytes[index]) in line \(line(index)); remove it "
          + "(13: save the file with line feeds only)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw EmbedError("the file \(file) is not UTF-8; save it as UTF-8")
    }
    return text
  }

  /// Returns a multi-line string literal with exactly this text.
  static func literal(_ text: String) -> String {
    var longest = 0
    var isAfterMark = false
    var run = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "#"), isAfterMark {
        run += 1
        longest = max(longest, run)
      } else {
        isAfterMark = byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"")
        run = 0
      }
    }
    let marks = String(repeating: "#", count: longest + 1)
    return "\(marks)\"\"\"\n\(text)\n\"\"\"\(marks)"
  }

  /// Returns a string literal with a file's name.
  private static func quoted(_ name: String) throws(EmbedError) -> String {
    guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
      throw EmbedError(
        "the file \(name) has a quotation mark, a backslash or a control character in its name; rename it")
    }
    return "\"\(name)\""
  }
}
