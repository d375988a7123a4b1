import HAPWire

/// What libyaml complains of, in words that say what to do about it.
enum YAMLMessages {
  static func message(ofBytes problem: String) -> String {
    problem.contains("control characters")
      ? "there is a control character here: in double quotes write it as an escape, such as \"\\x07\""
      : "the text is not UTF-8"
  }

  /// - Parameters:
  ///   - problem: libyaml's words, which stay the same over its releases.
  ///   - context: what it was reading, and where that began.
  ///   - character: what stands where it stopped; nil at the end of the text.
  static func message(
    of problem: String, context: (words: String, place: JSONPlace)?, at character: Unicode.Scalar?
  ) -> String {
    let began = context.map { " that began in line \($0.place.line)" } ?? ""
    switch problem {
    case "found character that cannot start any token":
      guard let character, character != "\t" else { return "lines are indented with blanks, not with tabs" }
      return "no text begins with \"\(character)\": put it in quotes"
    case "mapping values are not allowed in this context":
      return "a colon is not expected here: put a text with \": \" in quotes, and a mapping on lines of its own"
    case "did not find expected key", "did not find expected '-' indicator":
      let wanted = problem.hasSuffix("key") ? "the next key of the mapping" : "the next \"- \" of the list"
      return "\(wanted)\(began) is expected here: is this line indented as far as the ones it belongs to?"
    case "could not find expected ':'":
      return "the key\(began) has no colon after it: \"key: value\"; a text of several lines is put in quotes"
    case "found unexpected end of stream": return "the text in quotes\(began) is not closed"
    case "found unexpected document indicator": return "a line of a text in quotes can't begin with \"---\" or \"...\""
    case "did not find expected ',' or ']'": return "a comma or \"]\" is expected in the list\(began)"
    case "did not find expected ',' or '}'": return "a comma or \"}\" is expected in the mapping\(began)"
    case "did not find expected <document start>": return "the text goes on after its end: it is one document"
    case "did not find expected node content": return "a value is expected here"
    case "found unknown escape character": return "there is no such escape: a backslash itself is written \"\\\\\""
    case "found invalid Unicode character escape code":
      return "half of a surrogate pair is no character: write the character itself"
    case "found incompatible YAML document": return "this is of another version of YAML: 1.1 and 1.2 are read"
    case "found undefined tag handle": return "there is no such tag"
    case "block sequence entries are not allowed in this context":
      return "a list can't begin here: put its first \"- \" on a line of its own"
    case "found a tab character that violates indentation",
      "found a tab character where an indentation space is expected":
      return "lines are indented with blanks, not with tabs"
    default:
      guard let context else { return problem }
      return "\(problem), \(context.words)\(began)"
    }
  }
}
