import HAPWire

/// Holds values against the patterns of suites.
///
/// Scalars are equal as HAP means them: true is 1, numbers to a millionth. A list wants as many elements in the same order, an object the
/// members named and may have others; objects of `$` constraints are described in the vocabulary.
package enum Pattern {
  /// - Parameter value: nil: there is none.
  /// - Returns: nil when it fits; else what doesn't, with where.
  /// - Throws: when the pattern itself is wrong.
  package static func mismatch(_ value: JSONNode?, _ pattern: JSONNode, at path: String = "") throws(StepError)
    -> String?
  {
    if let word = pattern.stringValue {
      switch word {
      case "$absent": return value == nil ? nil : "\(name(path)) shouldn't be there, but is \(shown(value))"
      case "$present": return value == nil ? "\(name(path)) is missing" : nil
      case "$anything": return nil
      default: break
      }
    }
    if let members = pattern.members, members.contains(where: { $0.name.hasPrefix("$") }) {
      return try constrained(value, pattern, members, path)
    }
    guard let value else { return "\(name(path)) is missing; \(words(pattern)) is expected" }
    if let members = pattern.members {
      guard value.members != nil else { return "\(name(path)) is \(shown(value)), not an object" }
      for member in members {
        if let problem = try mismatch(value[member.name], member.value, at: "\(path).\(member.name)") { return problem }
      }
      return nil
    }
    if let wanted = pattern.elements {
      guard let elements = value.elements else { return "\(name(path)) is \(shown(value)), not a list" }
      guard elements.count == wanted.count else {
        return "\(name(path)) has \(elements.count) elements, not \(wanted.count)"
      }
      for (index, pair) in zip(elements, wanted).enumerated() {
        if let problem = try mismatch(pair.0, pair.1, at: "\(path)[\(index)]") { return problem }
      }
      return nil
    }
    return equal(value, pattern) ? nil : "\(name(path)) is \(shown(value)), not \(words(pattern))"
  }

  /// Equal as HAP means it.
  package static func equal(_ a: JSONNode, _ b: JSONNode) -> Bool {
    switch (a.kind, b.kind) {
    case (.null, .null): return true
    case (.string(let a), .string(let b)): return a == b
    case (.array(let a), .array(let b)): return a.count == b.count && zip(a, b).allSatisfy { equal($0, $1) }
    case (.object(let a), .object(let b)):
      return a.count == b.count
        && a.allSatisfy { member in
          b.first { $0.name == member.name }.map { equal(member.value, $0.value) } ?? false
        }
    default:
      guard let first = number(a), let second = number(b) else { return false }
      if let a = a.integerValue, let b = b.integerValue { return a == b }
      return abs(first - second) <= 1e-6 * max(1, abs(first))
    }
  }

  private static func number(_ node: JSONNode) -> Double? {
    if let bool = node.boolValue { return bool ? 1 : 0 }
    return node.numberValue.map(\.double)
  }

  // MARK: Constraints

  private static func constrained(
    _ value: JSONNode?, _ pattern: JSONNode, _ members: [JSONNode.Member], _ path: String
  ) throws(StepError) -> String? {
    for member in members {
      if let problem = try constraint(member.name, member.value, value, pattern, path) { return problem }
    }
    return nil
  }

  private static func constraint(
    _ constraint: String, _ wanted: JSONNode, _ value: JSONNode?, _ pattern: JSONNode, _ path: String
  ) throws(StepError) -> String? {
    switch constraint {
    case "$any":
      var problems: [String] = []
      for alternative in try list(wanted) {
        guard let problem = try mismatch(value, alternative, at: path) else { return nil }
        problems.append(problem)
      }
      return value == nil
        ? "\(name(path)) is missing" : "\(name(path)) is \(shown(value)), not \(words(pattern))"
    case "$all":
      for part in try list(wanted) {
        if let problem = try mismatch(value, part, at: path) { return problem }
      }
      return nil
    case "$not":
      return try mismatch(value, wanted, at: path) == nil
        ? "\(name(path)) is \(shown(value)), which it must not be" : nil
    case "$by", "$factor": return nil
    default: break
    }
    guard let value else { return "\(name(path)) is missing" }
    func fault(_ message: String) -> String { "\(name(path)) is \(shown(value)), \(message)" }
    switch constraint {
    case "$is": return equal(value, wanted) ? nil : fault("not \(shown(wanted))")
    case "$min":
      guard let number = number(value) else { return fault("not a number") }
      return number >= (try limit(wanted, pattern)) ? nil : fault("less than \(multiple(wanted, pattern))")
    case "$max":
      guard let number = number(value) else { return fault("not a number") }
      return number <= (try limit(wanted, pattern)) ? nil : fault("more than \(multiple(wanted, pattern))")
    case "$near":
      guard let number = number(value) else { return fault("not a number") }
      let near = try double(wanted)
      let by = try pattern["$by"].map { node throws(StepError) in try double(node) } ?? max(1e-6 * abs(near), 1e-9)
      return abs(number - near) <= by + 1e-9 ? nil : fault("further than \(by) from \(shown(wanted))")
    case "$multiple":
      guard let number = number(value) else { return fault("not a number") }
      let step = try double(wanted)
      let quotient = number / step
      return abs(quotient - quotient.rounded()) < 1e-4 ? nil : fault("no multiple of \(shown(wanted))")
    case "$matches":
      guard let text = value.stringValue else { return fault("not text") }
      guard let regex = try? Regex(try string(wanted)) else { throw StepError(wanted, "this is no regular expression") }
      return (try? regex.wholeMatch(in: text)) != nil ? nil : fault("not of the form \(shown(wanted))")
    case "$starts":
      guard let text = value.stringValue else { return fault("not text") }
      return text.hasPrefix(try string(wanted)) ? nil : fault("not beginning with \(shown(wanted))")
    case "$contains":
      guard let text = value.stringValue else { return fault("not text") }
      return text.contains(try string(wanted)) ? nil : fault("without \(shown(wanted)) in it")
    case "$length":
      guard let count = value.elements?.count ?? value.members?.count ?? value.stringValue?.count else {
        return fault("without a length")
      }
      return try mismatch(.integer(count), wanted, at: "\(path).length")
    case "$utf8":
      guard let text = value.stringValue else { return fault("not text") }
      return try mismatch(.integer(text.utf8.count), wanted, at: "the UTF-8 length of \(path)")
    case "$bytes":
      guard let text = value.stringValue, let bytes = Hexadecimal.bytes(text) else { return fault("not bytes") }
      return try mismatch(.integer(bytes.count), wanted, at: "the number of bytes of \(path)")
    case "$decimal":
      guard let text = value.stringValue, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int128(text), "\(number)" == text
      else { return fault("not a number in decimal as it should be written") }
      return try mismatch(.integer(number), wanted, at: path)
    case "$base64":
      guard let text = value.stringValue, let bytes = Base64.decode(text) else { return fault("not base64") }
      return try mismatch(.text(Hexadecimal.text(bytes)), wanted, at: path)
    case "$upper":
      guard let text = value.stringValue else { return fault("not text") }
      let isUpper = !text.unicodeScalars.contains { $0.properties.isLowercase }
      return isUpper == (wanted.boolValue ?? true) ? nil : fault(isUpper ? "all upper case" : "not all upper case")
    case "$kind": return kind(value, try string(wanted)) ? nil : fault("not of kind \(shown(wanted))")
    case "$set": return try set(value, try list(wanted), path)
    case "$includes":
      guard let elements = value.elements else { return fault("not a list") }
      for part in try list(wanted) {
        var isThere = false
        for element in elements where try mismatch(element, part, at: path) == nil { isThere = true }
        if !isThere { return "\(name(path)) has no element that is \(words(part))" }
      }
      return nil
    case "$each":
      guard let elements = value.elements else { return fault("not a list") }
      for (index, element) in elements.enumerated() {
        if let problem = try mismatch(element, wanted, at: "\(path)[\(index)]") { return problem }
      }
      return nil
    case "$distinct":
      guard let elements = value.elements else { return fault("not a list") }
      let isWanted = wanted.boolValue ?? true
      for (index, element) in elements.enumerated() {
        if let other = elements[..<index].firstIndex(where: { equal($0, element) }) {
          return isWanted ? "\(name(path)): elements \(other) and \(index) are both \(shown(element))" : nil
        }
      }
      return isWanted ? nil : fault("without two elements that are equal")
    case "$only":
      guard let members = value.members else { return fault("not an object") }
      let known = wanted.members?.map(\.name) ?? []
      if let stray = members.first(where: { !known.contains($0.name) }) {
        return "\(name(path)) has \"\(stray.name)\", which it shouldn't"
      }
      return try mismatch(value, wanted, at: path)
    default: throw StepError(wanted, "there is no constraint \(constraint)")
    }
  }

  /// Each pattern fits an element of its own, and no element is left. Greedy, but for patterns that name what they mean that is enough.
  private static func set(_ value: JSONNode, _ patterns: [JSONNode], _ path: String) throws(StepError) -> String? {
    guard var elements = value.elements else { return "\(name(path)) is \(shown(value)), not a list" }
    guard elements.count == patterns.count else {
      return "\(name(path)) has \(elements.count) elements, not \(patterns.count)"
    }
    for pattern in patterns {
      var found: Int?
      for (index, element) in elements.enumerated() where found == nil {
        if try mismatch(element, pattern, at: path) == nil { found = index }
      }
      guard let found else { return "\(name(path)) has no element that is \(words(pattern))" }
      elements.remove(at: found)
    }
    return nil
  }

  private static func kind(_ node: JSONNode, _ name: String) -> Bool {
    switch node.kind {
    case .null: name == "null"
    case .bool: name == "boolean"
    case .number(let number): name == "number" || name == "integer" && number.isInteger
    case .string: name == "string"
    case .array: name == "list"
    case .object: name == "object"
    }
  }

  // MARK: Pieces

  private static func list(_ node: JSONNode) throws(StepError) -> [JSONNode] {
    guard let elements = node.elements else { throw StepError(node, "a list is expected here") }
    return elements
  }

  private static func string(_ node: JSONNode) throws(StepError) -> String {
    guard let text = node.stringValue else { throw StepError(node, "text is expected here") }
    return text
  }

  /// Text may be a number, too: variables of TXT records are text.
  private static func double(_ node: JSONNode) throws(StepError) -> Double {
    guard let number = number(node) ?? node.stringValue.flatMap(Double.init) else {
      throw StepError(node, "a number is expected here")
    }
    return number
  }

  /// What `$min` and `$max` say, times `$factor` where there is one.
  private static func limit(_ node: JSONNode, _ pattern: JSONNode) throws(StepError) -> Double {
    guard let factor = pattern["$factor"] else { return try double(node) }
    return try double(node) * double(factor)
  }

  private static func name(_ path: String) -> String {
    let name = path.hasPrefix(".") ? String(path.dropFirst()) : path
    return name.isEmpty ? "it" : name
  }
}
