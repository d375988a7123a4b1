/// One characteristic of a service: its type, permissions and value. HAP R2 §6.6.3.
public struct Characteristic: Hashable, Sendable {
  // This order leaves no gaps in memory: a bridge has a thousand characteristics.
  /// The value, canonical for the format, or `.null`.
  public var value: Value
  /// The format of the value.
  public var format: Format
  /// The unit, if there is one.
  public var unit: Unit?
  /// Whether the value is kept across restarts.
  public var persists: Bool
  /// The allowed operations.
  public var perms: Permissions
  /// The operations (read, write and events) that only an admin controller may use.
  public var adminOnly: Permissions
  /// Instance ID, ≥ 1, unique within the accessory.
  public var iid: UInt64
  /// The characteristic type.
  public var type: TypeID
  /// The manufacturer's description, for people.
  public var description: String?
  /// The limits of the value.
  public var constraints: Constraints

  /// Creates a characteristic.
  public init(
    iid: UInt64, type: TypeID, format: Format, perms: Permissions, value: Value = .null, unit: Unit? = nil,
    description: String? = nil,
    constraints: Constraints = Constraints(), adminOnly: Permissions = [], persists: Bool = false
  ) {
    self.iid = iid
    self.type = type
    self.format = format
    self.perms = perms
    self.value = value
    self.unit = unit
    self.description = description
    self.constraints = constraints
    self.adminOnly = adminOnly
    self.persists = persists
  }
}
