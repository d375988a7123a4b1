import HAPScenario
import HAPWire

extension ScenarioCommands {
  /// All that accessories can be told, but for what asks, ends the process, or is about time: that is the scenario's own.
  package static let simulator = ScenarioCommands(
    names: SimulatorCommand.vocabulary.map(\.name).filter { !["advance", "list", "status", "stop"].contains($0) },
    check: { (node) throws(JSONProblem) in try SimulatorCommand.check(node) })
}
