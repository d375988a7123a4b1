import HAPHost
import HAPIP
import HAPScenario
import HAPVocabulary
import HAPWire

/// A recorder that creates a scenario from commands and from controllers' writes. A write becomes a `set` step.
///
/// Belongs to the loop's thread.
package final class ScenarioRecorder {
  private let clock: SimulationClock
  private let expects: Bool
  private var lastStep = Duration.zero

  /// - Parameter expects: whether a controller's write becomes an `expect` step instead of a `set` step.
  package init(_ clock: SimulationClock, expects: Bool) {
    self.clock = clock
    self.expects = expects
  }

  /// Returns the head of the file, which is already a valid scenario.
  /// - Parameter profiles: the paths of the served profiles.
  package static func head(profiles: [String], seed: UInt64?) -> String {
    var text = "# Written by hapsim record. The comment of each step names its source.\nscenario: Recorded\n"
    if !profiles.isEmpty { text += "# profiles: [\(profiles.map(quoted).joined(separator: ", "))]\n" }
    if let seed { text += "seed: \(seed)\n" }
    return text + "steps:\n  - note: Recorded\n"
  }

  /// Returns the step for a command that is received now; empty if it is not a step.
  package func lines(for command: SimulatorCommand) -> String {
    CommandForm[command.name].isScenarioStep ? step(command, "by a command") : ""
  }

  /// Returns the step for an event; empty if it is not a step.
  package func lines(for event: SimulatorEvent) -> String {
    switch event.kind {
    case .wrote(let written, let controller):
      let id = "\(written.characteristic.id)"
      let told = "\(written), by controller \(controller)"
      guard expects else {
        let command = SimulatorCommand(
          accessory: .name(event.accessory), .set(CharacteristicSelector(id), value: written.value.asWritten))
        return step(command, told)
      }
      let condition = JSONNode.object([
        ("event", .text("wrote")), ("accessory", .text(event.accessory)), ("characteristic", .text(id)),
        ("value", JSONNode(written.value)),
      ])
      // The time limit is the recorded time plus one minute.
      let within = (clock.now - lastStep + .seconds(60)).stepText
      lastStep = clock.now
      return "  - { expect: \(Self.escaped(condition.compactText)), within: \(within) }  # \(commented(told))\n"
    case .paired, .unpaired, .verified, .connected, .disconnected, .identified:
      return "  # \(clock.now.stepText): \(commented(event.text))\n"
    default: return ""
    }
  }

  private func step(_ command: SimulatorCommand, _ comment: String) -> String {
    lastStep = clock.now
    let words = "\(command.name.rawValue): \(Self.escaped(command.membersText))"
    return "  - { at: \(clock.now.stepText), \(words) }  # \(commented(comment))\n"
  }

  private static func quoted(_ text: String) -> String { escaped(JSONWriter.text { $0.string(text) }) }

  /// Returns JSON that is also YAML: YAML permits fewer unescaped characters, and folds some.
  private static func escaped(_ json: String) -> String {
    var text = ""
    for scalar in json.unicodeScalars {
      if isPlain(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0x10000...: true
    case 0x2028, 0x2029: false
    case 0xA0...0xD7FF, 0xE000...0xFFFD: scalar.value != 0xFEFF
    default: false
    }
  }

  /// Returns text without line ends and characters that YAML forbids.
  private func commented(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { Self.isPlain($0) ? $0 : " " }))
  }
}

extension Duration {
  /// The duration in seconds and milliseconds, in the form of a step.
  fileprivate var stepText: String {
    let milliseconds = components.attoseconds / 1_000_000_000_000_000
    if milliseconds == 0 { return "\(components.seconds)s" }
    let digits = String(milliseconds)
    return "\(components.seconds).\(String(repeating: "0", count: 3 - digits.count))\(digits)s"
  }
}
