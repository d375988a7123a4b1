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
}
