import HAPVocabulary
import HAPWire
import Testing

@testable import HAPScenario

@Suite("Reading scenarios") struct ScenarioReadingTests {
  private func problems(_ text: String) -> [String] {
    ScenarioFile(Array(text.utf8), file: "s.yaml", commands: .all).problems.map(\.description)
  }

  @Test("All members are read") func membersRead() throws {
    let text = """
      scenario: Evening
      profiles: [lock.hasaccessory, ../lamp.hasaccessory]
      seed: 7
      limit: 2d
      end: serve
      steps:
        - press: { accessory: Door }
      """
    let scenario = try #require(ScenarioFile(Array(text.utf8), file: "s.yaml", commands: .all).scenario)
    #expect(scenario.name == "Evening")
    #expect(scenario.profiles == ["lock.hasaccessory", "../lamp.hasaccessory"])
    #expect(scenario.seed == 7)
    #expect(scenario.limit == .seconds(172_800))
    #expect(scenario.ending == .serve)
    guard case .command(let step) = scenario.steps[0].action else { throw Wrong() }
    #expect(step.command == SimulatorCommand(accessory: .name("Door"), .physical(.press(.single), service: nil)))
  }

  private struct Wrong: Error {}

  @Test(
    "A malformed step is reported with its place",
    arguments: [
      ("- pres: Door", "2:5: steps[0].pres: there is no member \"pres\" here: did you mean \"press\"?"),
      (
        "- {}",
        "2:5: steps[0]: the step has no action: a command, note, expect, never, do, together, choose or whenever"
      ),
      (
        "- { at: 1s, after: 2s, press: Door }",
        "2:22: steps[0].after: a step can have only one of at, after and when; this one already has \"at\""
      ),
      (
        "- { press: Door, note: Both }",
        "2:26: steps[0].note: a step can have only one action; this one already has \"press\""
      ),
      (
        "- { after: soon, press: Door }",
        "2:14: steps[0].after: a duration such as 500ms, 12s, 1.5min, 2h or 30d is expected, not \"soon\""
      ),
      (
        "- { after: 5s..1s }",
        "2:14: steps[0].after: two durations are expected, the shorter one first, such as 5s..15s, not \"5s..1s\""
      ),
      (
        "- { after: 5 }",
        "2:14: steps[0].after: a duration such as 500ms, 12s, 1.5min, 2h or 30d is expected, not an integer"
      ),
      ("- set: { value: 1 }", "2:5: steps[0].set: \"characteristic\" is missing"),
      (
        "- set: { characteristic: On, value: [1] }",
        "2:39: steps[0].set.value: a value is a name, a text, a number, true or false, not a list"
      ),
      (
        "- { when: { event: paired, accessory: 1.5 } }",
        "2:41: steps[0].when.accessory: an accessory's name or aid is expected, not a number"
      ),
      ("- press: { what: 1 }", "2:14: steps[0].press.what: there is no member \"what\" here"),
      ("- press: { id: 1 }", "2:18: steps[0].press.id: there is no member \"id\" here"),
      (
        "- { press: Door, within: 5s }",
        "2:28: steps[0].within: this step has no action that uses \"within\""
      ),
      ("- { never: { event: paired } }", "2:5: steps[0]: \"for\" is missing"),
      ("- expect: { event: wrot }", "2:22: steps[0].expect.event: there is no event \"wrot\": did you mean \"wrote\"?"),
      ("- expect: { event: paired, value: 1 }", "2:30: steps[0].expect.value: there is no member \"value\" here"),
      ("- expect: { is: 1 }", "2:13: steps[0].expect: a condition has a characteristic, an event, any or all"),
      (
        "- expect: { characteristic: On }",
        "2:13: steps[0].expect: the test of the value is missing: is, not, at-least or at-most"
      ),
      (
        "- expect: { characteristic: On, is: [1] }",
        "2:39: steps[0].expect.is: a name, a text, a number, true or false is expected, not a list"
      ),
      (
        "- expect: { characteristic: 5, is: 1 }",
        "2:31: steps[0].expect.characteristic: a characteristic's name, type or address such as \"1.10\" is expected, not an integer"
      ),
      ("- expect: { any: [] }", "2:20: steps[0].expect.any: the list has no condition"),
      ("- expect: 5", "2:13: steps[0].expect: an object is expected, not an integer"),
      ("- { do: [], times: 2 }", "2:11: steps[0].do: the list has no step"),
      ("- { times: 0, do: [{ press: Door }] }", "2:14: steps[0].times: 0 is not in 1...1000000000"),
      ("- { times: often, do: [{ press: Door }] }", "2:14: steps[0].times: expected a number or forever"),
      (
        "- { chance: 120, do: [{ press: Door }] }",
        "2:15: steps[0].chance: a percentage is expected, such as 30 or \"30%\""
      ),
      ("- together: []", "2:15: steps[0].together: the list is empty"),
      ("- { whenever: { event: paired } }", "2:5: steps[0]: \"do\" is missing"),
      ("- note: [1]", "2:11: steps[0].note: a string is expected, not a list"),
      (
        "- do: [{ do: [{ pres: 1 }] }]",
        "2:19: steps[0].do[0].do[0].pres: there is no member \"pres\" here: did you mean \"press\"?"
      ),
    ])
  func wrongStepNamed(step: String, message: String) {
    #expect(problems("steps:\n  \(step)\n") == ["s.yaml:" + message])
  }

  @Test(
    "A malformed file is reported with its place",
    arguments: [
      ("steps: 5", "s.yaml:1:8: steps: a list is expected, not an integer"),
      ("scenario: A", "s.yaml:1:1: \"steps\" is missing"),
      ("steps: [{ note: A }]\nendd: stop", "s.yaml:2:1: endd: there is no member \"endd\" here: did you mean \"end\"?"),
      ("steps: [{ note: A }]\nend: never", "s.yaml:2:6: end: expected stop or serve, not \"never\""),
      ("steps: [{ note: A }]\nseed: -1", "s.yaml:2:7: seed: -1 is not in 0...18446744073709551615"),
      ("steps: [", "s.yaml:"),
      ("[1]", "s.yaml:1:1: "),
    ])
  func wrongFileNamed(text: String, message: String) {
    let found = problems(text)
    #expect(!found.isEmpty)
    #expect(found.first?.hasPrefix(message) == true, "\(found)")
  }

  @Test("All mistakes are reported at once") func wrongToldOnce() {
    #expect(problems("steps:\n  - pres: A\n  - { after: soon }\n  - note: 5\n").count == 3)
  }

  @Test("A file above the size limit is not run") func nothingRunFile() {
    let text = "steps: [{ note: \"\(String(repeating: "x", count: 4 << 20))\" }]"
    #expect(problems(text) == ["s.yaml:1:1: the file has more than 4 MiB"])
  }
}
