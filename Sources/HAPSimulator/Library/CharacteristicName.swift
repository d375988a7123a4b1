import HAPIP
import HAPSimulatorCore
import HAPVocabulary

/// The name of a characteristic. A string literal is sufficient if the accessory has only one such characteristic:
/// `"TargetDoorState"`.
public struct CharacteristicName: Hashable, Sendable, ExpressibleByStringLiteral {
  /// Apple's name ("TargetDoorState", "target door state"), a type, a vendor's description ("Fade Rate"), or an address ("1.10").
  public let name: String
  /// Type or Name of its service; `nil`: any service that has the characteristic.
  public let service: String?
  /// Name of the bridged accessory; `nil`: any accessory that has the characteristic.
  public let accessory: String?

  /// - Parameters:
  ///   - name: Apple's name ("TargetDoorState", "target door state"), a type, a vendor's description ("Fade Rate"), or an address ("1.10").
  ///   - service: type or Name of its service ("GarageDoorOpener", "Shed Door"). Required if several services have
  ///     such a characteristic.
  ///   - accessory: name of the bridged accessory. Required if several accessories have such a characteristic.
  public init(_ name: String, service: String? = nil, accessory: String? = nil) {
    self.name = name
    self.service = service
    self.accessory = accessory
  }

  /// Creates a name without a service or an accessory.
  public init(stringLiteral name: String) { self.init(name) }
}

extension CharacteristicName {
  var selector: CharacteristicSelector { CharacteristicSelector(name, service: service.map { .name($0) }) }
  var place: CharacteristicPlace { CharacteristicPlace(selector, of: accessory.map { .name($0) }) }
}
