/// A pattern in which `*` matches any number of characters, and every other character matches itself.
package struct Glob: Equatable, Sendable {
  package let pattern: String
  private let scalars: [Unicode.Scalar]

  package init(_ pattern: String) {
    self.pattern = pattern
    scalars = Array(pattern.unicodeScalars)
  }

  /// Returns whether the pattern matches the whole of `text`.
  package func matches(_ text: String) -> Bool {
    let text = Array(text.unicodeScalars)
    var at = 0
    var next = 0
    // The position of the last star, and the end of the text that it matches so far. An earlier star needs no second
    // try.
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
