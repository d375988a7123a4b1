/// Wraps a paragraph at spaces so that no line is wider than `width`. Words that are wider get separate lines.
///
/// - Parameter indent: the indentation of every line, which counts as part of the width.
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

/// Returns rows of two columns, names and meanings, with the second column wrapped. A name too long for the first
/// column gets a separate line.
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
