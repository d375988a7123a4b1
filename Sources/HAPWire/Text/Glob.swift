/// A pattern in which `*` stands for any characters or none, and everything else for itself.
package struct Glob: Equatable, Sendable {
  package let pattern: String
  private let scalars: [Unicode.Scalar]

  package init(_ pattern: String) {
    self.pattern = pattern
    scalars = Array(pattern.unicodeScalars)
  }

  /// Whether the whole of `text` fits.
  package func matches(_ text: String) -> Bool {
    let text = Array(text.unicodeScalars)
    var at = 0
    var next = 0
    // Where the last star stands, and how far into the text it reaches so far. An earlier one needs no second try.
    var star: (pattern: Int, text: Int)?
    while at < text.count {
      if next < scalars.count, scalars[next] == "*" {
        star = (next, at)
        next += 1
      } else if next < scalars.count, scalars[next] == text[at] {
        next += 1
        at += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        next = last.pattern + 1
        at = last.text + 1
      } else {
        return false
      }
    }
    return scalars[next...].allSatisfy { $0 == "*" }
  }
}
