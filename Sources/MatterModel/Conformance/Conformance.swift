/// The condition under which a cluster has an element, or an endpoint a cluster. Matter 1.4 §7.3.
///
/// The text is that of the catalogue. It has alternatives with commas, of which the first that applies counts:
/// `M` mandatory, `O` and `P` (provisional) optional, `O.a` one of those with the same letter, `O.a+` at least one of
/// them, `X` and `D` (deprecated) not allowed, `desc` described elsewhere; `LT & !OFFONLY` mandatory if it is true;
/// `[LT]` optional if it is true. Names are those of features and of elements, or conditions of the device.
package struct Conformance: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let description: String

  package init(stringLiteral text: String) { description = text }

  package enum Demand: Hashable, Sendable {
    case mandatory
    case optional
    /// One of a group, or at least one.
    case choice(group: Character, atLeastOne: Bool)
    case notAllowed
  }

  /// - Parameter holds: returns whether a name is true; nil: unknown. A demand with unknown names is optional.
  package func demand(where holds: (String) -> Bool?) -> Demand {
    for alternative in description.split(separator: ",").map({ $0.drop { $0 == " " } }) {
      switch alternative {
      case "M": return .mandatory
      case "O", "P", "desc": return .optional
      case "D", "X": return .notAllowed
      default: break
      }
      if alternative.hasPrefix("O."), let group = alternative.dropFirst(2).first {
        return .choice(group: group, atLeastOne: alternative.hasSuffix("+"))
      }
      switch Condition.isTrue(alternative, where: holds) {
      case true?: return alternative.hasPrefix("[") ? .optional : .mandatory
      case false?: continue
      case nil: return .optional
      }
    }
    return .notAllowed
  }

  package func isMandatory(where holds: (String) -> Bool?) -> Bool { demand(where: holds) == .mandatory }
}

/// An expression of names with `!`, `&`, `|` and parentheses, in which names can be unknown.
private struct Condition {
  private var tokens: ArraySlice<Substring>

  /// - Returns: nil: it depends on something unknown, or has another form.
  static func isTrue(_ text: Substring, where holds: (String) -> Bool?) -> Bool? {
    var condition = Condition(tokens: Self.tokens(of: text)[...])
    let value = condition.either(where: holds)
    return condition.tokens.isEmpty ? value : nil
  }

  private static func tokens(of text: Substring) -> [Substring] {
    var tokens: [Substring] = []
    var rest = text
    while let first = rest.first {
      let isName = first.isLetter || first.isNumber || first == "_"
      let token = isName ? rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" } : rest.prefix(1)
      rest = rest[token.endIndex...]
      // The brackets around an optional condition say nothing about its truth.
      if !["[", "]", " "].contains(token) { tokens.append(token) }
    }
    return tokens
  }

  private mutating func take(_ token: Substring) -> Bool {
    guard tokens.first == token else { return false }
    tokens.removeFirst()
    return true
  }

  private mutating func either(where holds: (String) -> Bool?) -> Bool? {
    var value = both(where: holds)
    while take("|") {
      let other = both(where: holds)
      value = value == true || other == true ? true : value == nil || other == nil ? nil : false
    }
    return value
  }

  private mutating func both(where holds: (String) -> Bool?) -> Bool? {
    var value = single(where: holds)
    while take("&") {
      let other = single(where: holds)
      value = value == false || other == false ? false : value == nil || other == nil ? nil : true
    }
    return value
  }

  private mutating func single(where holds: (String) -> Bool?) -> Bool? {
    var isNegated = false
    while take("!") { isNegated.toggle() }
    var value: Bool?
    if take("(") {
      value = either(where: holds)
      if !take(")") { value = nil }
    } else if let name = tokens.popFirst(), name.first?.isLetter == true {
      value = holds(String(name))
    }
    return value.map { $0 != isNegated }
  }
}
