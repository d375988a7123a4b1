/// Breaks a paragraph at blanks so that no line is wider than `width`; a word that is wider has a line of its own.
///
/// - Parameter indent: of every line, counted in the width.
package func wrapped(_ paragraph: String, width: Int, indent: Int = 0) -> [String] {
  let margin = String(repeating: " ", count: indent)
  var lines: [String] = []
  var line = ""
  for word in paragraph.split(separator: " ") {
    if line.isEmpty {
      line = String(word)
    } else if indent + line.count + 1 + word.count <= width {
      line += " " + word
    } else {
      lines.append(margin + line)
      line = String(word)
    }
  }
  if !line.isEmpty { lines.append(margin + line) }
  return lines
}

/// Rows of two columns, the second wrapped: names and what they mean. A name too long for the first column has a line of its own.
package func definitionList(_ rows: [(term: String, meaning: String)], width: Int, indent: Int = 2) -> [String] {
  let widest = rows.map(\.term.count).filter { $0 <= 26 }.max() ?? 0
  let start = indent + widest + 2
  var lines: [String] = []
  for row in rows {
    var meaning = wrapped(row.meaning, width: width, indent: start)
    let term = String(repeating: " ", count: indent) + row.term
    if row.term.count <= widest, !meaning.isEmpty {
      let first = meaning.removeFirst()
      lines.append(term + first.dropFirst(term.count))
    } else {
      lines.append(term)
    }
    lines += meaning
  }
  return lines
}
