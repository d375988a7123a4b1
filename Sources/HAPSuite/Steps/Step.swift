import HAPWire

/// A step of a case as the suite writes it. Its variables are evaluated when it runs: see `action(in:_:)`.
package struct Step: Equatable, Sendable {
  package let name: StepName
  /// The object that has the step's name as its member.
  let node: JSONNode
  let content: JSONNode

  /// - Returns: `nil` if the object has only a note, or an unknown name. `ShapeChecker` reports the latter.
  init?(_ node: JSONNode) {
    guard let member = StepName.member(of: node), let name = StepName(rawValue: member.name) else { return nil }
    self.name = name
    self.node = node
    content = member.value
  }

  /// The position of the step in the suite.
  package var place: JSONPlace { node.place }
  /// A path such as "cases[0].steps[2]".
  package var path: String { node.path.description }

  /// The names of the variables that the step uses, with repetitions.
  package var variables: [String] { variableNames(in: content) }

  /// Returns the connection of the step: `main` if it names none.
  package func connection(in scope: Scope) -> String {
    let name = content["on"].flatMap { node in try? scope.resolve(node) }?.stringValue
    // The text of an `expect` is an expectation, not a connection.
    return name ?? (self.name == .expect ? nil : content.stringValue) ?? "main"
  }

  static func list(_ node: JSONNode?) -> [Step] { (node?.elements ?? []).compactMap { Step($0) } }
}

/// A value whose variables are evaluated later than those of the step around it.
package struct DeferredValue: Equatable, Sendable {
  let node: JSONNode

  init(_ node: JSONNode) { self.node = node }

  package func value(in scope: Scope) throws(StepError) -> JSONNode { try scope.resolve(node) }

  /// The names of its variables, with repetitions.
  package var variables: [String] { variableNames(in: node) }
}

/// A value for a variable.
package struct VariableValue: Equatable, Sendable {
  package var name: String
  package var value: DeferredValue

  static func list(_ node: JSONNode?) -> [VariableValue] {
    (node?.members ?? []).map { VariableValue(name: $0.name, value: DeferredValue($0.value)) }
  }
}

/// A set of variables with which the steps of a case run once.
package struct CaseVariant: Equatable, Sendable {
  let node: JSONNode

  /// `nil`: missing in the suite.
  package var name: String? { node["name"]?.stringValue }
  package var values: [VariableValue] { VariableValue.list(node) }
}
