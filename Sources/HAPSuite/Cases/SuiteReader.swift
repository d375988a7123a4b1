import HAPWire

/// Reads a suite from its tree, and finds all that is wrong with it at once.
package struct SuiteReader {
  private let file: String
  private var checker: ShapeChecker

  /// - Parameter document: a suite's file, read as YAML or JSON.
  /// - Returns: the suite without the cases that are wrong, and what is wrong.
  package static func read(_ document: JSONNode, file: String) -> (suite: Suite, problems: [SuiteProblem]) {
    var reader = SuiteReader(document, file: file)
    let suite = reader.suite(document)
    return (suite, reader.checker.problems)
  }

  private init(_ document: JSONNode, file: String) {
    self.file = file
    checker = ShapeChecker(file: file, expectations: (document["expectations"]?.members ?? []).map(\.name))
  }

  private static let caseMembers: [ShapeMember] = [
    ShapeMember("id", .text, required: true, "such as PS-29; permanent, never reused"),
    ShapeMember("name", .text, required: true, "a slug that selects it, too"),
    ShapeMember("requirement", .text, required: true, "what is required, in one or two sentences"),
    ShapeMember("level", .word(CaseLevel.allCases.map(\.rawValue)), required: true, "how much it weighs"),
    ShapeMember("section", .text, required: true, "of the specification"),
    ShapeMember(
      "needs", .list(.any),
      "what must be so: `paired`, `unpaired`, `long`, `reset`, `unpairs`, `multicast`, `code`, `{ hook: reboot }`, `{ claim: setup-id }`, `{ wrong-codes: 2 }`"
    ),
    ShapeMember("shared", .bool, "it may run beside others"),
    ShapeMember("find", .map(.subject), "what is looked for in the database first"),
    ShapeMember("variants", .list(.map(.any)), "sets of variables, each with a `name`; the steps run once with each"),
    ShapeMember("steps", .steps, required: true, "what finds out"),
    ShapeMember("cause", .text, "why accessories get it wrong, as a rule"),
    ShapeMember("fix", .text, "what to do about it"),
    ShapeMember("impact", .text, "what controllers do with an accessory that gets it wrong"),
    ShapeMember("stacks", .map(.text), "how known stacks behave"),
    ShapeMember("aliases", .list(.text), "names in public test plans"),
  ]
  package static let suiteMembers: [ShapeMember] = [
    ShapeMember("area", .text, required: true, "a slug"), ShapeMember("title", .text, required: true, "a headline"),
    ShapeMember(
      "expectations",
      .map(
        .object(
          Vocabulary.answerMembers + [
            ShapeMember("any", .list(.any), "several ways to be right"),
            ShapeMember("within", .duration, "how long to wait"),
          ])), "judgements that steps call by name"),
    ShapeMember("cases", .list(.object(caseMembers)), required: true, "the cases"),
  ]

  private mutating func suite(_ document: JSONNode) -> Suite {
    var suite = Suite(file: file, area: "", title: "", expectations: [], cases: [])
    guard document.members != nil else {
      checker.complain(document, "a suite is an object with area, title and cases, not \(document.kindName)")
      return suite
    }
    checker.check(document, .object(Self.suiteMembers))
    suite.area = document["area"]?.stringValue ?? ""
    suite.title = document["title"]?.stringValue ?? ""
    suite.expectations = document["expectations"]?.members ?? []
    for member in suite.expectations { checker.expectation(member.value) }
    var ids: Set<String> = []
    for node in document["cases"]?.elements ?? [] {
      let before = checker.problems.count
      guard let definition = definition(node, area: suite.area) else { continue }
      if !ids.insert(definition.id).inserted { checker.complain(node, "the id \(definition.id) is there already") }
      if !ids.insert(definition.name).inserted {
        checker.complain(node, "the name \(definition.name) is there already")
      }
      VariableScan.check(definition, in: suite.expectations, &checker)
      if checker.problems.count == before { suite.cases.append(definition) }
    }
    return suite
  }

  private mutating func definition(_ node: JSONNode, area: String) -> CaseDefinition? {
    guard let id = node["id"]?.stringValue, let name = node["name"]?.stringValue,
      let level = node["level"]?.stringValue.flatMap(CaseLevel.init(rawValue:)), let steps = node["steps"]?.elements
    else { return nil }
    if id.wholeMatch(of: /[A-Z]{2,8}-[0-9]{2,4}/) == nil {
      checker.complain(node["id"] ?? node, "an id is an area in capitals and a number, such as PS-29, not \"\(id)\"")
    }
    if name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) == nil {
      checker.complain(node["name"] ?? node, "a name is a slug such as m1-while-paired, not \"\(name)\"")
    }
    if steps.isEmpty { checker.complain(node["steps"] ?? node, "a case needs steps") }
    for variant in node["variants"]?.elements ?? [] where variant["name"]?.stringValue == nil {
      checker.complain(variant, "a variant needs a name")
    }
    return CaseDefinition(
      id: id, name: name, area: area, level: level, requirement: node["requirement"]?.stringValue ?? "",
      section: node["section"]?.stringValue ?? "", cause: node["cause"]?.stringValue, fix: node["fix"]?.stringValue,
      impact: node["impact"]?.stringValue,
      stacks: (node["stacks"]?.members ?? []).compactMap { member in
        member.value.stringValue.map { (member.name, $0) }
      }, aliases: (node["aliases"]?.elements ?? []).compactMap(\.stringValue), needs: needs(node["needs"]),
      find: node["find"]?.members ?? [], variants: node["variants"]?.elements ?? [], steps: steps,
      isShared: node["shared"]?.boolValue ?? false, file: file, place: node.place)
  }

  private static let words = ["paired", "unpaired", "any", "long", "reset", "unpairs", "multicast", "code"]
  private static let keyed: [ShapeMember] = [
    ShapeMember("hook", .word(Vocabulary.hookNames), ""), ShapeMember("claim", .text, ""),
    ShapeMember("wrong-codes", .integer(0...1000), ""),
  ]

  private mutating func needs(_ node: JSONNode?) -> CaseNeeds {
    var needs = CaseNeeds()
    for entry in node?.elements ?? [] {
      if let word = entry.stringValue {
        switch word {
        case "paired": needs.state = .paired
        case "unpaired": needs.state = .unpaired
        case "any": needs.state = .any
        case "long": needs.isLong = true
        case "reset": needs.resets = true
        case "unpairs": needs.unpairs = true
        case "multicast": needs.multicast = true
        case "code": needs.code = true
        default: checker.check(entry, .word(Self.words))
        }
        continue
      }
      let before = checker.problems.count
      checker.check(entry, .object(Self.keyed))
      guard checker.problems.count == before else { continue }
      if let hook = entry["hook"]?.stringValue { needs.hooks.append(hook) }
      if let claim = entry["claim"]?.stringValue { needs.claims.append(claim) }
      if let count = entry["wrong-codes"]?.integerValue { needs.wrongCodes += Int(count) }
    }
    return needs
  }
}
