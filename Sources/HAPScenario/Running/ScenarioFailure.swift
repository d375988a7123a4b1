import HAPModel
import HAPWire

/// Why a scenario failed: what was expected, what came, when, and what happened before.
package struct ScenarioFailure: Error, Equatable, Sendable {
  package var place: JSONPlace
  /// Simulated time since the scenario began.
  package var time: Duration
  package var message: String
  /// The last that happened, oldest first.
  package var log: [ScenarioLogEntry]
}

package struct ScenarioLogEntry: Equatable, Sendable {
  package var time: Duration
  package var text: String
}

extension ScenarioFailure {
  /// For people, with the file's name in front: as many lines as it takes.
  package func text(file: String) -> String {
    var lines = ["\(file):\(place): \(message) (at \(time.clockText))"]
    if !log.isEmpty {
      lines.append("before that:")
      lines += log.map { "  \($0.time.clockText)  \($0.text)" }
    }
    return lines.joined(separator: "\n")
  }
}
