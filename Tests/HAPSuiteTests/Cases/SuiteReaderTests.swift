import HAPWire
import Testing

@testable import HAPSuite

@Suite("Reading a suite") struct SuiteReaderTests {
  @Test("All members of a case are in its definition") func whole() throws {
    let (suite, problems) = try SuiteText.read(
      """
      area: lamp
      title: Lamps
      expectations: { refused: { status: 400 } }
      cases:
        - id: LM-01
          name: first-of-all
          requirement: It is a lamp.
          level: should
          section: HAP R2 §1
          needs:
            - paired
            - long
            - reset
            - unpairs
            - multicast
            - code
            - { hook: reboot }
            - { claim: setup-id }
            - { wrong-codes: 2 }
            - { wrong-codes: 3, hook: press }
          shared: true
          cause: why
          fix: how
          impact: what
          stacks: { HomeKitADK: Error 6, HAP-python: none }
          aliases: [TCH001]
          find: { lamp: { type: On } }
          variants: [{ name: a, x: 1 }, { name: b, x: 2 }]
          steps:
            - verify: main
            - expect: refused
      """)
    #expect(problems.isEmpty, "\(problems)")
    #expect(suite.area == "lamp" && suite.title == "Lamps" && suite.expectations.names == ["refused"])
    let definition = try #require(suite.cases.first)
    #expect(definition.id == "LM-01" && definition.name == "first-of-all" && definition.area == "lamp")
    #expect(definition.level == .should && definition.section == "HAP R2 §1" && definition.isShared)
    #expect(definition.requirement == "It is a lamp." && definition.aliases == ["TCH001"])
    #expect([definition.cause, definition.fix, definition.impact] == ["why", "how", "what"])
    #expect(definition.stacks.map(\.name) == ["HomeKitADK", "HAP-python"])
    #expect(definition.find.map(\.name) == ["lamp"] && definition.variants.count == 2 && definition.steps.count == 2)
    #expect(definition.file == "lamp.yaml" && definition.place == JSONPlace(line: 5, column: 5))
    var needs = CaseNeeds()
    needs.state = .paired
    (needs.isLong, needs.resets, needs.unpairs, needs.multicast, needs.code) = (true, true, true, true, true)
    (needs.hooks, needs.claims, needs.wrongCodes) = ([.reboot, .press], ["setup-id"], 5)
    #expect(definition.needs == needs)
    #expect(
      definition.selectable.tags == ["long", "reset", "multicast", "wrong-code", "hook", "shared", "paired"])
  }

  private static let mistakes: [Mistake] = [
    Mistake("[1]", 1, 1, "", "a suite is an object with area, title and cases"),
    Mistake("area: a\ntitle: b\n", 1, 1, "", "\"cases\" is missing"),
    Mistake("area: a\ntitle: b\ncases: []\ncaess: []\n", 4, 1, "caess", "did you mean \"cases\"?"),
    Mistake("area: a\ntitle: b\ncases: ${code}\n", 3, 8, "cases", "a variable is not allowed here"),
    Mistake("area: a b\ntitle: b\ncases: []\n", 1, 7, "area", "an area is a slug such as pair-setup, not \"a b\""),
    Mistake("area: a\ntitle: 5\ncases: []\n", 2, 8, "title", "put it in quotes"),
    Mistake("area: a\ntitle: b\ncases: [5]\n", 3, 9, "cases[0]", "an object is expected"),
    Mistake("area: a\ntitle: b\ncases: []\nexpectations: { x: {} }\n", 4, 20, "expectations.x", "nothing is expected"),
    Mistake(
      "area: a\ntitle: b\ncases: []\nexpectations: { x: { any: [] } }\n", 4, 27, "expectations.x.any",
      "must list at least one alternative"),
    Mistake(
      "area: a\ntitle: b\ncases: []\nexpectations: { x: { any: [{ statsu: 1 }] } }\n", 4, 30,
      "expectations.x.any[0].statsu", "did you mean \"status\"?"),
    Mistake(
      "area: a\ntitle: b\ncases: []\nexpectations: { x: { any: [y] } }\n", 4, 28, "expectations.x.any[0]",
      "no expectation \"y\""),
    Mistake(
      "area: a\ntitle: b\ncases: []\nexpectations: { x: { any: [x] } }\n", 4, 20, "expectations.x",
      "\"x\" calls itself"),
    Mistake(line: "needs: paired", 12, ".needs", "a list is expected"),
    Mistake(line: "needs: [pared]", 13, ".needs[0]", "\"pared\" is not allowed here: did you mean \"paired\"?"),
    Mistake(line: "needs: [paired, unpaired]", 21, ".needs[1]", "one state of the accessory"),
    Mistake(line: "needs: [pairing, unpaired]", 22, ".needs[1]", "one state of the accessory"),
    Mistake(line: "needs: [{ hook: rebot }]", 21, ".needs[0].hook", "did you mean \"reboot\"?"),
    Mistake(line: "needs: [{ hook: \"${x}\" }]", 21, ".needs[0].hook", "unknown hook ${x}"),
    Mistake(line: "needs: [{ hok: reboot }]", 15, ".needs[0].hok", "did you mean \"hook\"?"),
    Mistake(line: "needs: [{ wrong-codes: 1001 }]", 28, ".needs[0].wrong-codes", "1001 is not in 0...1000"),
    Mistake(line: "needs: [{ wrong-codes: many }]", 28, ".needs[0].wrong-codes", "an integer is expected"),
    Mistake(line: "needs: [{}]", 13, ".needs[0]", "a need is a name"),
    Mistake(line: "needs: [5]", 13, ".needs[0]", "an object is expected"),
    Mistake(line: "needs: [\"${code}\"]", 13, ".needs[0]", "a variable is not allowed here"),
    Mistake(line: "find: { lamp: { aid: \"${code}\" } }", 26, ".find.lamp.aid", "a variable is not allowed here"),
    Mistake(
      line: "find: { lamp: { type: [\"${code}\"] } }", 28, ".find.lamp.type[0]", "a variable is not allowed here"),
    Mistake(line: "shared: perhaps", 13, ".shared", "true or false"),
    Mistake(line: "shared: ${code}", 13, ".shared", "a variable is not allowed here"),
    Mistake(line: "variants: [{ x: 1 }]", 16, ".variants[0]", "a variant needs a name"),
    Mistake(line: "variants: [5]", 16, ".variants[0]", "an object is expected"),
    Mistake(line: "stacks: { a: [b] }", 18, ".stacks.a", "a list is not allowed here"),
    Mistake(line: "aliases: TCH001", 14, ".aliases", "a list is expected"),
    Mistake(line: "colour: red", 5, ".colour", "there is no member \"colour\" here"),
    Mistake(SuiteText.right.replacing("LM-01", with: "lm-1"), 6, 9, "cases[0].id", "an id is an area in capitals"),
    Mistake(SuiteText.right.replacing("LM-01", with: "LM-00001"), 6, 9, "cases[0].id", "not \"LM-00001\""),
    Mistake(SuiteText.right.replacing("LM-01", with: "7"), 6, 9, "cases[0].id", "put it in quotes"),
    Mistake(SuiteText.right.replacing("first", with: "First one"), 7, 11, "cases[0].name", "a name is a slug"),
    Mistake(SuiteText.right.replacing("first", with: "a--b"), 7, 11, "cases[0].name", "a name is a slug"),
    Mistake(SuiteText.right.replacing("first", with: "2024"), 7, 11, "cases[0].name", "put it in quotes"),
    Mistake(SuiteText.right.replacing("must", with: "shall"), 9, 12, "cases[0].level", "\"shall\" is not known"),
    Mistake(
      SuiteText.right.replacing("must", with: "${code}"), 9, 12, "cases[0].level", "a variable is not allowed here"),
    Mistake(SuiteText.right.replacing("section: none", with: "fix: none"), 6, 5, "cases[0]", "\"section\" is missing"),
    Mistake(
      SuiteText.right.replacing("      - verify: main\n", with: "      []\n"), 12, 7, "cases[0].steps", "needs steps"),
    Mistake(
      SuiteText.right.replacing("      - verify: main\n", with: "      ${code}\n"), 12, 7, "cases[0].steps",
      "a variable is not allowed instead of steps"),
  ]

  @Test("Mistakes outside the steps are found, too, and no case disappears silently", arguments: mistakes)
  func wrong(_ mistake: Mistake) throws {
    if mistake.path == "cases[0].steps", mistake.fragment.contains("variable") || mistake.fragment.isEmpty {
      let problems = try SuiteText.problems(mistake.text)
      #expect(problems.contains { $0.message.contains(mistake.fragment) && $0.path == mistake.path })
    } else {
      try mistake.check()
    }
  }

  @Test("A case with a mistake isn't in the suite; the others are") func wrongCasesAreLeftOut() throws {
    let (suite, problems) = try SuiteText.read(
      """
      area: lamp
      title: Lamps
      cases:
        - { id: LM-01, name: a, requirement: r, level: must, section: s, steps: [{ verify: main }] }
        - { id: LM-02, name: b, requirement: r, level: must, section: s, steps: [{ verfy: main }] }
        - { id: LM-03, name: c, requirement: r, level: must, section: s, needs: [pared], steps: [{ verify: main }] }
        - { id: LM-04, name: d, requirement: r, level: must, section: s, steps: [{ wait: "${x}" }] }
        - { id: LM-05, name: e, requirement: r, level: must, section: s, steps: [{ verify: main }], colour: red }
        - { id: LM-06, name: f, requirement: r, level: must, section: s, steps: [{ verify: main }] }
      """)
    #expect(suite.cases.map(\.id) == ["LM-01", "LM-06"])
    #expect(problems.map(\.path).sorted().map { $0.prefix(8) } == ["cases[1]", "cases[2]", "cases[3]", "cases[4]"])
  }

  @Test("Ids and names are unique in a suite") func duplicates() throws {
    let twin = SuiteText.right + SuiteText.right.split(separator: "\n").dropFirst(5).joined(separator: "\n")
    let problems = try SuiteText.problems(twin)
    #expect(problems.map(\.message) == ["the id LM-01 already exists", "the name first already exists"])
    #expect(problems.map { "\($0.place) \($0.path)" } == ["13:5 cases[1]", "13:5 cases[1]"])
  }

  @Test("Circular expectations are found at any length, with those that lead to one; other calls are allowed")
  func circles() throws {
    let problems = try SuiteText.problems(
      """
      area: a
      title: b
      cases: []
      expectations:
        a: { any: [{ is: b }, { status: 1 }] }
        b: { is: c, status: 4 }
        c: { any: [a] }
        d: { is: e, status: 2 }
        e: { status: 5 }
        f: { any: [a, d] }
      """)
    #expect(problems.map(\.path) == ["expectations.a", "expectations.b", "expectations.c", "expectations.f"])
  }

  @Test("Problems have the format of compiler messages") func description() throws {
    let problems = try SuiteText.problems(SuiteText.steps("wiat: 1s"))
    #expect(
      problems.map(\.description) == [
        "lamp.yaml:12:9: cases[0].steps[0].wiat: unknown step \"wiat\": did you mean \"wait\"?"
      ])
    let whole = try SuiteText.problems("5")
    #expect(
      whole.map(\.description) == ["lamp.yaml:1:1: a suite is an object with area, title and cases, not an integer"])
  }
}
