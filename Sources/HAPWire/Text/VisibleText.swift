extension String {
  /// Characters that move a cursor, colour a terminal or turn the direction of writing are shown as `\u{1B}`: what an accessory
  /// says must not be able to do any of that.
  package var visible: String {
    guard unicodeScalars.contains(where: \.isInvisible) else { return self }
    return unicodeScalars.map { $0.isInvisible ? "\\u{\(String($0.value, radix: 16, uppercase: true))}" : String($0) }
      .joined()
  }

  /// The same in one line: a line's end is a blank.
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
