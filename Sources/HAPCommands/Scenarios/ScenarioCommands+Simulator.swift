import HAPHost
import HAPScenario
import HAPWire

extension ScenarioCommands {
  /// All that accessories can be told, but for what asks, ends the process, or is about time: that is the scenario's own.
  package static let simulator = ScenarioCommands(
    names: names, check: { (node) throws(JSONProblem) in try SimulatorCommand.check(node) })

  /// For who may not have files of this machine read.
  package static let withoutFiles = ScenarioCommands(
    names: names.filter { !SimulatorCommand.namingFiles.contains($0) },
    check: { (node) throws(JSONProblem) in try SimulatorCommand.check(node) })

  private static let names = SimulatorCommand.vocabulary.map(\.name).filter {
    !["advance", "list", "status", "stop"].contains($0)
  }
}
