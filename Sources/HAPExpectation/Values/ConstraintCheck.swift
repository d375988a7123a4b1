import HAPSuite
import HAPWire

/// Compares one constraint of a pattern with one value. Each function returns nil if the value fits, or else the mismatch.
struct ConstraintCheck {
  /// The constraint's value.
  let wanted: JSONNode
  let value: JSONNode
  /// The whole pattern, for `$by` and `$factor`.
  let pattern: JSONNode
  let path: String

  private var name: String { Pattern.name(path) }

  private func fault(_ message: String) -> String { "\(name) is \(Pattern.shown(value)), \(message)" }

  // MARK: Numbers

  func minimum() throws(StepError) -> String? {
    guard let number = Pattern.number(value) else { return fault("not a number") }
    return number >= (try limit()) ? nil : fault("less than \(Pattern.multiple(wanted, pattern))")
  }

  func maximum() throws(StepError) -> String? {
    guard let number = Pattern.number(value) else { return fault("not a number") }
    return number <= (try limit()) ? nil : fault("more than \(Pattern.multiple(wanted, pattern))")
  }

  func near() throws(StepError) -> String? {
    guard let number = Pattern.number(value) else { return fault("not a number") }
    let near = try double(wanted)
    let by = try pattern["$by"].map { node throws(StepError) in try double(node) } ?? max(1e-6 * abs(near), 1e-9)
    return abs(number - near) <= by + 1e-9 ? nil : fault("further than \(by) from \(Pattern.shown(wanted))")
  }

  func multiple() throws(StepError) -> String? {
    guard let number = Pattern.number(value) else { return fault("not a number") }
    let step = try double(wanted)
    let quotient = number / step
    return abs(quotient - quotient.rounded()) < 1e-4 ? nil : fault("not a multiple of \(Pattern.shown(wanted))")
  }

  // MARK: Texts

  func equal() -> String? { Pattern.equal(value, wanted) ? nil : fault("not \(Pattern.shown(wanted))") }

  func matches() throws(StepError) -> String? {
    guard let text = value.stringValue else { return fault("not text") }
    guard let regex = try? Regex(try string(wanted)) else { throw StepError(wanted, "invalid regular expression") }
    return (try? regex.wholeMatch(in: text)) != nil ? nil : fault("not of the form \(Pattern.shown(wanted))")
  }

  func starts() throws(StepError) -> String? {
    guard let text = value.stringValue else { return fault("not text") }
    return text.hasPrefix(try string(wanted)) ? nil : fault("which doesn't start with \(Pattern.shown(wanted))")
  }

  func contains() throws(StepError) -> String? {
    guard let text = value.stringValue else { return fault("not text") }
    return text.contains(try string(wanted)) ? nil : fault("which doesn't contain \(Pattern.shown(wanted))")
  }

  func length() throws(StepError) -> String? {
    guard let count = value.elements?.count ?? value.members?.count ?? value.stringValue?.count else {
      return fault("which has no length")
    }
    return try Pattern.mismatch(.integer(count), wanted, at: "\(path).length")
  }

  func utf8() throws(StepError) -> String? {
    guard let text = value.stringValue else { return fault("not text") }
    return try Pattern.mismatch(.integer(text.utf8.count), wanted, at: "the UTF-8 length of \(path)")
  }

  func bytes() throws(StepError) -> String? {
    guard let text = value.stringValue, let bytes = Hexadecimal.bytes(text) else { return fault("not bytes") }
    return try Pattern.mismatch(.integer(bytes.count), wanted, at: "the number of bytes of \(path)")
  }

  func decimal() throws(StepError) -> String? {
    guard let text = value.stringValue, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int128(text), "\(number)" == text
    else { return fault("not a decimal number in canonical form") }
    return try Pattern.mismatch(.integer(number), wanted, at: path)
  }

  func base64() throws(StepError) -> String? {
    guard let text = value.stringValue, let bytes = Base64.decode(text) else { return fault("not base64") }
    return try Pattern.mismatch(.text(Hexadecimal.text(bytes)), wanted, at: path)
  }

  func upper() -> String? {
    guard let text = value.stringValue else { return fault("not text") }
    let isUpper = !text.unicodeScalars.contains { $0.properties.isLowercase }
    return isUpper == (wanted.boolValue ?? true) ? nil : fault(isUpper ? "all upper case" : "not all upper case")
  }

  func kind() throws(StepError) -> String? {
    let name = try string(wanted)
    let isOfKind =
      switch value.kind {
      case .null: name == "null"
      case .bool: name == "boolean"
      case .number(let number): name == "number" || name == "integer" && number.isInteger
      case .string: name == "string"
      case .array: name == "list"
      case .object: name == "object"
      }
    return isOfKind ? nil : fault("not of kind \(Pattern.shown(wanted))")
  }

  // MARK: Lists and objects

  /// Matches each pattern with a different element, with no element left over. The greedy search suffices for patterns that identify their
  /// element.
  func set() throws(StepError) -> String? {
    let patterns = try Pattern.list(wanted)
    guard var elements = value.elements else { return fault("not a list") }
    guard elements.count == patterns.count else {
      return "\(name) has \(elements.count) elements, not \(patterns.count)"
    }
    for pattern in patterns {
      var found: Int?
      for (index, element) in elements.enumerated() where found == nil {
        if try Pattern.mismatch(element, pattern, at: path) == nil { found = index }
      }
      guard let found else { return "\(name) has no element that is \(Pattern.words(pattern))" }
      elements.remove(at: found)
    }
    return nil
  }

  func includes() throws(StepError) -> String? {
    guard let elements = value.elements else { return fault("not a list") }
    for part in try Pattern.list(wanted) {
      var isThere = false
      for element in elements where try Pattern.mismatch(element, part, at: path) == nil { isThere = true }
      if !isThere { return "\(name) has no element that is \(Pattern.words(part))" }
    }
    return nil
  }

  func each() throws(StepError) -> String? {
    guard let elements = value.elements else { return fault("not a list") }
    for (index, element) in elements.enumerated() {
      if let problem = try Pattern.mismatch(element, wanted, at: "\(path)[\(index)]") { return problem }
    }
    return nil
  }

  func distinct() -> String? {
    guard let elements = value.elements else { return fault("not a list") }
    let isWanted = wanted.boolValue ?? true
    for (index, element) in elements.enumerated() {
      if let other = elements[..<index].firstIndex(where: { Pattern.equal($0, element) }) {
        return isWanted ? "\(name): elements \(other) and \(index) are both \(Pattern.shown(element))" : nil
      }
    }
    return isWanted ? nil : fault("without two equal elements")
  }

  func only() throws(StepError) -> String? {
    guard let members = value.members else { return fault("not an object") }
    let known = wanted.members?.map(\.name) ?? []
    if let stray = members.first(where: { !known.contains($0.name) }) {
      return "\(name) has \"\(stray.name)\", which isn't allowed"
    }
    return try Pattern.mismatch(value, wanted, at: path)
  }

  // MARK: Pieces

  private func string(_ node: JSONNode) throws(StepError) -> String {
    guard let text = node.stringValue else { throw StepError(node, "text is expected here") }
    return text
  }

  /// Returns a number, also from text, because variables of TXT records are text.
  private func double(_ node: JSONNode) throws(StepError) -> Double {
    guard let number = Pattern.number(node) ?? node.stringValue.flatMap(Double.init) else {
      throw StepError(node, "a number is expected here")
    }
    return number
  }

  /// Returns the bound of `$min` or `$max`, multiplied by `$factor` if given.
  private func limit() throws(StepError) -> Double {
    guard let factor = pattern["$factor"] else { return try double(wanted) }
    return try double(wanted) * double(factor)
  }
}
