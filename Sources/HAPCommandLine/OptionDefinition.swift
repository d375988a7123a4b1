/// What a command line may say, whatever type its value has: enough for parsing and for help.
package struct OptionDefinition: Equatable, Sendable {
  /// Without the dashes, "setup-code".
  package var name: String
  /// Without the dash, "h".
  package var letter: Character?
  /// What stands for the value in help, "XXX-XX-XXX"; nil for a flag, which has none.
  package var placeholder: String?
  /// For help: a sentence or two without a capital at the start or a full stop at the end.
  package var summary: String
  /// Whether it may be given more than once.
  package var isRepeated: Bool
  /// Of a flag that prints to standard output: the option that writes the same to a file, which users may mean.
  package var fileOption: String?

  /// As help lists it, "--setup-code XXX-XX-XXX".
  package var label: String {
    (letter.map { "-\($0), " } ?? "") + "--\(name)" + (placeholder.map { " \($0)" } ?? "") + (isRepeated ? "…" : "")
  }
}

/// An option with a value of a type: how to read it, and by which to ask for it once it is parsed.
package struct Option<Value: Sendable>: Sendable {
  package var definition: OptionDefinition
  let read: @Sendable (String) throws(UsageError) -> Value

  /// - Parameter read: throws what a good value looks like, "a port is a number from 0 to 65535".
  package init(
    _ name: String, letter: Character? = nil, _ placeholder: String, repeated: Bool = false, _ summary: String,
    read: @escaping @Sendable (String) throws(UsageError) -> Value
  ) {
    definition = OptionDefinition(
      name: name, letter: letter, placeholder: placeholder, summary: summary, isRepeated: repeated)
    self.read = read
  }
}

extension Option where Value == String {
  /// Any text but the empty one.
  package init(
    _ name: String, letter: Character? = nil, _ placeholder: String, repeated: Bool = false, _ summary: String
  ) {
    self.init(name, letter: letter, placeholder, repeated: repeated, summary) { (text: String) throws(UsageError) in
      guard !text.isEmpty else { throw UsageError("it can't be empty") }
      return text
    }
  }
}

extension Option where Value: FixedWidthInteger {
  /// A decimal number, digits alone (with a minus where the range has one).
  package init(_ name: String, _ placeholder: String, in range: ClosedRange<Value>, _ summary: String) {
    self.init(name, placeholder, summary) { (text: String) throws(UsageError) in
      guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }), let number = Value(text),
        range.contains(number)
      else { throw UsageError("it is a whole number from \(range.lowerBound) to \(range.upperBound)") }
      return number
    }
  }
}

extension Option where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the words of an enum.
  package init(oneOf name: String, _ summary: String) {
    let words = Value.allCases.map(\.rawValue)
    self.init(name, words.joined(separator: "|"), summary) { (text: String) throws(UsageError) in
      guard let value = Value(rawValue: text) else { throw UsageError("it is \(listed(words))") }
      return value
    }
  }
}

/// An option without a value: it is given, or it is not.
package struct Flag: Sendable {
  package var definition: OptionDefinition

  /// - Parameter fileOption: the name of the option that writes to a file what this flag prints.
  package init(_ name: String, letter: Character? = nil, _ summary: String, fileOption: String? = nil) {
    definition = OptionDefinition(
      name: name, letter: letter, placeholder: nil, summary: summary, isRepeated: false, fileOption: fileOption)
  }
}

/// "a", "a or b", "a, b or c".
private func listed(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return "\(words.dropLast().joined(separator: ", ")) or \(last)"
}
