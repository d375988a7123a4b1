import HAPWire
import Testing

@testable import HAPScenario

@Suite("Checks of names in scenarios before the first step") struct ScenarioWordCheckTests {
  private func problems(_ steps: String) throws -> [String] {
    let text = "steps:\n" + steps
    let file = ScenarioFile(Array(text.utf8), file: "s.yaml", commands: .all)
    #expect(file.problems == [])
    let world = FakeWorld()
    world.values = ["Door": .integer(1)]
    return try #require(file.scenario).wordProblems(in: world).map { "\($0.place) \($0.path): \($0.message)" }
  }

  @Test("An unknown value name is reported at its place, however deep its step is") func values() throws {
    #expect(
      try problems(
        """
          - set: { characteristic: Door, value: opn }
          - together:
            - - expect: { characteristic: Door, is: closd }
            - - do:
                - whenever: { event: wrote, characteristic: Door, value: shut }
                  do:
                    - set: { characteristic: Door, value: open }
        """) == [
          "2:41 steps[0].set.value: no value is named \"opn\"",
          "4:45 steps[1].together[0][0].expect.is: no value is named \"closd\"",
          "6:66 steps[1].together[1][0].do[0].whenever.value: no value is named \"shut\"",
        ])
  }

  @Test("Unknown characteristics and accessories are reported") func names() throws {
    #expect(
      try problems(
        """
          - when: { any: [{ characteristic: Dor, is: open }, { event: paired, accessory: Foke }] }
            press: { accessory: Fake }
        """) == [
          "2:37 steps[0].when.any[0].characteristic: there is no characteristic \"Dor\"",
          "2:82 steps[0].when.any[1].accessory: there is no accessory \"Foke\"",
        ])
  }
}
