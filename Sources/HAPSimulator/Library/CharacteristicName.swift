import HAPIP
import HAPSimulatorCore
import HAPVocabulary

/// Which characteristic is meant. A text alone will do where there is one of its kind: `"TargetDoorState"`.
public struct CharacteristicName: Hashable, Sendable, ExpressibleByStringLiteral {
  /// Apple's name ("TargetDoorState", "target door state"), a type, a vendor's description ("Fade Rate"), or an address ("1.10").
  public let name: String
  /// Type or Name of its service; nil: any that has it.
  public let service: String?
  /// Name of the accessory behind a bridge; nil: any that has it.
  public let accessory: String?

  /// - Parameters:
  ///   - name: Apple's name ("TargetDoorState", "target door state"), a type, a vendor's description ("Fade Rate"), or an address ("1.10").
  ///   - service: type or Name of its service ("GarageDoorOpener", "Shed Door"); needed where several services have such a characteristic.
  ///   - accessory: name of the accessory behind a bridge; needed where several accessories have such a characteristic.
  public init(_ name: String, service: String? = nil, accessory: String? = nil) {
    self.name = name
    self.service = service
    self.accessory = accessory
  }

  /// The name alone.
  public init(stringLiteral name: String) { self.init(name) }
}

extension CharacteristicName {
  var selector: CharacteristicSelector { CharacteristicSelector(name, service: service.map { .name($0) }) }
  var place: CharacteristicPlace { CharacteristicPlace(selector, of: accessory.map { .name($0) }) }
}
