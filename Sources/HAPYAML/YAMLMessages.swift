import HAPWire

/// Error messages for libyaml's errors that explain how to fix the text.
enum YAMLMessages {
  static func message(ofBytes problem: String) -> String {
    problem.contains("control characters")
      ? "there is a control character here: in double quotes write it as an escape, such as \"\\x07\""
      : "the text is not UTF-8"
  }

  /// - Parameters:
  ///   - problem: libyaml's message, which is the same in all its releases.
  ///   - context: the element that libyaml was reading, and its start.
  ///   - character: the character at the error; nil at the end of the text.
  static func message(
    of problem: String, context: (words: String, place: JSONPlace)?, at character: Unicode.Scalar?
  ) -> String {
    let began = context.map { " that began in line \($0.place.line)" } ?? ""
    switch problem {
    case "found character that cannot start any token":
      guard let character, character != "\t" else { return "lines are indented with blanks, not with tabs" }
      return "a text can't start with \"\(character)\": put it in quotes"
    case "mapping values are not allowed in this context":
      return "a colon is not expected here: put a text with \": \" in quotes, and a mapping on separate lines"
    case "did not find expected key", "did not find expected '-' indicator":
      let wanted = problem.hasSuffix("key") ? "the next key of the mapping" : "the next \"- \" of the list"
      return "\(wanted)\(began) is expected here: is this line indented like the other ones?"
    case "could not find expected ':'":
      return "the key\(began) has no colon after it: \"key: value\"; put a text of several lines in quotes"
    case "found unexpected end of stream": return "the text in quotes\(began) is not closed"
    case "found unexpected document indicator": return "a line of a text in quotes can't begin with \"---\" or \"...\""
    case "did not find expected ',' or ']'": return "a comma or \"]\" is expected in the list\(began)"
    case "did not find expected ',' or '}'": return "a comma or \"}\" is expected in the mapping\(began)"
    case "did not find expected <document start>": return "there is text after the end: only one document is expected"
    case "did not find expected node content": return "a value is expected here"
    case "found unknown escape character": return "there is no such escape: write a backslash as \"\\\\\""
    case "found invalid Unicode character escape code":
      return "half of a surrogate pair is not a character: write the character itself"
    case "found incompatible YAML document": return "this is another version of YAML: only 1.1 and 1.2 are supported"
    case "found undefined tag handle": return "there is no such tag"
    case "block sequence entries are not allowed in this context":
      return "a list can't start here: put its first \"- \" on a separate line"
    case "found a tab character that violates indentation",
      "found a tab character where an indentation space is expected":
      return "lines are indented with blanks, not with tabs"
    default:
      guard let context else { return problem }
      return "\(problem), \(context.words)\(began)"
    }
  }
}
