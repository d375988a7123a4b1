import HAPModel
import HAPWire
import Testing

@testable import HAPScenario

@Suite("Running scenarios") struct ScenarioMachineTests {
  // MARK: Time

  @Test("Steps run one after the other, at their times") func stepsHappenOne() throws {
    let stage = try Stage(
      """
      steps:
        - press: Door
        - { after: 2s, press: Door }
        - { at: 10s, note: Ten }
        - { at: 5s, note: Late already }
        - after: 1s
      """)
    stage.pass(.seconds(60))
    #expect(stage.log == ["0s press", "2s press", "10s note Ten", "10s note Late already", "11s end"])
  }

  @Test("A random span is within its bounds, and equal seeds give equal spans") func spanDrawnWithin() throws {
    let text = "steps: [{ after: 2s..4s, note: Now }]"
    var times: Set<String> = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let (one, other) = (try Stage(text, seed: seed), try Stage(text, seed: seed))
      one.pass(.seconds(10))
      other.pass(.seconds(10))
      #expect(one.log == other.log)
      let deadline = try #require(one.log.first)
      times.insert(deadline)
      let milliseconds = try #require(Int(deadline.prefix { $0.isNumber }))
      #expect((2000...4000).contains(milliseconds) || (2...4).contains(milliseconds))
    }
    #expect(times.count > 10)
  }

  @Test("A step waits for a value, at most until its limit") func stepWaitsValue() throws {
    let text = "steps: [{ when: { characteristic: Door, is: open }, within: 5s, press: Bell }]"
    let good = try Stage(text, values: ["Door": .integer(1)])
    good.pass(.seconds(4))
    good.set("Door", .integer(0))
    #expect(good.log == ["4s press", "4s end"])
    let bad = try Stage(text, values: ["Door": .integer(1)])
    bad.pass(.seconds(6))
    #expect(bad.log == ["5s failed"])
    #expect(bad.failure?.message == "expected within 5s: Door is \"open\"; Door is 1")
    #expect(bad.failure?.place == JSONPlace(line: 1, column: 9))
  }

  // MARK: Loops

  @Test("Rounds start at equal intervals, however long each takes") func roundsBeginEqual() throws {
    let stage = try Stage(
      """
      steps:
        - every: 10s
          times: 3
          do:
            - { after: 3s, press: Door }
        - note: Over
      """)
    stage.pass(.seconds(60))
    #expect(stage.log == ["3s press", "13s press", "23s press", "23s note Over", "23s end"])
  }

  @Test("Rounds that exceed their interval follow at once") func roundsTakeLonger() throws {
    let stage = try Stage("steps: [{ every: 1s, times: 2, do: [{ after: 3s, press: Door }] }]")
    stage.pass(.seconds(60))
    #expect(stage.log == ["3s press", "6s press", "6s end"])
  }

  @Test("An endless loop without delays is an error") func endlessLoopLets() throws {
    let stage = try Stage("steps: [{ times: forever, do: [{ note: Again }] }]")
    #expect(stage.failure?.message == "the steps here run endlessly without time passing")
    let commanding = try Stage("steps: [{ times: forever, do: [{ press: Door }] }]")
    #expect(commanding.failure?.message == "the steps here run endlessly without time passing")
  }

  @Test("A step with a percentage runs in about that share of the rounds") func chanceSkipsAbout() throws {
    let stage = try Stage("steps: [{ every: 1s, times: 1000, chance: 30%, do: [{ press: Door }] }]")
    stage.pass(.seconds(2000))
    let count = stage.log.filter { $0.hasSuffix("press") }.count
    #expect((240...360).contains(count))
  }

  @Test("Loops may be nested") func loopsWithinLoops() throws {
    let stage = try Stage(
      "steps: [{ times: 2, do: [{ times: 3, do: [{ after: 1s, press: Door }] }, { note: Round }] }]")
    stage.pass(.seconds(60))
    #expect(stage.log.filter { $0.hasSuffix("press") }.count == 6)
    #expect(stage.log.suffix(3) == ["6s press", "6s note Round", "6s end"])
  }

  // MARK: Parallel steps

  @Test("Parallel lists run concurrently, and the step ends with the last one") func strandsGoSide() throws {
    let stage = try Stage(
      """
      steps:
        - together:
            - [{ after: 2s, note: A }, { after: 2s, note: B }]
            - [{ after: 3s, note: C }]
        - note: D
      """)
    stage.pass(.seconds(60))
    #expect(stage.log == ["2s note A", "3s note C", "4s note B", "4s note D", "4s end"])
  }

  @Test("One of several choices is chosen") func oneSeveralChosen() throws {
    var chosen: Set<String> = []
    for seed in 1...40 as ClosedRange<UInt64> {
      let stage = try Stage("steps: [{ choose: [[{ note: A }], [{ note: B }], [{ note: C }]] }]", seed: seed)
      chosen.insert(stage.log[0])
      #expect(stage.log.count == 2)
    }
    #expect(chosen.count == 3)
  }

  @Test("A rule fires each time its condition becomes true, and doesn't prevent the scenario's end")
  func ruleFiresTime() throws {
    let stage = try Stage(
      "steps: [{ whenever: { characteristic: Door, is: open }, do: [{ after: 1s, press: Bell }] }, { after: 20s }]",
      values: ["Door": .integer(1)])
    stage.set("Door", .integer(0))
    stage.pass(.seconds(5))
    stage.set("Door", .integer(1))
    stage.set("Door", .integer(0))
    stage.pass(.seconds(60))
    #expect(stage.log == ["1s press", "6s press", "20s end"])
  }

  @Test("A rule for an event fires for each occurrence") func ruleEventFires() throws {
    let stage = try Stage("steps: [{ whenever: { event: paired }, do: [{ press: Bell }] }, { after: 20s }]")
    for _ in 1...3 { stage.hear("paired", ["controller": "X"]) }
    stage.hear("unpaired", ["controller": "X"])
    stage.pass(.seconds(60))
    #expect(stage.log == ["0s press", "0s press", "0s press", "20s end"])
  }

  // MARK: Expectations

  @Test("A condition that already holds is fulfilled at once") func soNotWaited() throws {
    let stage = try Stage("steps: [{ expect: { characteristic: Door, is: open } }]", values: ["Door": .integer(0)])
    #expect(stage.log == ["0s end"])
    let failing = try Stage("steps: [{ expect: { characteristic: Door, is: open } }]", values: ["Door": .integer(1)])
    failing.pass(.zero)
    #expect(failing.failure?.message == "expected: Door is \"open\"; Door is 1")
  }

  @Test(
    "Values are compared",
    arguments: [
      ("is: 5", true), ("is: 6", false), ("not: 5", false), ("not: 6", true), ("at-least: 5", true),
      ("at-least: 5.5", false), ("at-most: 5", true), ("at-most: 4", false), ("at-least: 1, at-most: 9", true),
    ])
  func valuesCompared(test: String, isSo: Bool) throws {
    let stage = try Stage("steps: [{ expect: { characteristic: Level, \(test) } }]", values: ["Level": .integer(5)])
    stage.pass(.zero)
    #expect((stage.failure == nil) == isSo)
  }

  @Test("In comparisons of numbers, true is 1") func trueNumbersCompared() throws {
    let stage = try Stage("steps: [{ expect: { characteristic: On, is: 1 } }]", values: ["On": .bool(true)])
    stage.pass(.zero)
    #expect(stage.failure == nil)
  }

  @Test("An event matches by its members, its characteristic and its value") func eventFitsMembers() throws {
    let text =
      "steps: [{ expect: { event: wrote, characteristic: Door, value: open, controller: 'A*' }, within: 5s }]"
    let good: [String: Value] = ["aid": 1, "iid": 4, "value": 0, "controller": "ABC"]
    func log(_ members: [String: Value], event: String = "wrote", of accessory: String = "Fake") throws -> [String] {
      let stage = try Stage(text, values: ["Door": .integer(1)])
      stage.hear(event, of: accessory, members)
      stage.pass(.seconds(6))
      return stage.log
    }
    #expect(try log(good) == ["0s end"])
    #expect(try log(good, event: "changed") == ["5s failed"])
    #expect(try log(good, of: "Other") == ["5s failed"])
    for (name, other) in ["aid": 2, "iid": 5, "value": 1, "controller": "B"] as [String: Value] {
      #expect(try log(good.merging([name: other]) { $1 }) == ["5s failed"], "\(name)")
    }
  }

  @Test("A forbidden event fails the step at once; otherwise the step takes its full time") func mustNotCome() throws {
    let text = "steps: [{ never: { event: unpaired }, for: 10s }, { note: Over }]"
    let quiet = try Stage(text)
    quiet.hear("paired")
    quiet.pass(.seconds(60))
    #expect(quiet.log == ["10s note Over", "10s end"])
    let loud = try Stage(text)
    loud.pass(.seconds(3))
    loud.hear("unpaired")
    #expect(loud.failure?.message == "event \"unpaired\": must not occur, but occurred after 3s")
    #expect(loud.failure?.log.map(\.text) == ["something"])
  }

  @Test("An event caused by a command counts, even if it arrives before the command is answered")
  func commandBringsAbout() throws {
    let text =
      "steps: [{ press: Door }, { expect: { event: told }, within: 5s }, { expect: { event: told }, within: 5s }]"
    let file = ScenarioFile(Array(text.utf8), file: "", commands: .all)
    let scenario = try #require(file.scenario)
    let machine = ScenarioMachine(scenario, in: FakeWorld(), holdsTime: false) { 0 }
    let told = ScenarioEvent("told", accessory: "Fake", members: [], text: "told")
    machine.start(at: .zero)
    machine.heard(told, at: .zero)
    machine.answered(1, nil, at: .zero)
    _ = machine.takeActions()
    // Each event counts once: the second expectation waits for another.
    machine.advance(to: .seconds(4))
    #expect(machine.takeActions() == [])
    machine.heard(told, at: .seconds(4))
    #expect(machine.takeActions() == [.end])
  }

  @Test("Events before a pause don't count after it") func happenedBeforePause() throws {
    let stage = try Stage("steps: [{ after: 1s }, { expect: { event: paired }, within: 5s }]")
    stage.hear("paired")
    stage.pass(.seconds(10))
    #expect(stage.log == ["6s failed"])
  }

  @Test("all needs each condition, any needs one") func any() throws {
    let all = try Stage("steps: [{ expect: { all: [{ event: paired }, { event: verified }] }, within: 5s }]")
    all.hear("verified")
    #expect(all.log == [])
    all.hear("paired")
    #expect(all.log == ["0s end"])
    let any = try Stage("steps: [{ expect: { any: [{ event: paired }, { event: verified }] }, within: 5s }]")
    any.hear("verified")
    #expect(any.log == ["0s end"])
  }

  @Test("A refused command and an unknown characteristic fail the scenario, with the place")
  func refusedCommandUnknown() throws {
    let refused = try Stage("steps:\n  - { after: 1s, reboot: Door }")
    refused.refused = ["reboot"]
    refused.pass(.seconds(2))
    #expect(refused.failure?.message == "the command was refused: not here")
    #expect(refused.failure?.place == JSONPlace(line: 2, column: 5))
    let unknown = try Stage("steps:\n  - expect: { characteristic: Nothing, is: 1 }")
    #expect(unknown.failure?.message == "there is no characteristic \"Nothing\"")
    let word = try Stage(
      "steps:\n  - expect: { characteristic: Door, is: opne }", values: ["Door": .integer(1)])
    #expect(word.failure?.message == "no value is named \"opne\"")
  }

  @Test("A scenario ends at its limit") func scenarioHasLimit() throws {
    let stage = try Stage("limit: 1min\nsteps: [{ after: 2min }]")
    stage.pass(.seconds(200))
    #expect(stage.failure?.message == "the scenario is not finished after 1min")
    #expect(stage.failure?.time == .seconds(60))
  }

  @Test("The steps of a rule see the events of their command") func rulesRemember() throws {
    let text =
      "steps: [{ whenever: { event: paired }, do: [{ press: Door }, { expect: { event: told }, within: 5s }, { note: A }] }, { after: 1h }]"
    let scenario = try #require(ScenarioFile(Array(text.utf8), file: "", commands: .all).scenario)
    let machine = ScenarioMachine(scenario, in: FakeWorld(), holdsTime: true) { 0 }
    func event(_ name: String) -> ScenarioEvent { ScenarioEvent(name, accessory: "Fake", members: [], text: name) }
    machine.start(at: .zero)
    machine.heard(event("paired"), at: .zero)
    machine.heard(event("told"), at: .zero)
    _ = machine.takeActions()
    machine.answered(1, nil, at: .zero)
    #expect(machine.takeActions() == [.note("A")])
  }

  @Test("Parallel lists see earlier events, and the steps after them don't see theirs") func sideBySide()
    throws
  {
    let text =
      "steps: [{ press: Door }, { together: [[{ expect: { event: told }, within: 5s }]] }, { expect: { event: told }, within: 5s }]"
    let scenario = try #require(ScenarioFile(Array(text.utf8), file: "", commands: .all).scenario)
    let machine = ScenarioMachine(scenario, in: FakeWorld(), holdsTime: false) { 0 }
    machine.start(at: .zero)
    machine.heard(ScenarioEvent("told", accessory: "Fake", members: [], text: ""), at: .zero)
    machine.answered(1, nil, at: .zero)
    _ = machine.takeActions()
    #expect(machine.nextDeadline == .seconds(5))
    machine.advance(to: .seconds(5))
    #expect(machine.isOver)
  }

  @Test("A rule with conditions and events doesn't fire again while a condition holds") func mixedRule() throws {
    let stage = try Stage(
      "steps: [{ whenever: { any: [{ characteristic: Door, is: open }, { event: paired }] }, do: [{ note: A }] }, { after: 9s }]",
      values: ["Door": .integer(0)])
    stage.pass(.seconds(5))
    #expect(stage.log == ["0s note A"])
    stage.set("Door", .integer(1))
    stage.hear("paired")
    stage.pass(.seconds(20))
    #expect(stage.log == ["0s note A", "5s note A", "9s end"])
  }

  @Test("Many legitimate firings of a rule are not treated as endless") func honest() throws {
    let stage = try Stage("steps: [{ whenever: { event: paired }, do: [{ press: Door }] }, { after: 9s }]")
    for _ in 0..<40_000 { stage.hear("paired") }
    #expect(stage.failure == nil && stage.log.count == 40_000)
  }

  @Test("The number of parallel branches is limited") func bounded() throws {
    let stage = try Stage("steps: [{ every: 1ms, do: [{ whenever: { event: paired }, do: [{ note: A }] }] }]")
    stage.pass(.seconds(5))
    #expect(stage.failure?.message == "more than 1000 branches run at the same time")
  }

  @Test("An unknown accessory fails the step") func unknownAccessory() throws {
    let stage = try Stage("steps: [{ expect: { event: restarted, accessory: Fakee } }]")
    #expect(stage.failure?.message == "there is no accessory \"Fakee\"")
  }

  // MARK: Held time

  @Test("Jumping time stops during a wait for a controller, because controllers use real time")
  func timeJumpsStands() throws {
    let text = "steps: [{ expect: { event: paired }, within: 5s }, { after: 1h, note: Later }]"
    let stage = try Stage(text, holdsTime: true)
    #expect(stage.machine.awaitsController)
    #expect(stage.machine.nextDeadline == nil)
    #expect(stage.machine.controllerWaits.map(\.limit) == [.seconds(5)])
    stage.hear("paired")
    #expect(!stage.machine.awaitsController)
    stage.pass(.seconds(3600))
    #expect(stage.log == ["3600s note Later", "3600s end"])
    let late = try Stage(text, holdsTime: true)
    late.loseController()
    #expect(late.failure?.message == "expected within 5s: event \"paired\"; it didn't happen")
  }

  @Test("Jumping time doesn't stop during a wait for a device") func timeJumpsDoes() throws {
    let stage = try Stage("steps: [{ expect: { event: changed }, within: 5s }]", holdsTime: true)
    #expect(!stage.machine.awaitsController)
    #expect(stage.machine.nextDeadline == .seconds(5))
  }
}
