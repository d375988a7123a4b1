import HAPModel
import HAPWire

/// A value with random distributions: `{uniform: [2s, 5s]}` and `{choice: [a, b, c]}` are replaced by a random value for each copy.
package struct Distribution: Equatable, Sendable {
  package let node: JSONNode

  /// - Throws: if a distribution is invalid.
  package init(_ node: JSONNode) throws(JSONProblem) {
    self.node = node
    try Self.check(node)
  }

  /// A random distribution.
  private enum Spread {
    case durations(Duration, Duration)
    case integers(Int64, Int64)
    case numbers(Double, Double)
    case choice([JSONNode])

    /// nil: the node is not a distribution.
    init?(_ node: JSONNode) throws(JSONProblem) {
      guard let members = node.members, members.count == 1 else { return nil }
      let value = members[0].value
      switch members[0].name {
      case "choice":
        let elements = try value.asList()
        guard !elements.isEmpty else { throw value.problem("there is nothing to choose from") }
        self = .choice(elements)
      case "uniform": self = try Self.uniform(value)
      default: return nil
      }
    }

    private static func uniform(_ node: JSONNode) throws(JSONProblem) -> Spread {
      let ends = try node.asList()
      let complaint = "the least and the greatest value are expected, two durations or two numbers, such as [2s, 5s]"
      guard ends.count == 2 else { throw node.problem(complaint) }
      if let low = ends[0].stringValue, let high = ends[1].stringValue {
        guard let least = Duration(long: low) else { throw ends[0].problem("\(complaint), not \"\(low)\"") }
        guard let most = Duration(long: high) else { throw ends[1].problem("\(complaint), not \"\(high)\"") }
        guard least <= most else { throw node.problem("\(high) is less than \(low)") }
        return .durations(least, most)
      }
      guard let low = ends[0].numberValue, let high = ends[1].numberValue, low.double.isFinite, high.double.isFinite
      else { throw node.problem(complaint) }
      guard low.double <= high.double else { throw node.problem("\(high.text) is less than \(low.text)") }
      if let least = low.integer.flatMap(Int64.init(exactly:)), let most = high.integer.flatMap(Int64.init(exactly:)) {
        return .integers(least, most)
      }
      return .numbers(low.double, high.double)
    }
  }

  /// The maximum number of variants. Each variant is checked. A larger number is probably a mistake, and would take
  /// long.
  private static let mostVariants = 1000

  /// - Returns: the number of variants.
  @discardableResult
  private static func check(_ node: JSONNode) throws(JSONProblem) -> Int {
    var count = 1
    switch try Spread(node) {
    case .choice(let elements):
      count = 0
      for element in elements { count += try check(element) }
    case .durations, .integers, .numbers: count = 2
    case nil:
      for member in node.members ?? [] { count = max(count, try check(member.value)) }
      for element in node.elements ?? [] { count = max(count, try check(element)) }
    }
    guard count <= mostVariants else {
      throw node.problem("there are \(count) variants; the limit is \(mostVariants)")
    }
    return count
  }

  /// Whether it has no random distribution.
  package var isFixed: Bool { variants.count == 1 }

  /// Sample results that cover everything that can be invalid: each end and each choice at least once, including distributions inside choices.
  /// Several distributions are sampled together, not in all combinations.
  package var variants: [JSONNode] { Self.variants(of: node) }

  private static func variants(of node: JSONNode) -> [JSONNode] {
    func standing(_ other: JSONNode) -> JSONNode {
      var result = node
      result.kind = other.kind
      return result
    }
    switch try? Spread(node) {
    case .choice(let elements)?: return elements.flatMap { variants(of: $0) }.map(standing)
    case .durations(let least, let most)?: return [standing(text(least)), standing(text(most))]
    case .integers(let least, let most)?: return [standing(.integer(least)), standing(.integer(most))]
    case .numbers(let least, let most)?: return [standing(.number(least)), standing(.number(most))]
    case nil: break
    }
    // A part with fewer variants than the others repeats its last one.
    func together(_ parts: [[JSONNode]], _ whole: ([JSONNode]) -> JSONNode.Kind) -> [JSONNode] {
      (0..<(parts.map(\.count).max() ?? 1)).map { number in
        var result = node
        result.kind = whole(parts.map { $0[min(number, $0.count - 1)] })
        return result
      }
    }
    switch node.kind {
    case .object(let members):
      return together(members.map { variants(of: $0.value) }) { values in
        .object(
          zip(members, values).map { member, value in
            var member = member
            member.value = value
            return member
          })
      }
    case .array(let elements): return together(elements.map { variants(of: $0) }) { .array($0) }
    case .null, .bool, .number, .string: return [node]
    }
  }

  /// Returns the value for one copy.
  /// - Parameters:
  ///   - copy: its number in the group, from 1.
  ///   - what: the purpose of the value, which is part of the random seed.
  package func drawn(_ chance: FleetChance, _ copy: Int, for what: String) -> JSONNode {
    substituting(node, what) { spread, path in
      let drawn = chance.number(copy, for: path)
      switch spread {
      case .choice(let elements): return elements[Int(drawn % UInt64(elements.count))]
      case .durations(let least, let most):
        let milliseconds = Int64((most - least) / .milliseconds(1))
        return Self.text(least + .milliseconds(Int64(drawn % UInt64(milliseconds + 1))))
      case .integers(let least, let most):
        let (span, isTooWide) = UInt64(bitPattern: most &- least).addingReportingOverflow(1)
        return .integer(isTooWide ? Int64(bitPattern: drawn) : least &+ Int64(bitPattern: drawn % span))
      case .numbers(let least, let most):
        // A double between 0 and 1 has 53 bits.
        return .number(least + (most - least) * (Double(drawn >> 11) / 9_007_199_254_740_992))
      }
    }
  }

  /// Replaces each distribution by its value.
  private func substituting(_ node: JSONNode, _ path: String, _ value: (Spread, String) -> JSONNode) -> JSONNode {
    var result = node
    if let spread = try? Spread(node) {
      // The elements of a choice can contain distributions.
      let chosen = value(spread, path)
      if case .choice = spread {
        result.kind = substituting(chosen, path + "?", value).kind
      } else {
        result.kind = chosen.kind
      }
      return result
    }
    switch node.kind {
    case .object(let members):
      result.kind = .object(
        members.map { member in
          var member = member
          member.value = substituting(member.value, "\(path).\(member.name)", value)
          return member
        })
    case .array(let elements):
      result.kind = .array(
        elements.enumerated().map { index, element in substituting(element, "\(path)[\(index)]", value) })
    case .null, .bool, .number, .string: break
    }
    return result
  }

  /// In whole milliseconds, or in whole seconds if there would be too many digits.
  private static func text(_ duration: Duration) -> JSONNode {
    let milliseconds = Int64(duration / .milliseconds(1))
    return .text(milliseconds < 1_000_000_000 ? "\(milliseconds)ms" : "\(milliseconds / 1000)s")
  }
}
