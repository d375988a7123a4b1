/// Apple's definition of a service type. A row of Catalogue/services.json.
public struct ServiceDefinition: Hashable, Sendable {
  /// The type, on Apple's base UUID.
  public let type: TypeID
  /// The specification's name, "Garage Door Opener".
  public let name: String
  /// The name as an identifier, "GarageDoorOpener", as in profiles.
  public let identifier: String
  /// Apple's dotted name, if known.
  public let typeName: String?
  /// The characteristics that the service must have.
  public let required: [TypeID]
  /// The characteristics that it may also have.
  public let optional: [TypeID]
  /// The first iOS release, if known.
  public let since: String?
  /// Whether it is no longer in Apple's metadata. Such types are kept for reading old accessories, but not offered
  /// for new ones.
  public let isWithdrawn: Bool

  init(
    _ short: UInt32, _ name: String, _ identifier: String, typeName: String? = nil, required: [TypeID],
    optional: [TypeID],
    since: String? = nil, withdrawn: Bool = false
  ) {
    self.type = TypeID(apple: short)
    self.name = name
    self.identifier = identifier
    self.typeName = typeName
    self.required = required
    self.optional = optional
    self.since = since
    self.isWithdrawn = withdrawn
  }
}
