extension HomeName {
  /// The greatest number of characters (rule N5).
  public static let greatestLength = 64

  /// Checks a name that a person entered. Names of accessories are kept as they are (rule N4).
  /// - Throws: rules N4 and N5.
  package static func checked(_ text: String, _ policy: HomePolicy) throws(HomeError) -> HomeName {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else {
      throw HomeError(.stringShorterThanMinimum, .n5, "the name is empty: enter 1 to \(greatestLength) characters")
    }
    guard text.count <= greatestLength else {
      throw HomeError(
        .stringLongerThanMaximum, .n5,
        "the name has \(text.count) characters: enter at most \(greatestLength) characters")
    }
    guard text.utf8.count <= greatestLength * 8 else {
      throw HomeError(
        .stringLongerThanMaximum, .n5,
        "the name has \(text.utf8.count) bytes: enter characters with fewer accents, at most \(greatestLength * 8) bytes"
      )
    }
    guard isWordPart(first), !isMark(first) else {
      throw HomeError(
        .nameDoesNotStartWithValidCharacters, .n4, "the name \"\(text)\" must begin with a letter or a digit")
    }
    guard isWordPart(last) else {
      throw HomeError(.nameDoesNotEndWithValidCharacters, .n4, "the name \"\(text)\" must end with a letter or a digit")
    }
    if let wrong = text.unicodeScalars.first(where: { !isAllowed($0, policy.names) }) {
      let code = String(wrong.value, radix: 16, uppercase: true)
      throw HomeError(
        .nameContainsProhibitedCharacters, .n4,
        "the name \"\(text)\" has the character \"\(wrong)\" (U+\(code)): use letters, digits, spaces and apostrophes")
    }
    return HomeName(text)
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Whether a letter, a digit or a mark of a letter.
  private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber:
      true
    default: isMark(scalar)
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar, _ names: HomePolicy.Names) -> Bool {
    if isWordPart(scalar) || scalar == " " || isApostrophe(scalar) { return true }
    switch (names, scalar.properties.generalCategory) {
    case (.guide, _): return false
    case (.reference, .control), (.reference, .format), (.reference, .surrogate), (.reference, .privateUse),
      (.reference, .unassigned), (.reference, .lineSeparator), (.reference, .paragraphSeparator):
      return false
    case (.reference, _): return true
    }
  }

  /// Returns the name that an accessory supplies, as it is (rules N4 and N7).
  /// - Parameters:
  ///   - text: the text of the accessory's Name. Only its first 64 characters are used.
  ///   - fallback: the name if these have no visible character.
  static func supplied(_ text: String?, or fallback: String) -> HomeName {
    let name = HomeName(String((text ?? "").prefix(greatestLength)))
    return name.key.isEmpty ? HomeName(String(fallback.prefix(greatestLength))) : name
  }
}
