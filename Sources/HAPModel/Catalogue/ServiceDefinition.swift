/// What Apple says of one service type. A row of Catalogue/services.json.
public struct ServiceDefinition: Hashable, Sendable {
  /// On Apple's base.
  public let type: TypeID
  /// The specification's name, "Garage Door Opener".
  public let name: String
  /// The name as an identifier, "GarageDoorOpener", as profiles write it.
  public let identifier: String
  /// Apple's dotted name, where known.
  public let typeName: String?
  /// The characteristics that the service must have.
  public let required: [TypeID]
  /// The characteristics that it may have as well.
  public let optional: [TypeID]
  /// The first iOS release, where known.
  public let since: String?
  /// No longer in Apple's metadata: kept for reading old accessories, not offered for new ones.
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
