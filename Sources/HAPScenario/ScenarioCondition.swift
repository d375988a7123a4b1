import HAPIP
import HAPModel
import HAPVocabulary
import HAPWire

/// A condition on a value, or an event.
package indirect enum ScenarioCondition: Sendable {
  case value(ValueCondition)
  case event(EventCondition)
  case any([ScenarioCondition])
  case all([ScenarioCondition])

  /// Whether the condition is an event and not a state.
  package var isEvent: Bool {
    switch self {
    case .value: false
    case .event: true
    case .any(let conditions), .all(let conditions): conditions.contains(where: \.isEvent)
    }
  }
}

/// The words that select a characteristic, as in commands.
package struct CharacteristicWords: Sendable {
  package var accessory: AccessorySelector?
  package var selector: CharacteristicSelector
  package var place: WordPlace
}

/// The words that select an accessory.
package struct AccessoryWords: Sendable {
  package var selector: AccessorySelector
  package var place: WordPlace
}

/// A value as written, possibly a name from the catalogue.
package struct ScenarioValue: Sendable {
  package var value: Value
  package var place: WordPlace
}

/// A condition on a characteristic's value.
package struct ValueCondition: Sendable {
  package enum Test: Sendable {
    case equal(ScenarioValue)
    case different(ScenarioValue)
    case atLeast(Double)
    case atMost(Double)
  }
  package var words: CharacteristicWords
  package var tests: [Test]
  package var place: JSONPlace
}

/// An event of an accessory, as `hapsim run --json` reports it.
package struct EventCondition: Sendable {
  package var name: String
  /// The accessory's name, if the event must be from a certain accessory.
  package var accessory: AccessoryWords?
  /// The characteristic, if the event must concern a certain one.
  package var words: CharacteristicWords?
  package var value: ScenarioValue?
  /// The required values of other members: a text with `*`, a number, true or false.
  package var members: [(name: String, pattern: Value)]
  package var place: JSONPlace
}

extension ScenarioCondition: CustomStringConvertible {
  /// The condition as text, such as "LockCurrentState of \"Front Door\" is \"secured\"".
  package var description: String {
    switch self {
    case .value(let condition): condition.description
    case .event(let condition): condition.description
    case .any(let conditions): conditions.map(\.description).joined(separator: ", or ")
    case .all(let conditions): conditions.map(\.description).joined(separator: ", and ")
    }
  }
}

extension CharacteristicWords: CustomStringConvertible {
  package var description: String {
    var text = selector.text
    if let service = selector.service { text += " of \(service)" }
    if let accessory { text += " of \(accessory)" }
    return text
  }
}

extension ValueCondition: CustomStringConvertible {
  package var description: String {
    let tests = tests.map { test in
      switch test {
      case .equal(let value): "is \(value.value.writtenText)"
      case .different(let value): "is not \(value.value.writtenText)"
      case .atLeast(let least): "is \(JSONNode.number(least).compactText) or more"
      case .atMost(let most): "is \(JSONNode.number(most).compactText) or less"
      }
    }
    return "\(words) \(tests.joined(separator: " and "))"
  }
}

extension EventCondition: CustomStringConvertible {
  package var description: String {
    var parts: [String] = []
    if let words { parts.append("\(words)") } else if let accessory { parts.append("\(accessory.selector)") }
    if let value { parts.append("value \(value.value.writtenText)") }
    parts += members.map { "\($0.name) \($0.pattern.writtenText)" }
    return parts.isEmpty ? "event \"\(name)\"" : "event \"\(name)\" (\(parts.joined(separator: ", ")))"
  }
}
