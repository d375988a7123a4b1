extension String {
  /// One line of plain text in Markdown, also for a table cell. All special characters are escaped.
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
    // Escapes the start of a list or a rule.
    if let first = text.unicodeScalars.first, "+-=".unicodeScalars.contains(first) { text = "\\" + text }
    return text
  }
}
