import HAPCommandLine
import HAPController

/// A line cut into words at blanks, with quotes and backslashes as shells have them: "Target Door State", 'x', a\ b.
struct ShellWords: Equatable {
  struct Word: Equatable {
    /// Without its quotes.
    var text: String
    /// Where it begins in the line, in Unicode scalars.
    var start: Int
  }

  private(set) var words: [Word] = []
  /// Whether a blank, or nothing, stands before the end: what is typed next is a word of its own.
  private(set) var isBetweenWords = true
  /// Of the quote that isn't closed.
  private(set) var openQuote: Unicode.Scalar?
  private(set) var endsInBackslash = false

  /// Reads any line, also one that isn't finished yet.
  init(_ line: String) {
    for (position, scalar) in line.unicodeScalars.enumerated() {
      if endsInBackslash {
        endsInBackslash = false
        add(scalar)
      } else if let quote = openQuote {
        if scalar == quote {
          openQuote = nil
        } else if scalar == "\\", quote == "\"" {
          endsInBackslash = true
        } else {
          add(scalar)
        }
      } else if scalar == " " || scalar == "\t" {
        isBetweenWords = true
      } else {
        if isBetweenWords {
          words.append(Word(text: "", start: position))
          isBetweenWords = false
        }
        switch scalar {
        case "\"", "'": openQuote = scalar
        case "\\": endsInBackslash = true
        default: add(scalar)
        }
      }
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar) { words[words.count - 1].text.unicodeScalars.append(scalar) }

  /// The words of a line that is finished.
  static func split(_ line: String) throws(UsageError) -> [String] {
    let parsed = ShellWords(line)
    if let quote = parsed.openQuote { throw UsageError("the quote \(quote) isn't closed") }
    guard !parsed.endsInBackslash else { throw UsageError("nothing stands behind the backslash") }
    return parsed.words.map(\.text)
  }

  /// A word as it is written, in quotes where it needs them.
  /// - Parameter isOpen: more of it is to be typed: the quote stays open.
  static func written(_ text: String, isOpen: Bool = false) -> String {
    let special: Set<Unicode.Scalar> = [" ", "\t", "\"", "'", "\\", "#"]
    guard text.isEmpty || text.unicodeScalars.contains(where: special.contains) else { return text }
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return isOpen ? result : result + "\""
  }
}
