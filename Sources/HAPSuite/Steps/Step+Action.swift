import HAPWire

extension Step {
  /// The steps that evaluate their variables one after the other, or in their inner steps.
  private static let deferring: Set<StepName> = [
    .let, .collect, .find, .expect, .repeat, .each, .if, .together, .try, .finally, .do,
  ]

  /// Returns the action of the step with the values of its variables. The variables of inner steps are evaluated when those run.
  /// - Throws: if a variable has no value, or a value that does not fit.
  package func action(in scope: Scope, _ expectations: NamedExpectations) throws(StepError) -> StepAction {
    let node = Self.deferring.contains(name) ? content : try scope.resolve(content)
    let on = node.connection
    switch name {
    case .connect: return .connect(try Connect(node))
    case .close: return .close(on: on, how: try node.word("how") ?? .fin)
    case .secure:
      return .secure(on: on, procedure: try node.text("procedure") ?? on, with: try node.word("with") ?? .verify)
    case .reading: return .reading(on: on, isPaused: try node.flag("paused") ?? true)
    case .settle: return .settle
    case .send: return .send(try SendAction(node))
    case .expect: return .expect(try expectations.expectation(scope.resolve(node), in: scope))
    case .event: return .event(try EventExpectation(node))
    case .events: return .events(try EventCollection(node))
    case .silence: return .silence(try Silence(node))
    case .forget: return .forget(on: on)
    case .pair: return .pair(try PairSetupRun(node))
    case .verify: return .verify(try PairVerifyRun(node))
    case .controller: return .controller(try NewController(node))
    case .unpair: return .unpair(controller: node.boolValue == true ? nil : Scope.text(node))
    case .let: return .let(VariableValue.list(node))
    case .make: return .make(try VariableBytes.list(node))
    case .collect: return .collect(VariableValue.list(node))
    case .check: return .check(try ValueCheck.list(node))
    case .find: return .find(NamedSubject.list(node))
    case .database: return .database(try DatabaseReading(node))
    case .lint: return .lint(try DatabaseRules(node))
    case .compare: return .compare(try DatabaseComparison(node))
    case .record: return .record(Scope.text(node))
    case .deviation: return .deviation(Scope.text(node))
    case .fail: return .fail(Scope.text(node))
    case .skip: return .skip(Scope.text(node))
    case .mark: return .mark(Scope.text(node))
    case .repeat: return .repeat(try Repetition(node, in: scope))
    case .each: return .each(try Iteration(node, in: scope))
    case .if: return .if(try Branch(node, in: scope))
    case .together: return .together((node.elements ?? []).map { Step.list($0) })
    case .wait: return .wait(try node.duration)
    case .try: return .try(Attempt(node))
    case .finally: return .finally(Step.list(node))
    case .hook: return .hook(try HookAction(node))
    case .reachable: return .reachable(within: try node.duration("within"))
    case .alive: return .alive
    case .mdns: return .mdns(try MulticastAction(node))
    case .txt: return .txt(NamedPattern.list(node))
    case .claims: return .claims
    // The suite reader has replaced each `do` with the steps of its routine.
    case .do: throw StepError(node, "unknown step \"do\"")
    }
  }
}

extension Connect {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    on = node.connection
    address = try node.text("address")
    within = try node.duration("within")
    save = node.optionalText("save")
  }
}

extension VariableBytes {
  fileprivate static func list(_ node: JSONNode) throws(StepError) -> [VariableBytes] {
    var values: [VariableBytes] = []
    for member in node.members ?? [] {
      values.append(VariableBytes(variable: member.name, bytes: try ByteRecipe(member.value)))
    }
    return values
  }
}

extension DatabaseReading {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    on = node.optionalText("on") ?? "main"
    save = node.optionalText("save")
    bytes = try node.text("bytes")
  }
}

extension Attempt {
  fileprivate init(_ node: JSONNode) {
    steps = Step.list(node["steps"])
    always = node["always"].map { Step.list($0) }
    save = node["save"]?.stringValue
  }
}

extension Iteration {
  fileprivate init(_ node: JSONNode, in scope: Scope) throws(StepError) {
    let list = try scope.resolve(node.required("in"))
    guard let elements = list.elements ?? list.members?.map(\.value) else {
      throw StepError(node, "a list is expected, not \(list.kindName)")
    }
    self.elements = elements
    variable = node["as"]?.stringValue ?? "index"
    steps = Step.list(node["steps"])
  }
}

extension Repetition {
  fileprivate init(_ node: JSONNode, in scope: Scope) throws(StepError) {
    let head = try scope.resolve(node.without(["steps", "until"]))
    guard let times = try head.count("times") else { throw StepError(node, "\"times\" is missing") }
    self.times = times
    variable = try head.text("as") ?? "index"
    every = try head.duration("every") ?? .zero
    within = try head.duration("within")
    until = node["until"].map { until in
      End(
        that: DeferredValue(until["that"] ?? JSONNode(.null)), pattern: DeferredValue(until["is"] ?? JSONNode(.null)),
        reason: until["because"].map { DeferredValue($0) })
    }
    steps = Step.list(node["steps"])
  }
}

extension Branch {
  fileprivate init(_ node: JSONNode, in scope: Scope) throws(StepError) {
    that = try scope.resolve(node["that"] ?? JSONNode(.null))
    pattern = try scope.resolve(node["is"] ?? JSONNode(.bool(true)))
    then = Step.list(node["then"])
    otherwise = Step.list(node["else"])
  }
}

extension PairSetupRun {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    on = node.connection
    procedure = try node.text("procedure") ?? node.connection
    controller = try node.text("as")
    code = try node.text("code")
    last = try node.word("until", of: [.m2, .m4, .m6]) ?? .m6
    mayReconnect = try node.flag("reconnect") ?? false
    save = try node.saved()
  }
}

extension PairVerifyRun {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    on = node.connection
    controller = try node.text("as")
    mayReconnect = try node.flag("reconnect") ?? false
  }
}

extension NewController {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    name = Scope.text(try node.required("name"))
    isPaired = try node.flag("paired") ?? true
    isAdmin = try node.word("permissions", in: ["user", "admin"]) == "admin"
    identifier = try node.bytes("id")
    keyOf = try node.text("key-of")
    if name == "admin" {
      throw StepError(node, "\"admin\" is reserved for the tester's own controller: choose another name")
    }
  }
}

extension HookAction {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    guard let name = try node.word("name", of: HookName.allCases) else { throw StepError(node, "\"name\" is missing") }
    self.name = name
    subject = node["of"].map { DeferredSubject(node: $0) }
    value = node["value"]
    kind = try node.word("kind", in: ["single", "double", "long"])
    save = node.optionalText("save")
    refused = node.optionalText("refused")
    isOptional = try node.flag("optional") ?? false
  }
}
