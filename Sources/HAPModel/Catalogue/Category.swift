/// An accessory category: the icon during pairing, and `ci` of the Bonjour record. A row of
/// Catalogue/categories.json. HAP R2 §13.
public struct Category: Hashable, Sendable {
  /// The number; 0 is only for accessories behind a bridge.
  public let number: UInt8
  /// The specification's name, "Garage Door Opener".
  public let name: String

  init(_ number: UInt8, _ name: String) {
    self.number = number
    self.name = name
  }

  /// The name in profiles, "garage-door-opener".
  public var slug: String { HAPModel.slug(name) }
}
