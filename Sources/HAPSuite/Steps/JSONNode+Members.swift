import HAPModel
import HAPWire

/// Members of the content of a step.
///
/// A variable whose path leads nowhere is `null`. It is an error where `null` would silently turn a special stimulus or expectation into the default.
extension JSONNode {
  private func member(_ name: String) throws(StepError) -> JSONNode? {
    guard let value = self[name] else { return nil }
    guard !value.isNull else {
      throw StepError(value, "\"\(name)\" must not be null: the path of its variable leads nowhere")
    }
    return value
  }

  func text(_ name: String) throws(StepError) -> String? { try member(name).map { Scope.text($0) } }

  /// Returns text whose absence is harmless. `null` counts as absence.
  func optionalText(_ name: String) -> String? {
    guard let value = self[name], !value.isNull else { return nil }
    return Scope.text(value)
  }

  /// Returns the texts of a list, or one text as a list.
  func texts(_ name: String) throws(StepError) -> [String] {
    guard let value = try member(name) else { return [] }
    return (value.elements ?? [value]).map { Scope.text($0) }
  }

  func flag(_ name: String) throws(StepError) -> Bool? {
    guard let value = try member(name) else { return nil }
    guard let flag = value.boolValue else { throw StepError(value, "true or false is expected, not \(value.kindName)") }
    return flag
  }

  func integer(_ name: String) throws(StepError) -> Int? {
    guard let value = try member(name) else { return nil }
    guard let number = value.integerValue else {
      throw StepError(value, "an integer is expected, not \(Scope.text(value).prefix(40))")
    }
    return Int(clamping: number)
  }

  /// A count from 0 to 16 Mi. The bound is needed because a variable can hold any number.
  var count: Int {
    get throws(StepError) {
      guard let number = integerValue, (0...Int128(ByteRecipe.limit)).contains(number) else {
        throw StepError(self, "a number from 0 to \(ByteRecipe.limit) is expected, not \(Scope.text(self).prefix(40))")
      }
      return Int(number)
    }
  }

  func count(_ name: String) throws(StepError) -> Int? {
    guard let value = try member(name) else { return nil }
    return try value.count
  }

  /// Returns one number as a list, or a list of numbers.
  func counts(_ name: String) throws(StepError) -> [Int]? {
    guard let value = try member(name) else { return nil }
    var counts: [Int] = []
    for element in value.elements ?? [value] { counts.append(try element.count) }
    return counts
  }

  var duration: Duration {
    get throws(StepError) {
      guard let duration = stringValue.flatMap({ Duration(long: $0) }) else {
        throw StepError(self, "a duration such as 500ms is expected, not \(Scope.text(self).prefix(40))")
      }
      return duration
    }
  }

  func duration(_ name: String) throws(StepError) -> Duration? {
    guard let value = try member(name) else { return nil }
    return try value.duration
  }

  /// Returns one of the words of an enum.
  /// - Parameter words: the words allowed here.
  func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, of words: [Word] = Array(Word.allCases)
  ) throws(StepError) -> Word? where Word.RawValue == String {
    try word(name, in: words.map(\.rawValue)).flatMap { Word(rawValue: $0) }
  }

  /// Returns one of the given words.
  func word(_ name: String, in words: [String]) throws(StepError) -> String? {
    guard let value = try member(name) else { return nil }
    let text = Scope.text(value)
    guard words.contains(text) else {
      let list = words.joined(separator: ", ")
      throw StepError(value, "\"\(text.prefix(40))\" is not allowed here: write one of \(list)")
    }
    return text
  }

  func bytes(_ name: String) throws(StepError) -> ByteRecipe? {
    guard let value = try member(name) else { return nil }
    return try ByteRecipe(value)
  }

  func required(_ name: String) throws(StepError) -> JSONNode {
    guard let value = self[name] else { throw StepError(self, "\"\(name)\" is missing") }
    return value
  }

  /// Returns the variables of `save`, each with its path into the answer.
  func saved() throws(StepError) -> [SavedValue] {
    var values: [SavedValue] = []
    for member in self["save"]?.members ?? [] {
      guard let path = member.value.stringValue else { throw StepError(member.value, "a path is expected") }
      values.append(SavedValue(variable: member.name, path: path))
    }
    return values
  }

  /// The name of the connection: `on`, or the content if it is only text; `main` without either.
  var connection: String { optionalText("on") ?? stringValue ?? "main" }

  /// Returns the object without the members of these names.
  func without(_ names: Set<String>) -> JSONNode {
    JSONNode(.object((members ?? []).filter { !names.contains($0.name) }), place: place, path: path)
  }
}
