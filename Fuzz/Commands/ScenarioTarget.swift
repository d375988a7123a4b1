import FuzzSupport
import HAPIP
import HAPModel
import HAPScenario
import HAPVocabulary
import HAPWire

/// Reads a scenario file and, after a zero byte, plays it with a series of events. Every error in the file has its place, and a valid
/// scenario ends or waits, whatever happens.
package func fuzzScenario(_ bytes: UnsafeRawBufferPointer) {
  let parts = [UInt8](bytes).split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let file = ScenarioFile([UInt8](parts[0]), file: "fuzz.yaml", commands: .all)
  for problem in file.problems {
    require(problem.place.line >= 1 && problem.place.column >= 1 && !problem.message.isEmpty)
  }
  guard let scenario = file.scenario else { return require(!file.problems.isEmpty) }
  let happenings = parts.count > 1 ? [UInt8](parts[1]) : [1, 2, 3, 4, 5, 6]
  for holdsTime in [false, true] { play(scenario, happenings, holdsTime: holdsTime) }
}

private func play(_ scenario: Scenario, _ happenings: [UInt8], holdsTime: Bool) {
  let world = FuzzedScenarioWorld()
  var chance: UInt64 = 1
  let machine = ScenarioMachine(scenario, in: world, holdsTime: holdsTime) {
    chance = chance &* 6_364_136_223_846_793_005 &+ 1
    return chance
  }
  var now = Duration.zero
  var ends = 0
  var tickets: [Int] = []
  func look() {
    for action in machine.takeActions() {
      require(ends == 0)
      switch action {
      case .perform(_, let ticket): tickets.append(ticket)
      case .note: break
      case .fail(let failure):
        require(!failure.message.isEmpty && !failure.text(file: "f").isEmpty)
        ends += 1
      case .end: ends += 1
      }
    }
    require((ends > 0) == machine.isOver)
  }
  machine.start(at: now)
  for byte in happenings.prefix(200) where ends == 0 {
    look()
    switch byte % 8 {
    case 0: if let ticket = tickets.popLast() { machine.answered(ticket, byte < 16 ? "no" : nil, at: now) }
    case 1, 2: if let ticket = tickets.popLast() { machine.answered(ticket, nil, at: now) }
    case 3:
      world.value = .integer(Int128(byte))
      machine.heard(event("changed", byte), at: now)
    case 4: machine.heard(event(EventVocabulary.all[Int(byte) % EventVocabulary.all.count].name, byte), at: now)
    case 5: if let number = machine.controllerWaits.first?.number { machine.controllerIsLate(number) }
    default:
      if let deadline = machine.nextDeadline {
        now = max(now, deadline)
      } else {
        now += .seconds(Int64(byte))
      }
      machine.advance(to: now)
    }
  }
  look()
}

private func event(_ name: String, _ byte: UInt8) -> ScenarioEvent {
  ScenarioEvent(
    name, accessory: "A",
    members: [("aid", 1), ("iid", 9), ("value", .integer(Int128(byte))), ("controller", "C")], text: name)
}

/// A world with one characteristic, which any selector matches.
private final class FuzzedScenarioWorld: ScenarioWorld {
  var value = Value.integer(0)

  func subject(
    _ selector: CharacteristicSelector, of accessory: AccessorySelector?
  ) throws(ScenarioTrouble) -> ScenarioSubject {
    guard !selector.text.isEmpty else { throw ScenarioTrouble("it has no name") }
    return ScenarioSubject(accessory: "A", aid: 1, iid: 9, name: "On")
  }

  func place(_ accessory: AccessorySelector) throws(ScenarioTrouble) -> ScenarioPlace {
    ScenarioPlace(accessory: "A", aid: nil)
  }
  func value(of subject: ScenarioSubject) -> Value? { value }
  func text(of value: Value, for subject: ScenarioSubject) -> String { "a value" }
  func meaning(of value: Value, for subject: ScenarioSubject) throws(ScenarioTrouble) -> Value { value }
}
