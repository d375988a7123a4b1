/// One characteristic of a service: what it is, what may be done with it, and its value. HAP R2 §6.6.3.
public struct Characteristic: Hashable, Sendable {
  /// Instance ID, ≥ 1, unique within the accessory.
  public var iid: UInt64
  /// What it is.
  public var type: TypeID
  /// The format of the value.
  public var format: Format
  /// What may be done with it.
  public var perms: Permissions
  /// The value, canonical for the format, or `.null`.
  public var value: Value
  /// The unit, where the format has one.
  public var unit: Unit?
  /// The maker's description, for people.
  public var description: String?
  /// The limits of the value.
  public var constraints: Constraints
  /// Which of read, write and events only an admin controller may do.
  public var adminOnly: Permissions
  /// Whether the value is kept over restarts.
  public var persists: Bool

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
