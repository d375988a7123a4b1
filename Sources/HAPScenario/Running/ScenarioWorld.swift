import HAPIP
import HAPModel
import HAPVocabulary

/// Why words of a scenario name nothing here, or a command was refused.
package struct ScenarioTrouble: Error, Equatable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}

/// A characteristic that runs.
package struct ScenarioSubject: Hashable, Sendable {
  /// The server's name.
  package var accessory: String
  package var aid: UInt64
  package var iid: UInt64
  /// For people.
  package var name: String

  package init(accessory: String, aid: UInt64, iid: UInt64, name: String) {
    self.accessory = accessory
    self.aid = aid
    self.iid = iid
    self.name = name
  }
}

/// An accessory that runs.
package struct ScenarioPlace: Hashable, Sendable {
  /// The server's name.
  package var accessory: String
  /// Of one behind it; nil: the server as a whole.
  package var aid: UInt64?

  package init(accessory: String, aid: UInt64?) {
    self.accessory = accessory
    self.aid = aid
  }
}

/// The accessories, as a scenario sees them.
package protocol ScenarioWorld: AnyObject {
  /// The characteristic that words mean, looked for at this moment.
  /// - Parameter accessory: nil: the only one.
  func subject(
    _ selector: CharacteristicSelector, of accessory: AccessorySelector?
  ) throws(ScenarioTrouble) -> ScenarioSubject
  /// The accessory that a name or an aid means, looked for at this moment.
  func place(_ accessory: AccessorySelector) throws(ScenarioTrouble) -> ScenarioPlace
  /// Its value, as JSON has it; nil when it is gone.
  func value(of subject: ScenarioSubject) -> Value?
  /// A value with the words of its catalogue: "open (0)".
  func text(of value: Value, for subject: ScenarioSubject) -> String
  /// The value that a name of the catalogue stands for: "open" is 0. Other values stay as they are.
  func meaning(of value: Value, for subject: ScenarioSubject) throws(ScenarioTrouble) -> Value
}

/// An event of an accessory.
package struct ScenarioEvent: Sendable {
  /// One of `EventVocabulary`.
  package var name: String
  /// The server's name.
  package var accessory: String
  /// Its other members, with their values as JSON has them; a member that is a list is missing.
  package var members: [(name: String, value: Value)]
  /// One line for people.
  package var text: String

  package init(_ name: String, accessory: String, members: [(name: String, value: Value)], text: String) {
    self.name = name
    self.accessory = accessory
    self.members = members
    self.text = text
  }

  subscript(member: String) -> Value? { members.first { $0.name == member }?.value }
}
