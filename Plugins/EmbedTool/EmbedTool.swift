/// Writes one Swift file with texts of the package, so that the programs need no files.
///
/// The package plugin EmbedTexts runs it once for each target that has texts.
@main struct EmbedTool {
  private static let usage = """
    usage: EmbedTool OUTPUT PART…
      --texts TYPE FILE…           files by their names
      --json TYPE FILE             a JSON document without white space
      --report-page TYPE FOLDER    the HTML pages of reports, in pieces
    """

  static func main() {
    do throws(EmbedError) {
      var words = CommandLine.arguments.dropFirst()
      guard let output = words.popFirst(), !words.isEmpty else { throw EmbedError("no part is named\n\(usage)") }
      var swift = "// Made by EmbedTool in each build. Change the files that it was made from.\n"
      while let part = words.popFirst() {
        let end = words.firstIndex { $0.hasPrefix("--") } ?? words.endIndex
        swift += "\n" + (try source(of: part, Array(words[..<end])))
        words = words[end...]
      }
      try System.write(Array(swift.utf8), to: output)
    } catch {
      System.fail("error: EmbedTool: \(error.message)\n")
    }
  }

  /// Returns the declaration of one part.
  private static func source(of part: String, _ words: [String]) throws(EmbedError) -> String {
    switch (part, words.count) {
    case ("--texts", 2...): try SwiftSource.texts(type: words[0], files: words.dropFirst())
    case ("--json", 2): try SwiftSource.json(type: words[0], file: words[1])
    case ("--report-page", 2): try ReportPages(folder: words[1]).source(type: words[0])
    default: throw EmbedError("\(part) with \(words.count) words is not a part\n\(usage)")
    }
  }
}

/// The reason why no file was written.
struct EmbedError: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
