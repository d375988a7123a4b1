extension String {
  /// The lines of the text; "\r\n" is one line end.
  var lines: [String] {
    var lines: [String] = [""]
    var isAfterReturn = false
    for scalar in unicodeScalars {
      if scalar == "\r" || (scalar == "\n" && !isAfterReturn) {
        lines.append("")
      } else if scalar != "\n" {
        lines[lines.count - 1].unicodeScalars.append(scalar)
      }
      isAfterReturn = scalar == "\r"
    }
    return lines
  }

  /// Returns at most `limit` characters. The last one shows that text was cut.
  func clipped(to limit: Int) -> String {
    guard limit > 0, let end = index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else {
      return self
    }
    return self[..<index(before: end)] + "…"
  }

  /// Breaks the text at blanks into lines of at most `width` characters. A longer word is not broken.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for paragraph in self.lines {
      var line = ""
      var count = 0
      for word in paragraph.split(separator: " ") {
        if count > 0, count + 1 + word.count > width {
          lines.append(line)
          (line, count) = ("", 0)
        }
        line += count > 0 ? " \(word)" : String(word)
        count += word.count + (count > 0 ? 1 : 0)
      }
      lines.append(line)
    }
    return lines
  }

  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
