/// The vocabulary as Markdown tables. docs/reference/suite-format.md has them between its marks.
package enum VocabularyTables {
  /// The tables by the names of the marks.
  package static var sections: [(name: String, text: String)] {
    [
      ("constraints", table(Vocabulary.constraints.map { ("`\($0.name)`", $0.summary) })),
      ("bytes", members(Vocabulary.bytesMembers)),
      (
        "items",
        Vocabulary.itemTypes.map { "`\($0.name)`" }.joined(separator: ", ")
          + "; any other by its number, `0x7F`. Errors: "
          + Vocabulary.errorNames.map { "`\($0.name)`" }.joined(separator: ", ") + "."
      ),
      ("alterations", members(Vocabulary.alterations)), ("subjects", members(Vocabulary.subjectMembers)),
      ("verbs", Vocabulary.verbs.map(verb).joined(separator: "\n\n")),
    ]
  }

  /// Returns a page with its marked sections generated again.
  package static func filled(_ page: String) -> String {
    var page = page
    for (name, text) in sections {
      guard let start = page.firstRange(of: "<!-- \(name) -->"),
        let end = page.firstRange(of: "<!-- end of \(name) -->")
      else { continue }
      page = page[..<start.upperBound] + "\n" + text + "\n" + page[end.lowerBound...]
    }
    return page
  }

  private static func verb(_ verb: Verb) -> String {
    var text = "### `\(verb.name)`\n\(verb.summary)"
    let list = objectMembers(verb.shape)
    if !list.isEmpty { text += "\n\n" + members(list) }
    return text
  }

  private static func objectMembers(_ shape: Shape) -> [ShapeMember] {
    switch shape {
    case .object(let members): members
    case .either(let shapes): shapes.lazy.map(objectMembers).first { !$0.isEmpty } ?? []
    default: []
    }
  }

  private static func members(_ members: [ShapeMember]) -> String {
    table(members.map { ("`\($0.name)`" + ($0.isRequired ? " (required)" : ""), kind($0.shape) + $0.summary) })
  }

  private static func table(_ rows: [(String, String)]) -> String {
    "| | |\n|---|---|\n" + rows.map { "| \($0.0) | \($0.1.replacing("|", with: "\\|")) |" }.joined(separator: "\n")
  }

  private static func kind(_ shape: Shape) -> String {
    switch shape {
    case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ") + ": "
    case .bool: "true or false: "
    default: ""
    }
  }
}
