import HAPWire

/// The named expectations of a suite. Steps call them by name.
package struct NamedExpectations: Sendable {
  /// The expectations in the order of the suite.
  let members: [JSONNode.Member]
  private let byName: [String: JSONNode]

  package init() { self.init([]) }

  init(_ members: [JSONNode.Member]) {
    self.members = members
    byName = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  var names: [String] { members.map(\.name) }

  /// Returns the expectation of an `expect`, with the expectations that it calls by name.
  /// - Parameter node: the content of the step, resolved.
  func expectation(_ node: JSONNode, in scope: Scope) throws(StepError) -> Expectation {
    let node = try merged(node, in: scope)
    var alternatives: [AnswerPattern] = []
    var all: [JSONNode] = []
    try add(to: &all, node, in: scope)
    for alternative in all { alternatives.append(try AnswerPattern(alternative)) }
    let on = node.optionalText("on") ?? "main"
    return Expectation(
      on: on, within: try node.duration("within"), procedure: try node.text("procedure") ?? on,
      controller: try node.text("as"), alternatives: alternatives, save: try node.saved(),
      secures: try node.flag("secure") ?? true)
  }

  private func merged(_ node: JSONNode, in scope: Scope) throws(StepError) -> JSONNode {
    if let name = node.stringValue { return try named(name, node, scope) }
    guard let name = node["is"] else { return node }
    return node.without(["is"]).inheriting(try named(Scope.text(name), name, scope))
  }

  /// - Parameter callers: the names of the calling expectations. A variable can make an expectation call itself.
  private func named(
    _ name: String, _ node: JSONNode, _ scope: Scope, _ callers: Set<String> = []
  ) throws(StepError) -> JSONNode {
    if callers.contains(name) { throw StepError(node, "the expectation \"\(name)\" calls itself") }
    guard let expectation = byName[name] else { throw StepError(node, "the suite has no expectation \"\(name)\"") }
    let resolved = try scope.resolve(expectation)
    guard let base = resolved["is"] else { return resolved }
    return resolved.without(["is"]).inheriting(
      try named(Scope.text(base), base, scope, callers.union([name])))
  }

  /// Members of an `expect` that apply to all its alternatives and that no alternative judges.
  private static let shared: Set<String> = ["on", "within", "procedure", "any", "save", "secure", "is", "as"]

  /// The maximum number of alternatives of an `expect`. An `any` in a named expectation multiplies them.
  private static let limit = 1000
  /// The maximum depth of `any` in `any`.
  private static let greatestDepth = 16

  /// Adds the alternatives. Each also has the members next to `any`.
  private func add(
    to alternatives: inout [JSONNode], _ node: JSONNode, in scope: Scope, depth: Int = 0
  ) throws(StepError) {
    guard alternatives.count < Self.limit else {
      throw StepError(node, "the expectation has more than \(Self.limit) alternatives: list fewer in \"any\"")
    }
    guard depth < Self.greatestDepth else {
      throw StepError(node, "\"any\" is nested \(depth) levels deep: list the alternatives in one \"any\"")
    }
    guard let list = node["any"]?.elements else { return alternatives.append(node) }
    for element in list {
      let alternative = try merged(element, in: scope).without(["is"]).inheriting(node, except: Self.shared)
      try add(to: &alternatives, alternative, in: scope, depth: depth + 1)
    }
  }
}
