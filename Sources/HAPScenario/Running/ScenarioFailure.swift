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

extension Duration {
  /// "0:00:12.500", and days in front of it where there are any.
  package var clockText: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    func padded(_ number: Int64, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let seconds = milliseconds / 1000
    let days = seconds / 86_400
    return (days > 0 ? "\(days)d " : "")
      + "\(seconds / 3600 % 24):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2)).\(padded(milliseconds % 1000, 3))"
  }
}
