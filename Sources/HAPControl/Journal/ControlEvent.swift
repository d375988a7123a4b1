import HAPHost
import HAPScenario
import HAPWeb
import HAPWire

/// The journal of the accessories of this process.
package typealias ControlJournal = EventJournal<ControlEvent>

/// An event in the journal.
package enum ControlEvent: JournalEvent {
  case simulator(SimulatorEvent)
  /// A note or the result of a scenario, as members of an object; the first one is `event`.
  case other(JSONNode)

  /// All event names.
  static let names = EventVocabulary.all.map(\.name) + ["requested", "message", "note", "scenario", "clock"]

  package var name: String {
    switch self {
    case .simulator(let event): event.name
    case .other(let node): node["event"]?.stringValue ?? "other"
    }
  }

  package var weight: Int {
    switch self {
    case .simulator(let event): event.weight
    case .other(let node): node.members?.reduce(0) { $0 + ($1.value.stringValue?.utf8.count ?? 0) } ?? 0
    }
  }

  /// - Parameter subject: the number of an accessory.
  package func concerns(_ subject: String) -> Bool {
    guard case .simulator(let event) = self else { return false }
    return String(event.number) == subject
  }

  /// `"number":1,"event":"changed","accessory":"Lamp",…,"text":"On: true"`
  package func write(to json: inout JSONWriter) {
    switch self {
    case .simulator(let event):
      json.key("number")
      json.integer(event.number)
      event.write(to: &json)
      // The text of a fault is its parameters, which the event already contains.
      if event.name != "fault" {
        json.key("text")
        json.string(event.text)
      }
    case .other(let node):
      for member in node.members ?? [] {
        json.key(member.name)
        json.node(member.value)
      }
    }
  }
}
