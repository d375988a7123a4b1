/// The events of running accessories, and the members that each event has besides `event` and `accessory`. A test
/// compares this with the simulator.
package struct EventVocabulary: Sendable {
  package let name: String
  package let members: [String]
  /// Whether a condition can select a characteristic.
  package let hasCharacteristic: Bool
  package let hasValue: Bool
  /// Whether controllers or the network cause the event.
  package let isOutside: Bool

  private init(
    _ name: String, _ members: [String] = [], characteristic: Bool = false, value: Bool = false, outside: Bool = true
  ) {
    self.name = name
    self.members = members
    hasCharacteristic = characteristic
    hasValue = value
    isOutside = outside
  }

  package static let all: [EventVocabulary] = [
    EventVocabulary("added", outside: false),
    EventVocabulary("removed", outside: false),
    EventVocabulary("connected", ["peer"]),
    EventVocabulary("disconnected", ["peer"]),
    EventVocabulary("paired", ["controller", "admin"]),
    EventVocabulary("unpaired", ["controller"]),
    EventVocabulary("verified", ["controller"]),
    EventVocabulary("wrote", ["controller", "name"], characteristic: true, value: true),
    EventVocabulary("subscribed", ["controller", "name"], characteristic: true),
    EventVocabulary("unsubscribed", ["controller", "name"], characteristic: true),
    EventVocabulary("told", ["controller", "name"], characteristic: true, value: true),
    EventVocabulary("changed", ["name"], characteristic: true, value: true, outside: false),
    EventVocabulary("identify", ["aid"]),
    EventVocabulary("refused", ["peer", "request", "reason"]),
    EventVocabulary("slow"),
    EventVocabulary("reconfigured", ["configurationNumber"], outside: false),
    EventVocabulary("radio", ["on"], outside: false),
    EventVocabulary("announced", ["on"], outside: false),
    EventVocabulary("stopped", outside: false),
    EventVocabulary("reachable", ["aid", "name", "reachable"], outside: false),
    EventVocabulary("fault", ["fault", "text", "on"], outside: false),
    EventVocabulary("restarted", ["by"], outside: false),
    EventVocabulary("advertised", ["name"]),
    EventVocabulary("renamed", ["from", "to"]),
    EventVocabulary("addresses"),
    EventVocabulary("self-check", ["name", "visible"]),
    EventVocabulary("window-opened", ["kind", "discriminator", "seconds", "fabric"]),
    EventVocabulary("window-closed", ["reason"]),
    EventVocabulary(
      "subscription-began", ["controller", "subscription", "attributes", "events", "minimum", "maximum"]),
    EventVocabulary("subscription-ended", ["controller", "subscription", "reason"]),
    EventVocabulary("trouble", ["message"], outside: false),
  ]

  package static subscript(_ name: String) -> EventVocabulary? { all.first { $0.name == name } }
}
