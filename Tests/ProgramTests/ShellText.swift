/// Returns the words of a line of bash, zsh or fish, without their quotes.
/// - Parameter hasEscapes: whether a backslash in single quotes escapes the next character, as in fish.
func quotedWords(_ line: some StringProtocol, hasEscapes: Bool = false) -> [String] {
  var words: [String] = []
  var word: String.UnicodeScalarView?
  var quote: Unicode.Scalar?
  func extended(by scalar: Unicode.Scalar?) -> String.UnicodeScalarView {
    (word ?? String.UnicodeScalarView()) + (scalar.map { [$0] } ?? [])
  }
  var rest = String(line).unicodeScalars[...]
  while let scalar = rest.popFirst() {
    switch (quote, scalar) {
    case ("'", "\\") where hasEscapes, (nil, "\\"): word = extended(by: rest.popFirst())
    case (scalar, _): quote = nil
    case (nil, "'"), (nil, "\""): (quote, word) = (scalar, extended(by: nil))
    case (nil, " "):
      if let word { words.append(String(word)) }
      word = nil
    default: word = extended(by: scalar)
    }
  }
  return words + (word.map { [String($0)] } ?? [])
}

/// Returns the text that roff shows for a line.
func shownByRoff(_ line: some StringProtocol) -> String {
  var text = String.UnicodeScalarView()
  var rest = String(line).unicodeScalars[...]
  while let scalar = rest.popFirst() {
    guard scalar == "\\" else {
      text.append(scalar)
      continue
    }
    switch rest.popFirst() {
    case "-": text.append("-")
    case "f": rest = rest.dropFirst()  // a font
    case "(":
      let names: [String: Unicode.Scalar] = ["rs": "\\", "aq": "'", "dq": "\"", "ga": "`", "ha": "^", "ti": "~"]
      text.append(names[String(rest.prefix(2))] ?? "?")
      rest = rest.dropFirst(2)
    case "[":
      let digits = rest.dropFirst().prefix { $0 != "]" }
      text.append(UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init) ?? "?")
      rest = rest.dropFirst(digits.count + 2)
    case "&": break
    default: text.append("?")
    }
  }
  return String(text)
}
