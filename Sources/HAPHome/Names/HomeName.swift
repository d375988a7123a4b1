/// The name of a home or of an object in a home, and the form of it that is compared.
public struct HomeName: Hashable, Sendable, CustomStringConvertible {
  /// The name as a person or an accessory wrote it.
  public let text: String
  /// The name without case, spaces and apostrophes. Two names with equal keys count as the same name (rule N3).
  /// Swift compares texts by canonical equivalence, as the rule requires.
  public let key: String

  /// Creates a name without checking rules N4 and N5, which `checked` does.
  public init(_ text: String) {
    self.text = text
    var key = ""
    for scalar in text.unicodeScalars where !Self.isIgnored(scalar) {
      // Upper case first: the upper case of a sharp s and of a final sigma have one lower case.
      for upper in scalar.properties.uppercaseMapping.unicodeScalars { key += upper.properties.lowercaseMapping }
    }
    self.key = key
  }

  /// The text.
  public var description: String { text }

  /// Whether both names have the same characters; names that only count as the same (`key`) are different.
  public static func == (left: HomeName, right: HomeName) -> Bool { left.text == right.text }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || isApostrophe(scalar)
  }

  static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool { scalar == "'" || scalar == "\u{2019}" }
}
