import HAPWire
import Testing

@testable import HAPSuite

@Suite("Variables of a case") struct VariableScanTests {
  @Test(
    "A variable with a value may be used in steps",
    arguments: [
      "let: { x: 1 }", "expect: { status: 200, save: { x: status } }", "event: { json: $anything, save: { x: time } }",
      "controller: { name: x }", "find: { x: { type: On } }", "database: { save: x }", "database: { bytes: x }",
      "send: { path: /, save-sent: x }", "repeat: { times: 2, as: x, steps: [] }", "each: { in: [], as: x, steps: [] }",
      "try: { steps: [{ let: { x: 1 } }] }", "if: { that: 1, then: [{ connect: { save: x } }] }",
      "together: [[{ hook: { name: reboot, save: x } }]]",
      "compare: { old: \"\", new: \"\", what: structure, save: x }",
      "mdns: { resolve: true, save: { x: port } }",
    ])
  func given(_ step: String) throws {
    let problems = try SuiteText.problems(SuiteText.steps(step, "record: \"${x.y[0]} and ${x}\""))
    #expect(problems.isEmpty, "\(problems)")
  }

  @Test("Cases, variants and the run define variables, too") func around() throws {
    for name in VariableScan.given {
      let problems = try SuiteText.problems(SuiteText.steps("record: \"${\(name)}\""))
      #expect(problems.isEmpty, "\(problems)")
    }
    let text = SuiteText.steps("record: \"${lamp.id} ${size}\"").replacing(
      "    steps:\n",
      with: "    find: { lamp: { type: On } }\n    variants: [{ name: a, size: \"${lamp.id}\" }]\n    steps:\n")
    #expect(try SuiteText.problems(text).isEmpty)
  }

  private static let mistakes: [Mistake] = [
    Mistake("record: \"a ${y} b\"", 17, ".record", "the variable \"y\" is not defined"),
    Mistake("record: ${coed}", 17, ".record", "the variable \"coed\" is not defined: did you mean \"code\"?"),
    Mistake("send: { write: [{ id: \"${on.id}\" }] }", 31, ".send.write[0].id", "the variable \"on\" is not defined"),
    Mistake("let: { x: \"${y[0].z}\" }", 19, ".let.x", "the variable \"y\" is not defined"),
    Mistake("check: { that: { \"${y}\": 1 }, is: 1 }", 34, ".check.that.${y}", "the variable \"y\" is not defined"),
    Mistake("repeat: { times: 1, steps: [{ record: \"${y}\" }] }", 47, ".repeat.steps[0].record", "\"y\""),
    Mistake(line: "variants: [{ name: a, x: \"${y}\" }]", 30, ".variants[0].x", "the variable \"y\" is not defined"),
  ]

  @Test("A variable without a value is found", arguments: mistakes) func unknown(_ mistake: Mistake) throws {
    try mistake.check()
  }

  @Test("Expectations use the variables of the calling cases, also through other expectations")
  func expectations() throws {
    func problems(_ step: String, _ other: String = "verify: main") throws -> [SuiteProblem] {
      try SuiteText.problems(
        SuiteText.steps(step, other).replacing(
          "  refused: { status: 400 }",
          with: "  refused: { status: 400 }\n  one: { json: { a: \"${x}\" } }\n  two: { any: [{ is: one }, refused] }"))
    }
    #expect(try problems("verify: main").isEmpty)
    for call in [
      "expect: one", "expect: { is: one }", "expect: { any: [two] }", "repeat: { times: 1, steps: [{ expect: two }] }",
    ] {
      let found = try problems(call)
      #expect(found.map(\.message) == ["the variable \"x\" is not defined"], "\(call)")
      #expect(found.map { "\($0.place) \($0.path)" } == ["5:21 expectations.one.json.a"])
      #expect(try problems(call, "let: { x: 1 }").isEmpty)
    }
    #expect(try problems("check: { that: { expected: one }, is: { is: one } }").isEmpty)
  }

  @Test(
    "Names are extracted from texts without their paths",
    arguments: [
      ("", []), ("$x", []), ("${x}", ["x"]), ("a ${x.y} b ${z[0]} ${", ["x", "z", ""]), ("${x", ["x"]),
      ("$${x}}", ["x"]),
    ] as [(String, [String])])
  func names(_ text: String, _ names: [String]) { #expect(VariableScan.variables(in: text) == names) }
}
