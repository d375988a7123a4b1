/// An option or flag of a command, without the type of its value: the data for parsing and for help.
package struct OptionDefinition: Equatable, Sendable {
  /// The name without the dashes, such as "setup-code".
  package var name: String
  /// The short name without the dash, such as "h".
  package var letter: Character?
  /// The placeholder for the value in help, such as "XXX-XX-XXX"; nil for a flag.
  package var placeholder: String?
  /// The help text: one or two sentences, without a capital at the start or a full stop at the end.
  package var summary: String
  /// Whether the option may be given more than once.
  package var isRepeated: Bool
  /// For a flag that prints to standard output: the option that writes the same report to a file. It is suggested to
  /// users who give the flag a file name.
  package var fileOption: String?

  /// The option as the help text lists it, such as "--setup-code XXX-XX-XXX".
  package var label: String {
    (letter.map { "-\($0), " } ?? "") + "--\(name)" + (placeholder.map { " \($0)" } ?? "") + (isRepeated ? "…" : "")
  }
}

/// An option with a typed value. It reads the value, and it is the key to the parsed value.
package struct Option<Value: Sendable>: Sendable {
  package var definition: OptionDefinition
  let read: @Sendable (String) throws(UsageError) -> Value

  /// - Parameter read: throws a message with the expected form, such as "expected a port from 0 to 65535".
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
  /// An option that accepts any text except the empty one.
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
  /// An option that accepts a decimal number: digits only, with a minus sign if the range has negative numbers.
  package init(_ name: String, _ placeholder: String, in range: ClosedRange<Value>, _ summary: String) {
    self.init(name, placeholder, summary) { (text: String) throws(UsageError) in
      guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }), let number = Value(text),
        range.contains(number)
      else { throw UsageError("expected a whole number from \(range.lowerBound) to \(range.upperBound)") }
      return number
    }
  }
}

extension Option where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// An option that accepts one of the raw values of an enum.
  package init(oneOf name: String, _ summary: String) {
    let words = Value.allCases.map(\.rawValue)
    self.init(name, words.joined(separator: "|"), summary) { (text: String) throws(UsageError) in
      guard let value = Value(rawValue: text) else { throw UsageError("expected \(listed(words))") }
      return value
    }
  }
}

/// An option without a value.
package struct Flag: Sendable {
  package var definition: OptionDefinition

  /// - Parameter fileOption: the name of the option that writes the flag's report to a file.
  package init(_ name: String, letter: Character? = nil, _ summary: String, fileOption: String? = nil) {
    definition = OptionDefinition(
      name: name, letter: letter, placeholder: nil, summary: summary, isRepeated: false, fileOption: fileOption)
  }
}

/// Returns "a", "a or b", or "a, b or c".
private func listed(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return "\(words.dropLast().joined(separator: ", ")) or \(last)"
}
