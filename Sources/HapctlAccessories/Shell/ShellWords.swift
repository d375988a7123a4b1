import HAPCommandLine
import HAPController

/// A line split into words at blanks, with quotes and backslashes as in shells: "Target Door State", 'x', a\ b.
struct ShellWords: Equatable {
  struct Word: Equatable {
    /// The text without quotes.
    var text: String
    /// The start in the line, in Unicode scalars.
    var start: Int
  }

  private(set) var words: [Word] = []
  /// Whether the line is empty or ends with a blank outside of quotes: the next character begins a new word.
  private(set) var isBetweenWords = true
  /// The quote that isn't closed.
  private(set) var openQuote: Unicode.Scalar?
  private(set) var endsInBackslash = false

  /// Parses any line, including an unfinished one.
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

  /// Returns the words of a finished line.
  static func split(_ line: String) throws(UsageError) -> [String] {
    let parsed = ShellWords(line)
    if let quote = parsed.openQuote { throw UsageError("the quote \(quote) isn't closed") }
    guard !parsed.endsInBackslash else { throw UsageError("nothing follows the backslash") }
    return parsed.words.map(\.text)
  }

  /// Returns the text quoted for the command line where necessary.
  /// - Parameter isOpen: whether more text will be typed; the quote then stays open.
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
