import HAPIP
import HAPModel
import HAPVocabulary

/// The reason why names of a scenario match nothing, or why a command was refused.
package struct ScenarioTrouble: Error, Equatable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}

/// A characteristic of a running accessory.
package struct ScenarioSubject: Hashable, Sendable {
  /// The server's name.
  package var accessory: String
  package var aid: UInt64
  package var iid: UInt64
  /// The name for messages.
  package var name: String

  package init(accessory: String, aid: UInt64, iid: UInt64, name: String) {
    self.accessory = accessory
    self.aid = aid
    self.iid = iid
    self.name = name
  }
}

/// A running accessory.
package struct ScenarioPlace: Hashable, Sendable {
  /// The server's name.
  package var accessory: String
  /// The aid of a bridged accessory; nil: the whole server.
  package var aid: UInt64?

  package init(accessory: String, aid: UInt64?) {
    self.accessory = accessory
    self.aid = aid
  }
}

/// The accessories that a scenario works on.
package protocol ScenarioWorld: AnyObject {
  /// Finds the characteristic that the words select now.
  /// - Parameter accessory: the accessory; nil: the only one.
  func subject(
    _ selector: CharacteristicSelector, of accessory: AccessorySelector?
  ) throws(ScenarioTrouble) -> ScenarioSubject
  /// Finds the accessory that a name or an aid selects now.
  func place(_ accessory: AccessorySelector) throws(ScenarioTrouble) -> ScenarioPlace
  /// Returns the characteristic's value in its JSON form; nil if the characteristic no longer exists.
  func value(of subject: ScenarioSubject) -> Value?
  /// Returns a value with its name in the catalogue, such as "open (0)".
  func text(of value: Value, for subject: ScenarioSubject) -> String
  /// Returns the value for a name in the catalogue: "open" is 0. Other values are returned unchanged.
  func meaning(of value: Value, for subject: ScenarioSubject) throws(ScenarioTrouble) -> Value
}

/// An event of an accessory.
package struct ScenarioEvent: Sendable {
  /// The name, one of `EventVocabulary`.
  package var name: String
  /// The server's name.
  package var accessory: String
  /// The other members, with their values in JSON form. Members that are lists are omitted.
  package var members: [(name: String, value: Value)]
  /// The event as one line of text.
  package var text: String

  package init(_ name: String, accessory: String, members: [(name: String, value: Value)], text: String) {
    self.name = name
    self.accessory = accessory
    self.members = members
    self.text = text
  }

  subscript(member: String) -> Value? { members.first { $0.name == member }?.value }
}
