/// One characteristic of a service: what it is, what may be done with it, and its value. HAP R2 §6.6.3.
public struct Characteristic: Hashable, Sendable {
  // In an order that leaves no holes: a bridge has a thousand of them.
  /// The value, canonical for the format, or `.null`.
  public var value: Value
  /// The format of the value.
  public var format: Format
  /// The unit, where the format has one.
  public var unit: Unit?
  /// Whether the value is kept over restarts.
  public var persists: Bool
  /// What may be done with it.
  public var perms: Permissions
  /// Which of read, write and events only an admin controller may do.
  public var adminOnly: Permissions
  /// Instance ID, ≥ 1, unique within the accessory.
  public var iid: UInt64
  /// What it is.
  public var type: TypeID
  /// The maker's description, for people.
  public var description: String?
  /// The limits of the value.
  public var constraints: Constraints

  /// All of a characteristic.
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
