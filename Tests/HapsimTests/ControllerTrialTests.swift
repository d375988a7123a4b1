import HAPModel
import HAPWire
import Testing

@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

@Suite("The trial of controllers")
struct ControllerTrialTests {
  @Test(
    "The trial is a valid scenario, whatever the accessory's name",
    arguments: [
      "Lamp", "a \"b\" \\ c: #1 {x} - 'y' | > & * ! % @ `", "日本 🚪", "é\u{2028}\u{85}x", "\u{7f}\u{1}", "- yes",
      "\u{FFFE}", "\u{FEFF}x\u{FFFF}", "null",
      "1",
      String(repeating: "x", count: 64),
    ])
  func names(name: String) throws {
    let tried = ControllerTrial.Tried(name: name, change: (AttributeID(aid: 1, iid: 9), [.bool(true), .integer(7)]))
    let trial = ControllerTrial(
      [tried, ControllerTrial.Tried(name: "Other", change: nil)], patience: .milliseconds(1500))
    let loaded = try trial.loaded
    #expect(loaded.scenario.name == "Trial of controllers")
    // In parallel, each with its own steps.
    #expect(loaded.scenario.steps.count == 3)
    #expect(trial.text.contains("after: 2500ms"))
  }

  @Test("A value changes to another valid one, and back")
  func change() throws {
    func found(_ characteristic: Characteristic) throws -> [Value]? {
      let service = Service(iid: 8, type: ServiceDefinition.lightBulb.type, characteristics: [characteristic])
      return ControllerTrial.change(in: try AttributeDatabase([Accessory(aid: 1, services: [service])]))?.values
    }
    func characteristic(_ format: Format, _ value: Value, _ constraints: Constraints = Constraints()) -> Characteristic
    {
      Characteristic(
        iid: 9, type: CharacteristicDefinition.on.type, format: format, perms: [.pairedRead, .events], value: value,
        constraints: constraints)
    }
    #expect(try found(characteristic(.bool, .bool(true))) == [.bool(false), .bool(true)])
    #expect(
      try found(characteristic(.uint8, .integer(0), Constraints(validValues: [0, 3]))) == [.integer(3), .integer(0)])
    #expect(try found(characteristic(.string, .string("x"))) == nil)
    var silent = characteristic(.bool, .bool(true))
    silent.perms = [.pairedRead]
    #expect(try found(silent) == nil)
  }
}
