/// One service of an accessory: a group of characteristics that form a function. HAP R2 §6.6.2 "Service Objects".
public struct Service: Hashable, Sendable {
  /// Instance ID, ≥ 1, unique within the accessory, including its characteristics.
  public var iid: UInt64
  /// The service type.
  public var type: TypeID
  /// Whether it is the accessory's main function.
  public var isPrimary: Bool
  /// Whether it is hidden from users.
  public var isHidden: Bool
  /// Instance IDs of the services linked from this one.
  public var linked: [UInt64]
  /// The characteristics, in the order of the answer to `/accessories`.
  public var characteristics: [Characteristic]

  /// Creates a service.
  public init(
    iid: UInt64, type: TypeID, isPrimary: Bool = false, isHidden: Bool = false, linked: [UInt64] = [],
    characteristics: [Characteristic] = []
  ) {
    self.iid = iid
    self.type = type
    self.isPrimary = isPrimary
    self.isHidden = isHidden
    self.linked = linked
    self.characteristics = characteristics
  }
}
