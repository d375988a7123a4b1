import HAPSuite
import HAPWire

/// Compares values with the patterns of suites.
///
/// Scalars are compared as HAP does: true equals 1, and numbers may differ by a millionth. A list must have the same number of elements in
/// the same order. An object must have the named members and may have others. The vocabulary describes the `$` constraints.
package enum Pattern {
  /// - Parameter value: nil if it is absent.
  /// - Returns: nil if it fits; otherwise the mismatch with its path.
  /// - Throws: if the pattern is invalid.
  package static func mismatch(_ value: JSONNode?, _ pattern: JSONNode, at path: String = "") throws(StepError)
    -> String?
  {
    if let word = pattern.stringValue {
      switch word {
      case "$absent": return value == nil ? nil : "\(name(path)) must be absent, but is \(shown(value))"
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

  /// Whether two values are equal in HAP's sense.
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

  static func number(_ node: JSONNode) -> Double? {
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
    _ text: String, _ wanted: JSONNode, _ value: JSONNode?, _ pattern: JSONNode, _ path: String
  ) throws(StepError) -> String? {
    let constraint = ConstraintName(rawValue: text)
    guard value != nil || constraint.map(judgesAbsence.contains) == true else { return "\(name(path)) is missing" }
    guard let constraint else { throw StepError(wanted, "there is no constraint \(text)") }
    let check = ConstraintCheck(wanted: wanted, value: value ?? JSONNode(.null), pattern: pattern, path: path)
    switch constraint {
    case .is: return check.equal()
    case .not:
      guard try mismatch(value, wanted, at: path) == nil else { return nil }
      return "\(name(path)) is \(shown(value)), which it must not be"
    case .any: return try anyOf(wanted, value, pattern, path)
    case .all:
      for part in try list(wanted) {
        if let problem = try mismatch(value, part, at: path) { return problem }
      }
      return nil
    case .min: return try check.minimum()
    case .max: return try check.maximum()
    case .factor, .by: return nil
    case .near: return try check.near()
    case .matches: return try check.matches()
    case .starts: return try check.starts()
    case .contains: return try check.contains()
    case .length: return try check.length()
    case .bytes: return try check.bytes()
    case .utf8: return try check.utf8()
    case .kind: return try check.kind()
    case .set: return try check.set()
    case .includes: return try check.includes()
    case .each: return try check.each()
    case .distinct: return check.distinct()
    case .only: return try check.only()
    case .decimal: return try check.decimal()
    case .base64: return try check.base64()
    case .upper: return check.upper()
    case .multiple: return try check.multiple()
    }
  }

  /// Constraints that also apply to an absent value.
  private static let judgesAbsence: Set<ConstraintName> = [.any, .all, .not, .by, .factor]

  private static func anyOf(
    _ wanted: JSONNode, _ value: JSONNode?, _ pattern: JSONNode, _ path: String
  ) throws(StepError) -> String? {
    for alternative in try list(wanted) {
      if try mismatch(value, alternative, at: path) == nil { return nil }
    }
    return value == nil ? "\(name(path)) is missing" : "\(name(path)) is \(shown(value)), not \(words(pattern))"
  }

  // MARK: Pieces

  static func list(_ node: JSONNode) throws(StepError) -> [JSONNode] {
    guard let elements = node.elements else { throw StepError(node, "a list is expected here") }
    return elements
  }

  static func name(_ path: String) -> String {
    let name = path.hasPrefix(".") ? String(path.dropFirst()) : path
    return name.isEmpty ? "it" : name
  }
}
