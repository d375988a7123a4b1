import HAPPreparation
import HAPCommandLine
import HAPHost
import HAPModel
import HAPScenario
import HAPWire

/// A trial that tests how controllers react to lost connections, a restart, late answers, duplicate events, another
/// `c#`, a missing network, and refused connections.
struct ControllerTrial {
  private let accessories: [Tried]
  /// The time that a controller has for each required action.
  private let patience: Duration

  struct Tried {
    var name: String
    /// Two values of a characteristic that supports subscriptions; nil if the accessory has none.
    var change: (id: AttributeID, values: [Value])?
  }

  /// - Parameter accessories: the accessories, which must have different names.
  init(_ accessories: [Tried], patience: Duration) {
    self.accessories = accessories
    self.patience = patience
  }

  init(of accessories: [PreparedAccessory], patience: Duration) {
    self.init(accessories.map { Tried(name: $0.name, change: Self.change(in: $0.database)) }, patience: patience)
  }

  static func change(in database: AttributeDatabase) -> (id: AttributeID, values: [Value])? {
    for slot in database.characteristics.indices {
      let characteristic = database.characteristics[slot]
      guard characteristic.perms.isSuperset(of: [.events, .pairedRead]) else { continue }
      let value = characteristic.value
      let others: [Value] = [.bool(true), .bool(false)] + (0...100).map { .integer($0) }
      guard let other = others.first(where: { $0 != value && characteristic.allows($0) }), characteristic.allows(value)
      else { continue }
      return (database.id(ofSlot: slot), [other, value])
    }
    return nil
  }

  /// - Throws: if the text is not a valid scenario. Only a name that YAML can't represent causes this.
  var loaded: LoadedScenario {
    get throws(UsageError) {
      let file = ScenarioFile(Array(text.utf8), file: "the trial", commands: .all)
      guard let scenario = file.scenario else {
        throw UsageError("the trial can't be created: \(file.problems.first.map { "\($0)" } ?? "it is not a scenario")")
      }
      return LoadedScenario(file: "the trial", scenario: scenario)
    }
  }

  /// The text of the scenario. It begins after the first Pair Verify, with time for other controllers to verify.
  var text: String {
    "scenario: Trial of controllers\nsteps:\n  - when: { event: verified }\n  - after: \(turn)\n  - together:\n"
      + accessories.map(steps).joined()
  }

  /// The time of a step, slightly longer than a controller's time limit. A missing action is then already reported.
  private var turn: String { (patience + .seconds(1)).shortText }

  private func steps(of accessory: Tried) -> String {
    let name = quoted(accessory.name)
    var lines: [String] = ["- - note: \(quoted("\(accessory.name): the trial begins"))"]
    func step(_ note: String, _ actions: [String], then rest: String) {
      lines +=
        ["  - note: \(quoted("\(accessory.name): \(note)"))"] + actions.map { "  - \($0)" } + ["  - after: \(rest)"]
    }
    func fault(_ fault: String, _ actions: [String] = [], for time: String) -> [String] {
      let own = fault.prefix { $0 != ":" }
      return ["fault: { accessory: \(name), fault: \(quoted(fault)) }"] + actions
        + ["{ after: \(time), fault: { accessory: \(name), fault: \(own), value: false } }"]
    }
    step("its connections are lost", ["disconnect: { accessory: \(name) }"], then: turn)
    step("it restarts", ["reboot: { accessory: \(name) }"], then: turn)
    step("its answers to reads are late", fault("delay-message:message=read:by=4s", for: "10s"), then: "1s")
    if let change = accessory.change {
      let actions = change.values.map { value in
        let text = JSONWriter.text { value.write(to: &$0) }
        return
          "{ after: 500ms, set: { accessory: \(name), characteristic: \(quoted("\(change.id)")), value: \(text) } }"
      }
      step("its events are sent twice", fault("double-events", actions, for: "2s"), then: "1s")
    }
    step("the c# of its record changes", fault("wrong-config-number:number=60001", for: turn), then: "1s")
    step("it is off the network", fault("off-network", for: "5s"), then: turn)
    step(
      "it refuses connections", fault("refuse", ["disconnect: { accessory: \(name) }"], for: "5s"), then: turn)
    return lines.map { "      \($0)\n" }.joined()
  }

  /// Returns the text as JSON, which is also YAML except for characters that YAML doesn't permit unescaped.
  private func quoted(_ text: String) -> String {
    JSONWriter.text { $0.string(text) }.unicodeScalars.map { scalar in
      switch scalar.value {
      case 0x7F...0x9F, 0xFEFF, 0xFFFE, 0xFFFF:
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: return String(scalar)
      }
    }.joined()
  }
}
