/// The parsed words of a command line: option values by name, and the operands in order.
///
/// Options and operands may be mixed. `--opt value` and `--opt=value` are equivalent. All words after `--` are
/// operands, and so are `-` and `-1`. A value that begins with `--` must be written `--opt=--value`, which lets the
/// parser report a forgotten value.
package struct Arguments: Equatable, Sendable {
  package private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]
  /// The names of the options and flags on the command line.
  private var given: Set<String> = []

  /// - Parameters:
  ///   - nearest: returns the name that the user probably meant, for "did you mean".
  /// - Throws: for an unknown option, a missing or unexpected value, or an option given twice.
  package init(
    parsing words: some Sequence<String>, options: [OptionDefinition],
    nearest: (_ word: String, _ names: [String]) -> String? = { _, _ in nil }
  ) throws(UsageError) {
    var words = Array(words)[...]
    while let word = words.popFirst() {
      if word == "--" {
        operands += words
        return
      }
      guard word.hasPrefix("-"), word != "-", !isNegativeNumber(word) else {
        operands.append(word)
        continue
      }
      var name = word
      var value: String?
      if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
        name = String(word[..<equals])
        value = String(word[word.index(after: equals)...])
      }
      guard let option = options.first(where: { "--\($0.name)" == name || $0.letter.map { "-\($0)" } == name }) else {
        if let new = renamedOptions[name], options.contains(where: { new.split(separator: " ")[0] == "--\($0.name)" }) {
          throw UsageError("\(name) is called \(new) now")
        }
        let meant = nearest(name, options.map { "--\($0.name)" })
        throw UsageError("unknown option \(name)" + (meant.map { "; did you mean \($0)?" } ?? ""))
      }
      if let placeholder = option.placeholder {
        if value == nil, let next = words.first, !next.hasPrefix("--") { value = words.popFirst() }
        guard value != nil else { throw UsageError("\(name) needs a value: \(name) \(placeholder)") }
      } else if let file = value ?? words.first.flatMap(reportName), let other = option.fileOption {
        throw UsageError(
          "\(name) takes no file name: it prints JSON to standard output; --\(other) \(shown(file)) writes a file")
      } else if value != nil {
        throw UsageError("\(name) takes no value")
      }
      guard option.isRepeated || !given.contains(option.name) else { throw UsageError("\(name) is given twice") }
      given.insert(option.name)
      if let value { values[option.name, default: []].append(value) }
    }
  }

  package subscript(_ flag: Flag) -> Bool { given.contains(flag.definition.name) }

  /// The value of an option; nil if the option was not given.
  package func value<Value>(_ option: Option<Value>) throws(UsageError) -> Value? {
    try all(option).last
  }

  /// All values of a repeated option, in order.
  package func all<Value>(_ option: Option<Value>) throws(UsageError) -> [Value] {
    var result: [Value] = []
    for text in values[option.definition.name] ?? [] {
      do throws(UsageError) {
        result.append(try option.read(text))
      } catch {
        throw error.after("--\(option.definition.name) \(shown(text))")
      }
    }
    return result
  }

  /// Whether the option was given. Commands use it for options that exclude each other.
  package func has<Value>(_ option: Option<Value>) -> Bool { given.contains(option.definition.name) }
}

/// Options that had another name before.
private let renamedOptions = ["--conduct": "--quirks", "--must": "--level must"]

/// Returns the word if it can only be the name of a report file. A file that exists may be an operand.
private func reportName(_ word: String) -> String? {
  word.hasPrefix("/dev/") || word.hasSuffix(".json") && !fileExists(word) ? word : nil
}

/// Whether the word is a negative number; no option begins with a digit.
private func isNegativeNumber(_ word: String) -> Bool {
  word.hasPrefix("-") && word.utf8.dropFirst().prefix(1).contains { (0x30...0x39).contains($0) }
}

/// Returns the user's text for a message: without control characters, and quoted if it is empty or contains a
/// space.
package func shown(_ text: String) -> String {
  var clean = ""
  for scalar in text.unicodeScalars.prefix(200) {
    clean.unicodeScalars.append(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : scalar)
  }
  return clean.isEmpty || clean.contains(" ") ? "\"\(clean)\"" : clean
}
