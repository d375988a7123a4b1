extension String {
  /// One line of plain text in Markdown, also in the cell of a table: nothing in it means anything.
  var markdownEscaped: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "#", "!", "|", "~", "$", "@":
        text += "\\"
        text.unicodeScalars.append(scalar)
      default: text.unicodeScalars.append(scalar)
      }
    }
    // What would begin a list or a rule.
    if let first = text.unicodeScalars.first, "+-=".unicodeScalars.contains(first) { text = "\\" + text }
    return text
  }

  /// Many lines as they are, in a fence that nothing in them can close.
  var markdownFenced: String {
    var longest = 2
    var run = 0
    for scalar in unicodeScalars {
      run = scalar == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    return "\(fence)\n\(lines.map(\.visible).joined(separator: "\n"))\n\(fence)"
  }
}
