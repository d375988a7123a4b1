import HAPModel
import HAPWire

/// A profile with its ids: what a server serves.
public struct BuiltAccessory: Sendable {
  /// The parameters of a service's physical life.
  public struct Behaviour: Sendable {
    /// The accessory's id.
    public var aid: UInt64
    /// The service's id.
    public var serviceIID: UInt64
    /// What the service is.
    public var serviceType: TypeID
    /// The raw member; nil when the profile says nothing, and the device behaves as its kind does.
    package var node: JSONNode?
  }

  /// With the values to start with.
  public var database: AttributeDatabase
  /// One for each service but Accessory Information and HAP Protocol Information, in the order of the database.
  public var behaviours: [Behaviour]
  /// What `c#` stands for, as text to hash: ids, types, permissions, formats, metadata, links and firmware, never values.
  public var configurationText: String
  /// The category of the one accessory, or of the bridge.
  public var category: HAPModel.Category
  /// The name of the one accessory, or of the bridge.
  public var name: String
  /// `md` of the Bonjour record.
  public var model: String
  /// The name of each accessory.
  public var names: [UInt64: String]
}
