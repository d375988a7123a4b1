import HAPWire

/// Returns the names of the variables in a node's texts and members, without their paths.
func variableNames(in node: JSONNode) -> [String] {
  if let text = node.stringValue { return VariableScan.variables(in: text) }
  return (node.elements ?? []).flatMap(variableNames)
    + (node.members ?? []).flatMap { VariableScan.variables(in: $0.name) + variableNames(in: $0.value) }
}

/// Finds variables that a case uses but never defines.
enum VariableScan {
  /// Variables that the runner defines for every case.
  static let given = [
    "code", "device", "txt", "claims", "elapsed", "index", "variant", "admin", "instance", "database", "hooks",
    "multicast",
  ]

  static func check(_ definition: CaseDefinition, in expectations: [JSONNode.Member], _ checker: inout ShapeChecker) {
    var names = Set(given)
    names.formUnion(definition.find.map(\.name))
    for variant in definition.variants { names.formUnion(variant.values.map(\.name)) }
    for step in definition.steps { collect(step.node, &names) }
    for step in definition.steps { look(step.node, names, &checker) }
    for name in called(by: definition.steps, in: expectations) {
      if let member = expectations.first(where: { $0.name == name }) { look(member.value, names, &checker) }
    }
    for variant in definition.variants { look(variant.node, names, &checker) }
  }

  /// Collects the names that a step and the steps inside it define.
  private static func collect(_ node: JSONNode, _ names: inout Set<String>) {
    for element in node.elements ?? [] { collect(element, &names) }
    for member in node.members ?? [] {
      switch member.name {
      case "save":
        if let name = member.value.stringValue { names.insert(name) }
        names.formUnion((member.value.members ?? []).map(\.name))
      case "save-sent", "bytes", "refused": if let name = member.value.stringValue { names.insert(name) }
      case "as": if let name = member.value.stringValue { names.insert(name) }
      case "let", "find", "make", "collect": names.formUnion((member.value.members ?? []).map(\.name))
      case "controller":
        if let name = member.value["name"]?.stringValue { names.insert(name) }
      default: break
      }
      collect(member.value, &names)
    }
  }

  // MARK: Expectations

  /// Returns the expectations that an `expect` or an expectation calls by name.
  static func names(calledBy node: JSONNode) -> [String] {
    var names: [String] = []
    for part in [node] + (node["any"]?.elements ?? []) {
      if let name = part.stringValue ?? part["is"]?.stringValue { names.append(name) }
    }
    return names
  }

  /// Returns the expectations that the steps call, directly or through other expectations, each once.
  private static func called(by steps: [Step], in expectations: [JSONNode.Member]) -> [String] {
    var next: [String] = []
    for step in steps { collectCalls(step.node, &next) }
    var found: [String] = []
    while let name = next.popLast() {
      guard !found.contains(name), let member = expectations.first(where: { $0.name == name }) else { continue }
      found.append(name)
      next += names(calledBy: member.value)
    }
    return found
  }

  private static func collectCalls(_ node: JSONNode, _ names: inout [String]) {
    for element in node.elements ?? [] { collectCalls(element, &names) }
    for member in node.members ?? [] {
      if member.name == "expect" { names += self.names(calledBy: member.value) }
      collectCalls(member.value, &names)
    }
  }

  // MARK: Texts

  private static func look(_ node: JSONNode, _ names: Set<String>, _ checker: inout ShapeChecker) {
    for element in node.elements ?? [] { look(element, names, &checker) }
    for member in node.members ?? [] {
      for name in variables(in: member.name) where !names.contains(name) {
        complain(name, member.value, names, &checker)
      }
      look(member.value, names, &checker)
    }
    guard let text = node.stringValue else { return }
    for name in variables(in: text) where !names.contains(name) { complain(name, node, names, &checker) }
  }

  private static func complain(
    _ name: String, _ node: JSONNode, _ names: Set<String>, _ checker: inout ShapeChecker
  ) {
    let meant = nearestName(to: name, in: names.sorted()).map { ": did you mean \"\($0)\"?" } ?? ""
    checker.complain(node, "the variable \"\(name)\" is not defined\(meant)")
  }

  /// Returns the names of a text's variables, without their paths.
  static func variables(in text: String) -> [String] {
    guard hasVariable(text) else { return [] }
    var result: [String] = []
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      rest = rest[start.upperBound...]
      result.append(String(rest.prefix { !"}.[?".contains($0) }))
    }
    return result
  }
}
