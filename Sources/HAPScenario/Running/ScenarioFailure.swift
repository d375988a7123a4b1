import HAPModel
import HAPWire

/// The reason why a scenario failed: the expectation, the actual state, the time, and the preceding events.
package struct ScenarioFailure: Error, Equatable, Sendable {
  package var place: JSONPlace
  /// The simulated time since the scenario began.
  package var time: Duration
  package var message: String
  /// The last events, oldest first.
  package var log: [ScenarioLogEntry]
}

package struct ScenarioLogEntry: Equatable, Sendable {
  package var time: Duration
  package var text: String
}

extension ScenarioFailure {
  /// Returns the failure as text of one or more lines, with the file's name in front.
  package func text(file: String) -> String {
    var lines = ["\(file):\(place): \(message) (at \(time.clockText))"]
    if !log.isEmpty {
      lines.append("before that:")
      lines += log.map { "  \($0.time.clockText)  \($0.text)" }
    }
    return lines.joined(separator: "\n")
  }
}
