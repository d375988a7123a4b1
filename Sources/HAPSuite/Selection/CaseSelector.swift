import HAPWire

/// An expression that selects cases, as `--select` and `--exclude` take it.
///
/// Commas or blanks separate terms; the result is their union. A term is an id or a name (`PS-29`, `PS-*`, `m1-*`), an area (`pair-setup`),
/// a section (`§5.6`, with all its subsections), a level (`must`) or a tag (`tag:long`). `A&B` selects the cases that both select, and `!A` all
/// cases that `A` does not select.
package struct CaseSelector: Equatable, Sendable {
  /// An error in the expression: it is malformed, or a part of it selects nothing.
  package struct Problem: Error, Equatable, Sendable {
    /// The message: one line, without a full stop.
    package var message: String
  }

  private struct Factor: Equatable {
    var word: String
    var isNegated: Bool
  }

  /// One part of the union: the cases that all of its factors select.
  private typealias Term = [Factor]

  private static let levels = ["must", "should", "info"]

  package let text: String
  private let terms: [[Factor]]

  /// - Throws: `Problem` if the expression has no word, or if no word follows `&` or `!`.
  package init(_ text: String) throws(Problem) {
    self.text = text
    var terms: [Term] = []
    for part in Self.parts(text) { terms.append(try Self.term(part)) }
    guard !terms.isEmpty else { throw Problem(message: "\"\(text)\" selects no case") }
    self.terms = terms
  }

  /// Splits at commas and blanks. Blanks around `&` and after `!` do not count.
  private static func parts(_ text: String) -> [String] {
    var parts: [String] = []
    var isJoined = false
    for chunk in text.split(whereSeparator: { $0.isWhitespace }).map(String.init) {
      if isJoined || (chunk.hasPrefix("&") && !parts.isEmpty) {
        parts[parts.count - 1] += chunk
      } else {
        parts.append(chunk)
      }
      isJoined = chunk.hasSuffix("&") || chunk.hasSuffix("!")
    }
    return parts.flatMap { $0.split(separator: ",").map(String.init) }
  }

  private static func term(_ text: String) throws(Problem) -> Term {
    var term: Term = []
    for part in text.split(separator: "&", omittingEmptySubsequences: false) {
      let word = part.drop { $0 == "!" }
      guard !word.isEmpty else { throw Problem(message: "a term is missing in \"\(text)\"") }
      term.append(Factor(word: String(word), isNegated: (part.count - word.count) % 2 == 1))
    }
    return term
  }

  // MARK: Selecting

  package func matches(_ candidate: SelectableCase) -> Bool {
    terms.contains { $0.allSatisfy { Self.matches($0.word, candidate) != $0.isNegated } }
  }

  /// Returns the selected cases, in their order.
  /// - Throws: `Problem` if a factor, or a whole term, selects no case.
  package func select(from cases: [SelectableCase]) throws(Problem) -> [SelectableCase] {
    for factor in terms.joined() where !cases.contains(where: { Self.matches(factor.word, $0) }) {
      throw Self.unknown(factor.word, cases)
    }
    for term in terms
    where !cases.contains(where: { one in term.allSatisfy { Self.matches($0.word, one) != $0.isNegated } }) {
      let shown = term.map { ($0.isNegated ? "!" : "") + $0.word }.joined(separator: "&")
      throw Problem(message: "no case matches \"\(shown)\"")
    }
    return cases.filter(matches)
  }

  private static func matches(_ word: String, _ candidate: SelectableCase) -> Bool {
    if word.hasPrefix("§") { return sections(candidate.section).contains { isSection($0, within: word.dropFirst()) } }
    if word.lowercased().hasPrefix("tag:") {
      let glob = Glob(String(word.dropFirst(4)).lowercased())
      return candidate.tags.contains { glob.matches($0.lowercased()) }
    }
    let glob = Glob(word.lowercased())
    return [candidate.id, candidate.name, candidate.area, candidate.level].contains { glob.matches($0.lowercased()) }
  }

  // MARK: Sections

  /// Returns the section numbers after each "§", including those that follow after a comma or a dash: "§5.6–5.7, 9.3" has three.
  static func sections(_ text: String) -> [Substring] {
    var sections: [Substring] = []
    var rest = text[...]
    while let sign = rest.firstIndex(of: "§") {
      rest = rest[rest.index(after: sign)...]
      while true {
        let number = rest.drop { $0 == " " }.prefix { $0.isASCII && ($0.isNumber || $0.isLetter) || $0 == "." }
        guard number.first?.isNumber == true else { break }
        rest = rest[number.endIndex...]
        let trimmed = number.last == "." ? number.dropLast() : number
        sections.append(trimmed)
        guard let mark = rest.first, [",", "-", "–"].contains(mark) else { break }
        rest = rest.dropFirst()
      }
    }
    return sections
  }

  /// Returns whether a section is this one or a subsection of it: 5.6.2 is within 5.6, and 5.60 is not.
  private static func isSection(_ section: Substring, within wanted: Substring) -> Bool {
    if wanted.contains("*") { return Glob(String(wanted)).matches(String(section)) }
    guard section.hasPrefix(wanted), !wanted.isEmpty else { return false }
    let rest = section.dropFirst(wanted.count)
    return rest.isEmpty || rest.first == "." || wanted.last == "."
  }

  // MARK: Suggestions

  private static func unknown(_ word: String, _ cases: [SelectableCase]) -> Problem {
    if word.hasPrefix("§") {
      let sections = Set(cases.flatMap { Self.sections($0.section).map { "§\($0)" } }).sorted()
      return Problem(message: "no case is about \(word)" + nearest(word, sections))
    }
    if word.lowercased().hasPrefix("tag:") {
      let tags = Set(cases.flatMap(\.tags)).sorted()
      let hint = nearest(word, tags.map { "tag:\($0)" })
      return Problem(
        message: "no case has \"\(word)\""
          + (hint.isEmpty && !tags.isEmpty ? "; there are \(tags.map { "tag:\($0)" }.joined(separator: ", "))" : hint))
    }
    let areas = Set(cases.map(\.area)).sorted()
    let names = cases.map(\.id) + cases.map(\.name) + areas + levels
    let hint = nearest(word, names)
    if !hint.isEmpty { return Problem(message: "no case is named \"\(word)\"\(hint)") }
    return Problem(
      message: "no case is named \"\(word)\""
        + (areas.isEmpty ? "" : "; there are the areas \(areas.joined(separator: ", "))"))
  }

  /// Returns up to three similar names, as a question.
  private static func nearest(_ word: String, _ names: [String]) -> String {
    var left = names
    var found: [String] = []
    while found.count < 3, let name = nearestName(to: word, in: left) {
      found.append(name)
      left.removeAll { $0 == name }
    }
    return found.isEmpty ? "" : ": did you mean \(found.joined(separator: " or "))?"
  }
}
