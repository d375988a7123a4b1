/// Uppercase letters, digits and some signs of 5 by 7 dots, for pictures.
enum PixelFont {
  static let width = 5
  static let height = 7

  /// Returns whether the dot is set. Lowercase letters are drawn as uppercase, and unknown characters as a question
  /// mark.
  static func isSet(_ character: Character, x: Int, y: Int) -> Bool {
    let capital = character.uppercased().first ?? "?"
    let glyph = glyphs[capital] ?? glyphs["?"] ?? 0
    return glyph >> UInt64(34 - 5 * y - x) & 1 == 1
  }

  /// Seven rows of five dots, from the top left.
  private static let glyphs: [Character: UInt64] = [
    " ": 0x000000000, "A": 0x3A31FC631, "B": 0x7A31F463E, "C": 0x3A308422E, "D": 0x7A318C63E,
    "E": 0x7E10F421F, "F": 0x7E10F4210, "G": 0x3A30BC62E, "H": 0x4631FC631, "I": 0x38842108E,
    "J": 0x1C4210A4C, "K": 0x4654C5251, "L": 0x42108421F, "M": 0x4775AC631, "N": 0x47359C631,
    "O": 0x3A318C62E, "P": 0x7A31F4210, "Q": 0x3A318D64D, "R": 0x7A31F5251, "S": 0x3E107043E,
    "T": 0x7C8421084, "U": 0x46318C62E, "V": 0x46318C544, "W": 0x4631AD771, "X": 0x462A22A31,
    "Y": 0x462A21084, "Z": 0x7C222221F, "0": 0x3A33AE62E, "1": 0x11842108E, "2": 0x3A213221F,
    "3": 0x3A213062E, "4": 0x08CA97C42, "5": 0x7E1E0862E, "6": 0x1910F462E, "7": 0x7C2222108,
    "8": 0x3A317462E, "9": 0x3A317844C, ":": 0x008000080, "-": 0x000070000, ".": 0x000000004,
    "'": 0x108800000, "#": 0x295F57D4A, "?": 0x3A2131004, "/": 0x042222210,
  ]
}
