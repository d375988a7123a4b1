import HAPLoop
import HAPModel
import HAPScenario
import HAPVocabulary
import HAPWire
import Synchronization
import Testing
@testable import HAPCommands
@testable import HAPHost

@Suite("Scenarios of served accessories") struct ScenarioTests {
  /// Plays a scenario to its end, and returns its notes, its result and its time.
  private func play(
    _ text: String, _ profiles: [String] = [ProfileText.garage], pace: SimulationClock.Pace = .jumping
  ) async throws -> (notes: [String], failure: ScenarioFailure?, now: Duration, events: [SimulatorEvent]) {
    let file = ScenarioFile(Array(text.utf8), file: "s.yaml", commands: .all)
    #expect(file.problems == [])
    let scenario = try #require(file.scenario)
    let served = try await ServedSimulation(profiles, pace: pace)
    let (simulation, loop) = (served.simulation, served.loop)
    let dispatcher = served.commands
    let notes = Mutex<[String]>([])
    let run = OnThread<ScenarioRun?>(nil)
    let (failure, now): (ScenarioFailure?, Duration) = await withCheckedContinuation { continuation in
      loop.schedule {
        let played = ScenarioRun(scenario, on: simulation, dispatcher, seed: 1)
        run.value = played
        played.onNote = { text, now in notes.withLock { $0.append("\(now.shortText) \(text)") } }
        played.onEnd = { outcome, now in
          if case .failed(let failure) = outcome {
            continuation.resume(returning: (failure, now))
          } else {
            continuation.resume(returning: (nil, now))
          }
        }
        served.listener.withLock { $0 = { event in run.value?.hear(event) } }
        played.start()
      }
    }
    try await served.onLoop { run.value = nil }
    let events = served.events.withLock { $0 }
    try await served.stop()
    return (notes.withLock { $0 }, failure, now, events)
  }

  @Test("The event vocabulary equals the simulator's, name by name and member by member") func vocabulary() throws {
    let id = AttributeID(aid: 1, iid: 9)
    let named = SimulatorEvent.NamedCharacteristic(id: id, name: "On")
    let value = SimulatorEvent.NamedValue(characteristic: named, value: true, word: nil, unit: nil)
    let subscription = MatterSubscription(id: 1, controller: "", attributes: 1, events: 0, minimum: 0, maximum: 60)
    let kinds: [SimulatorEvent.Kind] = [
      .added, .removed, .connected(peer: ""), .disconnected(peer: ""), .paired(controller: "", isAdmin: true),
      .unpaired(controller: ""),
      .verified(controller: ""), .wrote(value, controller: ""), .subscribed(named, controller: ""),
      .unsubscribed(named, controller: ""), .told(value, controller: ""), .changed(value),
      .identified(aid: 1, for: .zero),
      .refused(peer: "", request: "", reason: ""), .slow([]), .reconfigured(configurationNumber: 2), .radio(isOn: true),
      .fault(name: "", text: "", isOn: true),
      .reachable(aid: 2, name: "", true), .restarted(.reboot), .advertised(name: ""), .renamed(from: "", to: ""),
      .announced(true), .stopped, .moved([]), .selfCheck(name: "", isVisible: true),
      .trouble(""),
      .matter(
        .windowOpened(
          MatterWindow(kind: .basic, discriminator: 1, remaining: .seconds(9), fabric: 1, codes: nil))),
      .matter(.windowClosed(.expired)), .matter(.subscriptionBegan(subscription)),
      .matter(.subscriptionEnded(subscription, reason: "")),
    ]
    for kind in kinds {
      let event = SimulatorEvent(accessory: "A", kind)
      let json = try JSONNode.parse(JSONWriter.bytes { json in json.object { event.write(to: &$0) } })
      let vocabulary = try #require(EventVocabulary[event.name], "\(event.name)")
      let names = Set((json.members ?? []).map(\.name))
      #expect(vocabulary.members.allSatisfy { names.contains($0) }, "\(event.name): \(names)")
      #expect(vocabulary.hasCharacteristic == (names.contains("iid")), "\(event.name)")
      #expect(vocabulary.hasValue == names.contains("value"), "\(event.name)")
    }
    #expect(Set(kinds.map { SimulatorEvent(accessory: "", $0).name }) == Set(EventVocabulary.all.map(\.name)))
  }

  @Test(
    "A scenario's event has the members of the event's JSON, with the same values",
    arguments: [
      Value.bool(true), .integer(-3), .float(21.5), .float(20), .float(.nan), .string("a\u{1}"), .data([1, 2, 3]),
      .null,
    ])
  func members(_ value: Value) throws {
    let named = SimulatorEvent.NamedValue(
      characteristic: .init(id: AttributeID(aid: 1, iid: 9), name: "On"), value: value, word: "word", unit: nil)
    for kind in [
      .told(named, controller: "C"), .identified(aid: 2, for: .milliseconds(1500)),
      .paired(controller: "C", isAdmin: true),
      .reachable(aid: 2, name: "L", false), .slow([named.characteristic]), .moved(["::1"]),
    ] as [SimulatorEvent.Kind] {
      let event = SimulatorEvent(accessory: "A", kind)
      let json = try JSONNode.parse(JSONWriter.bytes { json in json.object { event.write(to: &$0) } })
      let scenarioEvent = ScenarioEvent(event)
      let members = scenarioEvent.members.map { "\($0.name): \($0.value)" }
      let written = (json.members ?? []).compactMap { member in
        Value(written: member.value).map { "\(member.name): \($0)" }
      }
      #expect(["event: \(Value.string(event.name))", "accessory: \(Value.string("A"))"] + members == written)
      #expect(scenarioEvent.name == event.name && scenarioEvent.accessory == "A")
    }
  }

  @Test("A scenario has the simulator's commands, except queries and commands about time") func commands() {
    let all = Set(ScenarioCommands.all.names)
    #expect(Set(CommandName.words).subtracting(all) == ["advance", "list", "status", "stop"])
    #expect(all.subtracting(ScenarioCommands.withoutFiles.names) == ["add", "replace"])
  }

  @Test("Waiting for a moving door takes simulated time, not real time") func door() async throws {
    let (notes, failure, now, _) = try await play(
      """
      steps:
        - { after: 6h, set: { characteristic: TargetDoorState, value: open } }
        - { when: { characteristic: CurrentDoorState, is: open }, within: 1min, note: Open }
        - { after: 1000h, note: Later }
      """)
    #expect(failure == nil)
    #expect(notes.count == 2 && notes[1].hasSuffix("Later"))
    #expect(now > .seconds(1006 * 3600))
  }

  @Test("A fast run has the same results as one in real time") func paces() async throws {
    let text = """
      steps:
        - { after: 10s..20s, set: { characteristic: TargetDoorState, value: open } }
        - { when: { event: changed, characteristic: CurrentDoorState, value: open }, note: Open }
      """
    let jumping = try await play(text)
    let running = try await play(text, pace: .running(scale: 2000))
    #expect(jumping.failure == nil && running.failure == nil)
    let values: ([SimulatorEvent]) -> [String] = { $0.map(\.text) }
    #expect(values(jumping.events) == values(running.events))
  }

  @Test("A restart is complete before the next step, and takes no simulated time") func restart() async throws {
    let (notes, failure, now, events) = try await play(
      "steps: [{ after: 5s, reboot: Garage }, { expect: { event: restarted, by: reboot } }, { note: Back }]")
    #expect(failure == nil)
    #expect(notes == ["5s Back"])
    #expect(now == .seconds(5))
    #expect(events.contains { $0.kind == .restarted(.reboot) })
  }

  @Test("A failure reports the present value, in the catalogue's names") func failure() async throws {
    let played = try await play(
      "steps:\n  - expect: { characteristic: CurrentDoorState, is: open }\n    within: 2s")
    #expect(
      played.failure?.message == "expected within 2s: CurrentDoorState is \"open\"; Current Door State is closed (1)")
    #expect(played.failure?.time == .seconds(2))
    #expect(played.now == .seconds(2))
  }

  @Test(
    "A step with an unknown name fails",
    arguments: [
      ("expect: { characteristic: Nonsense, is: 1 }", "Nonsense"),
      ("expect: { accessory: Unknown, characteristic: CurrentDoorState, is: open }", "Unknown"),
      ("expect: { characteristic: CurrentDoorState, is: ajar }", "ajar"),
      ("set: { characteristic: TargetDoorState, value: ajar }", "ajar"),
      ("reboot: Unknown", "Unknown"),
      ("set: { characteristic: TargetDoorState, value: 7 }", "maxValue"),
    ])
  func unknown(step: String, word: String) async throws {
    let played = try await play("steps:\n  - { after: 1s }\n  - \(step)")
    let message = try #require(played.failure?.message)
    #expect(message.contains(word), "\(message)")
    #expect(played.failure?.place.line == 3)
    #expect(played.now == .seconds(1))
  }

  @Test("Jumping time can't be advanced by other commands") func advance() async throws {
    let served = try await ServedSimulation([ProfileText.garage], pace: .jumping)
    #expect(try await served.refusal("advance", "\"duration\": \"1s\"") == "not-possible: the scenario controls time")
    try await served.stop()
  }

  @Test("A recording is a scenario, and reproduces the events") func recording() async throws {
    let served = try await ServedSimulation([ProfileText.garage])
    let recorder = try await served.onLoop { [served] in
      OnThread(ScenarioRecorder(served.simulation.clock, expects: false))
    }
    var text = ScenarioRecorder.head(profiles: ["a \"b\".hasaccessory"], seed: 3)
    let commands = [
      #"{"id": 4, "command": "set", "characteristic": "TargetDoorState", "value": "open"}"#,
      #"{"command": "list"}"#, #"{"command": "reboot"}"#,
    ]
    for command in commands {
      let command = try SimulatorCommand(json: Array(command.utf8))
      text += try await served.onLoop { recorder.value.lines(for: command) }
    }
    let named = SimulatorEvent.NamedCharacteristic(id: AttributeID(aid: 1, iid: 10), name: "Name\nwith: a \u{85}line")
    let value = SimulatorEvent.NamedValue(characteristic: named, value: "a\u{7f}\u{85}b", word: nil, unit: nil)
    text += try await served.onLoop {
      recorder.value.lines(for: SimulatorEvent(accessory: "Garage", .wrote(value, controller: "A\nB")))
        + recorder.value.lines(for: SimulatorEvent(accessory: "Garage", .paired(controller: "A", isAdmin: true)))
    }
    let file = ScenarioFile(Array(text.utf8), file: "r.yaml", commands: .all)
    #expect(file.problems == [], "\(text)")
    let scenario = try #require(file.scenario)
    #expect(scenario.steps.count == 4 && scenario.seed == 3)
    let again = scenario.steps.compactMap { step -> String? in
      guard case .command(let step) = step.action else { return nil }
      return step.command.text
    }
    #expect(
      again == [
        #"{"command":"set","characteristic":"TargetDoorState","value":"open"}"#, #"{"command":"reboot"}"#,
        "{\"command\":\"set\",\"accessory\":\"Garage\",\"characteristic\":\"1.10\",\"value\":\"a\u{7f}\u{85}b\"}",
      ])
    try await served.stop()
  }

  @Test("A recording without events is a valid scenario") func emptyRecording() async throws {
    let text = ScenarioRecorder.head(profiles: [], seed: nil)
    #expect(ScenarioFile(Array(text.utf8), file: "r.yaml", commands: .all).problems == [])
  }
}
