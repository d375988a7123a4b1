import HAPModel
import HAPWire

/// A profile with its ids assigned, ready to be served.
public struct BuiltAccessory: Sendable {
  /// The parameters of a service's simulated behaviour.
  public struct Behaviour: Sendable {
    /// The accessory's id.
    public var aid: UInt64
    /// The service's id.
    public var serviceIID: UInt64
    /// The type of the service.
    public var serviceType: TypeID
    /// The raw member. `nil`: the profile has none, and the device uses the default behaviour of its type.
    package var node: JSONNode?
  }

  /// The database with the initial values.
  public var database: AttributeDatabase
  /// One entry for each service except Accessory Information and HAP Protocol Information, in the order of the database.
  public var behaviours: [Behaviour]
  /// The raw members `matter`, by the service or the characteristic.
  package var matter: [AttributeID: JSONNode]
  /// The text to hash for `c#`: ids, types, permissions, formats, metadata, links and firmware, never values.
  public var configurationText: String
  /// The category of the accessory or the bridge.
  public var category: HAPModel.Category
  /// The name of the accessory or the bridge.
  public var name: String
  /// `md` of the Bonjour record.
  public var model: String
  /// The name of each accessory, by aid.
  public var names: [UInt64: String]
}
