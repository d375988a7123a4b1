extension String {
  /// The text with invisible characters escaped as `\u{1B}`: those that move the cursor, colour a terminal or change
  /// the direction of writing. Texts of an accessory must not have such effects.
  package var visible: String {
    guard unicodeScalars.contains(where: \.isInvisible) else { return self }
    return unicodeScalars.map { $0.isInvisible ? "\\u{\(String($0.value, radix: 16, uppercase: true))}" : String($0) }
      .joined()
  }

  /// The text in one line: each line end becomes a blank.
  package var oneLine: String {
    var text = ""
    for scalar in unicodeScalars {
      if scalar == "\n" || scalar == "\r" || scalar == "\t" {
        if text.unicodeScalars.last != " " { text += " " }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text.visible
  }
}

extension Unicode.Scalar {
  package var isInvisible: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
    default: false
    }
  }
}
