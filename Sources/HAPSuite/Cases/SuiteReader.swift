import HAPWire

/// Reads a suite from its tree, and reports all errors in one run.
package struct SuiteReader {
  private let file: String
  private var checker: ShapeChecker
  private let routines: Routines
  /// The revisions of the stacks whose sources the cases cite.
  private let revisions: JSONNode?

  /// - Parameters:
  ///   - document: a suite's file, read as YAML or JSON.
  ///   - isTrusted: whether to skip the checks, which are most of the work. A test has checked the embedded suites.
  /// - Returns: the suite without the faulty cases, and the errors.
  package static func read(
    _ document: JSONNode, file: String, isTrusted: Bool = false
  ) -> (suite: Suite, problems: [SuiteProblem]) {
    var reader = SuiteReader(document, file: file, isTrusted)
    let suite = reader.suite(document)
    return (suite, reader.checker.problems)
  }

  private init(_ document: JSONNode, file: String, _ isTrusted: Bool) {
    self.file = file
    routines = Routines(document["routines"])
    revisions = document["revisions"]
    checker = ShapeChecker(
      file: file, expectations: (document["expectations"]?.members ?? []).map(\.name), isTrusting: isTrusted)
  }

  private static let caseMembers: [ShapeMember] =
    [
      ShapeMember("id", .text, required: true, "such as PS-29; permanent, never reused"),
      ShapeMember("name", .text, required: true, "a slug that also selects the case"),
      ShapeMember("requirement", .text, required: true, "the requirement, in one or two sentences"),
      ShapeMember("level", .word(CaseLevel.allCases.map(\.rawValue)), required: true, "the weight of the requirement"),
      ShapeMember("section", .text, required: true, "the section of the specification"),
      ShapeMember(
        "needs", .list(.any),
        "the preconditions: `paired`, `pairing`, `unpaired`, `long`, `reset`, `unpairs`, `multicast`, `listening`, `code`, `{ hook: reboot }`, `{ claim: setup-id }`, `{ wrong-codes: 2 }`"
      ),
      ShapeMember("shared", .bool, "whether the case can run at the same time as others"),
      ShapeMember("limit", .duration, "the time limit of each variant, if it is more than the default of 3min"),
      ShapeMember("find", .map(.subject), "things to find in the database before the case runs"),
      ShapeMember("variants", .list(.map(.any)), "sets of variables, each with a `name`; the steps run once for each"),
      ShapeMember("steps", .steps, required: true, "the steps of the case"),
      ShapeMember("cause", .text, "the usual reason why accessories fail this case"),
      ShapeMember("fix", .text, "how to fix the accessory"),
      ShapeMember("impact", .text, "how controllers behave with an accessory that fails this case"),
      ShapeMember("stacks", .map(KnownStack.shape), "how known stacks behave"),
      ShapeMember("aliases", .list(.text), "names in public test plans"),
    ] + CaseCauses.members
  package static let suiteMembers: [ShapeMember] = [
    ShapeMember("area", .text, required: true, "the area, as a slug"),
    ShapeMember("title", .text, required: true, "the headline"),
    ShapeMember(
      "expectations",
      .map(
        .object(
          Vocabulary.expectMembers.filter { ["is", "any"].contains($0.name) } + Vocabulary.answerMembers + [
            ShapeMember("within", .duration, "the time to wait for the answer")
          ])), "expectations that steps call by name"),
    ShapeMember("revisions", .map(.text), "the revisions of the stacks whose sources `stacks` cites"),
    ShapeMember("routines", .map(.steps), "steps that cases call by name with `do`"),
    ShapeMember("cases", .list(.object(caseMembers)), required: true, "the cases"),
  ]

  private mutating func suite(_ document: JSONNode) -> Suite {
    var suite = Suite(file: file, area: "", title: "", expectations: NamedExpectations(), cases: [])
    guard document.members != nil else {
      checker.complain(document, "a suite is an object with area, title and cases, not \(document.kindName)")
      return suite
    }
    checker.check(document, .object(Self.suiteMembers))
    refuseVariables(document, but: [])
    suite.area = text("area", of: document)
    suite.title = text("title", of: document)
    if !suite.area.isEmpty { slug(document["area"] ?? document, "an area", "pair-setup") }
    let expectations = document["expectations"]?.members ?? []
    suite.expectations = NamedExpectations(expectations)
    for member in expectations {
      checker.expectation(member.value)
      checker.atLeastSomething(member.value)
    }
    if !checker.isTrusting { refuseCircles(expectations) }
    let wrong = wrongCases()
    var ids: Set<String> = []
    for node in document["cases"]?.elements ?? [] {
      let before = checker.problems.count
      guard let definition = definition(node, area: suite.area) else { continue }
      if !ids.insert(definition.id).inserted { checker.complain(node, "the id \(definition.id) already exists") }
      if !ids.insert(definition.name).inserted {
        checker.complain(node, "the name \(definition.name) already exists")
      }
      if !checker.isTrusting { VariableScan.check(definition, in: expectations, &checker) }
      if checker.problems.count == before, !wrong.contains(node.path.description) { suite.cases.append(definition) }
    }
    return suite
  }

  /// Returns the paths of the cases that have an error, such as "cases[3]".
  private func wrongCases() -> Set<String> {
    Set(
      checker.problems.compactMap { problem in
        problem.path.hasPrefix("cases[")
          ? problem.path.firstIndex(of: "]").map { String(problem.path[...$0]) } : nil
      })
  }

  /// Refuses variables in members that are read before a case runs. Variables have values only while a case runs.
  private mutating func refuseVariables(_ node: JSONNode, but later: Set<String>) {
    if checker.isTrusting { return }
    for member in node.members ?? [] where !later.contains(member.name) {
      for value in [member.value] + (member.value.elements ?? []) + (member.value.members ?? []).map(\.value) {
        if let text = value.stringValue, hasVariable(text) {
          checker.complain(value, "a variable is not allowed here")
        }
      }
    }
  }

  /// Refuses variables in `find`, which is evaluated before the case runs.
  private mutating func refuseVariablesInside(_ node: JSONNode) {
    if checker.isTrusting { return }
    if let text = node.stringValue, hasVariable(text) { checker.complain(node, "a variable is not allowed here") }
    for part in (node.elements ?? []) + (node.members ?? []).map(\.value) { refuseVariablesInside(part) }
  }

  /// Returns a member that must be a string in the tree. Text that looks like a number must be quoted.
  private mutating func text(_ name: String, of node: JSONNode) -> String {
    guard let value = node[name] else { return "" }
    if let text = value.stringValue { return text }
    // The shape checker has already reported anything that is not a scalar.
    if value.boolValue != nil || value.numberValue != nil {
      checker.complain(value, "text is expected, not \(value.kindName): put it in quotes")
    }
    return ""
  }

  private mutating func slug(_ node: JSONNode, _ what: String, _ example: String) {
    guard let text = node.stringValue, !Self.isSlug(text) else { return }
    checker.complain(node, "\(what) is a slug such as \(example), not \"\(text)\"")
  }

  /// Returns whether a text is a slug: words of lower-case letters and digits with hyphens between them.
  private static func isSlug(_ text: String) -> Bool {
    text.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { word in
      !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }
  }

  /// Returns whether a text is an id: two to eight capitals, a hyphen, two to four digits.
  private static func isID(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && (2...8).contains(parts[0].utf8.count) && (2...4).contains(parts[1].utf8.count)
      && parts[0].utf8.allSatisfy { (0x41...0x5A).contains($0) }
      && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Refuses expectations that call themselves, because looking them up would never end.
  private mutating func refuseCircles(_ expectations: [JSONNode.Member]) {
    var callers: [String: [String]] = [:]
    var left: [String: Int] = [:]
    let names = Set(expectations.map(\.name))
    for member in expectations {
      let called = VariableScan.names(calledBy: member.value).filter(names.contains)
      for name in called { callers[name, default: []].append(member.name) }
      left[member.name] = called.count
    }
    // Removes the expectations that call no other, then those that call only removed ones, and so on. The rest are cycles.
    var ended = left.filter { $0.value == 0 }.map(\.key)
    while let name = ended.popLast() {
      left[name] = nil
      for caller in callers[name] ?? [] {
        left[caller]? -= 1
        if left[caller] == 0 { ended.append(caller) }
      }
    }
    for member in expectations where left[member.name] != nil {
      checker.complain(member.value, "\"\(member.name)\" calls itself, directly or through other expectations")
    }
  }

  private mutating func definition(_ node: JSONNode, area: String) -> CaseDefinition? {
    guard node.members != nil else { return nil }
    refuseVariables(node, but: ["find", "variants", "steps"])
    if let requests = node["find"] { refuseVariablesInside(requests) }
    let id = text("id", of: node)
    let name = text("name", of: node)
    let requirement = text("requirement", of: node)
    let section = text("section", of: node)
    // Missing or malformed members have already been reported.
    guard !id.isEmpty, !name.isEmpty, let level = node["level"]?.stringValue.flatMap(CaseLevel.init(rawValue:)),
      let written = node["steps"]?.elements
    else { return nil }
    if !Self.isID(id) {
      checker.complain(node["id"] ?? node, "an id is an area in capitals and a number, such as PS-29, not \"\(id)\"")
    }
    slug(node["name"] ?? node, "a name", "m1-while-paired")
    var routines = routines
    let steps = routines.expanded(written, &checker)
    if written.isEmpty { checker.complain(node["steps"] ?? node, "a case needs steps") }
    for variant in node["variants"]?.elements ?? [] where variant.members != nil && variant["name"]?.stringValue == nil
    {
      checker.complain(variant, "a variant needs a name")
    }
    var definition = CaseDefinition(
      id: id, name: name, area: area, level: level, requirement: requirement,
      section: section, cause: node["cause"]?.stringValue, fix: node["fix"]?.stringValue,
      impact: node["impact"]?.stringValue,
      stacks: stacks(node["stacks"]), aliases: (node["aliases"]?.elements ?? []).compactMap(\.stringValue),
      needs: needs(node["needs"]),
      find: NamedSubject.list(node["find"]), variants: (node["variants"]?.elements ?? []).map { CaseVariant(node: $0) },
      steps: steps.compactMap { Step($0) },
      isShared: node["shared"]?.boolValue ?? false, limit: node["limit"]?.stringValue.flatMap { Duration(long: $0) },
      file: file, place: node.place)
    definition.causes = CaseCauses(node)
    if let own = node["after"]?.members?.first(where: { $0.name == id }) {
      checker.complain(own.value, "a case cannot list itself in \"after\"")
    }
    return definition
  }

  private mutating func stacks(_ node: JSONNode?) -> [KnownStack] {
    for member in node?.members ?? [] {
      guard let place = member.value["at"], revisions?[member.name] == nil else { continue }
      checker.complain(place, "the suite's \"revisions\" has no revision of \(member.name)")
    }
    return (node?.members ?? []).compactMap { KnownStack($0, revisions) }
  }

  private static let words = [
    "paired", "pairing", "unpaired", "any", "long", "reset", "unpairs", "multicast", "listening", "code",
  ]
  private static let keyed: [ShapeMember] = [
    ShapeMember("hook", .word(Vocabulary.hookNames), ""), ShapeMember("claim", .text, ""),
    ShapeMember("wrong-codes", .integer(0...1000), ""),
  ]

  private mutating func needs(_ node: JSONNode?) -> CaseNeeds {
    var needs = CaseNeeds()
    let states = (node?.elements ?? []).filter { entry in
      entry.stringValue.map { $0 == "pairing" || CaseNeeds.State(rawValue: $0) != nil } ?? false
    }
    if states.count > 1 { checker.complain(states[1], "a case needs one state of the accessory, not \(states.count)") }
    for entry in node?.elements ?? [] {
      if let word = entry.stringValue {
        switch word {
        case "paired": needs.state = .paired
        case "pairing":
          needs.state = .paired
          needs.isBelowSessions = true
        case "unpaired": needs.state = .unpaired
        case "any": needs.state = .any
        case "long": needs.isLong = true
        case "reset": needs.resets = true
        case "unpairs": needs.unpairs = true
        case "multicast": needs.multicast = true
        case "listening":
          needs.multicast = true
          needs.silenceCounts = true
        case "code": needs.code = true
        default: checker.check(entry, .word(Self.words))
        }
        continue
      }
      let before = checker.problems.count
      checker.check(entry, .object(Self.keyed))
      guard checker.problems.count == before else { continue }
      if entry.members?.isEmpty == true {
        checker.complain(entry, "a need is a name, or an object such as { hook: reboot }")
      }
      if let name = entry["hook"]?.stringValue {
        if let hook = HookName(rawValue: name) {
          needs.hooks.append(hook)
        } else {
          checker.complain(entry["hook"] ?? entry, "unknown hook \(name): write the name of a hook, without variables")
        }
      }
      if let claim = entry["claim"]?.stringValue { needs.claims.append(claim) }
      if let count = entry["wrong-codes"]?.integerValue { needs.wrongCodes += Int(count) }
    }
    return needs
  }
}
