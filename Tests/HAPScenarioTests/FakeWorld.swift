import HAPIP
import HAPModel
import HAPVocabulary
import HAPWire
import Testing

@testable import HAPScenario

/// Characteristics by name, with values from the test. For all of them, "open" means 0 and "closed" 1.
final class FakeWorld: ScenarioWorld {
  var values: [String: Value] = [:]

  func subject(
    _ selector: CharacteristicSelector, of accessory: AccessorySelector?
  ) throws(ScenarioTrouble) -> ScenarioSubject {
    let name = selector.text
    guard values[name] != nil else { throw ScenarioTrouble("there is no characteristic \"\(name)\"") }
    return ScenarioSubject(accessory: "Fake", aid: 1, iid: UInt64(name.count), name: name)
  }

  func place(_ accessory: AccessorySelector) throws(ScenarioTrouble) -> ScenarioPlace {
    guard accessory == .name("Fake") else { throw ScenarioTrouble("there is no accessory \(accessory)") }
    return ScenarioPlace(accessory: "Fake", aid: nil)
  }

  func value(of subject: ScenarioSubject) -> Value? { values[subject.name] }

  func text(of value: Value, for subject: ScenarioSubject) -> String { value.writtenText }

  func meaning(of value: Value, for subject: ScenarioSubject) throws(ScenarioTrouble) -> Value {
    switch value.stringValue {
    case "open": .integer(0)
    case "closed": .integer(1)
    case let word?: throw ScenarioTrouble("no value is named \"\(word)\"")
    case nil: value
    }
  }
}

/// A scenario with a manual clock: the test advances time.
final class Stage {
  let world = FakeWorld()
  let machine: ScenarioMachine
  private(set) var now = Duration.zero
  /// All actions with their times: "2s press", "3s note Hello", "end".
  private(set) var log: [String] = []
  private(set) var failure: ScenarioFailure?
  /// The commands to refuse.
  var refused: Set<String> = []

  init(
    _ steps: String, values: [String: Value] = [:], holdsTime: Bool = false, seed: UInt64 = 1,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = ScenarioFile(Array(steps.utf8), file: "test.yaml", commands: .all)
    #expect(file.problems == [], sourceLocation: sourceLocation)
    let scenario = try #require(file.scenario, sourceLocation: sourceLocation)
    world.values = values
    var state = seed
    machine = ScenarioMachine(scenario, in: world, holdsTime: holdsTime) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state
    }
    machine.start(at: .zero)
    perform()
  }

  private func perform() {
    while true {
      let actions = machine.takeActions()
      if actions.isEmpty { return }
      for action in actions {
        switch action {
        case .perform(let command, let ticket):
          let name = command.name.rawValue
          log.append("\(now.shortText) \(name)")
          machine.answered(ticket, refused.contains(name) ? "not here" : nil, at: now)
        case .note(let text): log.append("\(now.shortText) note \(text)")
        case .fail(let failure):
          self.failure = failure
          log.append("\(now.shortText) failed")
        case .end: log.append("\(now.shortText) end")
        }
      }
    }
  }

  /// Advances time, from one deadline to the next.
  func pass(_ duration: Duration) {
    let end = now + duration
    while let deadline = machine.nextDeadline, deadline <= end {
      now = max(now, deadline)
      machine.advance(to: now)
      perform()
    }
    now = end
  }

  func set(_ name: String, _ value: Value) {
    world.values[name] = value
    hear("changed", ["aid": 1, "iid": .integer(Int128(name.count)), "value": value])
  }

  func hear(_ event: String, of accessory: String = "Fake", _ members: [String: Value] = [:]) {
    machine.heard(
      ScenarioEvent(event, accessory: accessory, members: members.map { ($0, $1) }, text: "something"), at: now)
    perform()
  }

  func loseController() {
    if let number = machine.controllerWaits.first?.number { machine.controllerIsLate(number) }
    perform()
  }
}
