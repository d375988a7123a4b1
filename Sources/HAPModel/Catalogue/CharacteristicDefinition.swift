/// What Apple says of one characteristic type. A row of Catalogue/characteristics.json.
public struct CharacteristicDefinition: Hashable, Sendable {
  /// On Apple's base.
  public let type: TypeID
  /// The specification's name, "Current Door State".
  public let name: String
  /// The name as an identifier, "CurrentDoorState", as profiles write it.
  public let identifier: String
  /// Apple's dotted name, where known.
  public let typeName: String?
  /// The format of the value.
  public let format: Format
  /// The unit, where there is one.
  public let unit: Unit?
  /// What may be done with it.
  public let perms: Permissions
  /// The limits. Values that have a name are in `values`, not here: unnamed ones within the range are not forbidden.
  public let constraints: Constraints
  /// The values that have a name, in rising order.
  public let values: [NamedValue]
  /// The bits that have a name, for a bit field: each value is a mask.
  public let bits: [NamedValue]
  /// Which of read, write and events only an admin controller may do.
  public let adminOnly: Permissions
  /// Usable before pairing (Bluetooth LE's pairing characteristics).
  public let isUnpaired: Bool
  /// May be broadcast by Bluetooth LE accessories.
  public let isBroadcast: Bool
  /// The first iOS release, where known.
  public let since: String?
  /// No longer in Apple's metadata: kept for reading old accessories, not offered for new ones.
  public let isWithdrawn: Bool

  init(
    _ short: UInt32, _ name: String, _ identifier: String, typeName: String? = nil, _ format: Format, unit: Unit? = nil,
    perms: Permissions, min: Value? = nil, max: Value? = nil, step: Value? = nil, maxLen: Int? = nil,
    maxDataLen: Int? = nil, values: [NamedValue] = [], bits: [NamedValue] = [], adminOnly: Permissions = [],
    unpaired: Bool = false, broadcast: Bool = false, since: String? = nil, withdrawn: Bool = false
  ) {
    self.type = TypeID(apple: short)
    self.name = name
    self.identifier = identifier
    self.typeName = typeName
    self.format = format
    self.unit = unit
    self.perms = perms
    self.constraints = Constraints(
      minValue: min, maxValue: max, minStep: step, maxLen: maxLen, maxDataLen: maxDataLen)
    self.values = values
    self.bits = bits
    self.adminOnly = adminOnly
    self.isUnpaired = unpaired
    self.isBroadcast = broadcast
    self.since = since
    self.isWithdrawn = withdrawn
  }
}

extension CharacteristicDefinition {
  /// The word for a value, "counter-clockwise"; nil for a value without a name.
  public func word(for value: Value) -> String? {
    let number: Int?
    switch value {
    case .bool(let bool): number = bool ? 1 : 0
    case .integer: number = value.intValue
    case .null, .float, .string, .data: number = nil
    }
    return values.first { $0.value == number }?.word
  }

  /// The value, canonical for the format, that a word names; compared without case, spaces and hyphens. Nil for an unknown word.
  public func value(forWord word: String) -> Value? {
    let folded: String = foldedName(word)
    guard let named: NamedValue = values.first(where: { foldedName($0.name) == folded }) else { return nil }
    return format == .bool ? .bool(named.value != 0) : .integer(Int128(named.value))
  }
}

/// A number that has a name: a state, or a bit of a field.
public struct NamedValue: Hashable, Sendable {
  /// The number, or the bit's mask.
  public let value: Int
  /// As the catalogue has it, "Counter Clockwise".
  public let name: String

  init(_ value: Int, _ name: String) {
    self.value = value
    self.name = name
  }

  /// The name as profiles write it: lower case, hyphens for spaces, "counter-clockwise".
  public var word: String { slug(name) }
}
