/// Apple's definition of a characteristic type. A row of Catalogue/characteristics.json.
public struct CharacteristicDefinition: Hashable, Sendable {
  /// The type, on Apple's base UUID.
  public let type: TypeID
  /// The specification's name, "Current Door State".
  public let name: String
  /// The name as an identifier, "CurrentDoorState", as in profiles.
  public let identifier: String
  /// Apple's dotted name, if known.
  public let typeName: String?
  /// The format of the value.
  public let format: Format
  /// The unit, if there is one.
  public let unit: Unit?
  /// The allowed operations.
  public let perms: Permissions
  /// The limits. They do not include the list of `values`: unnamed values within the range are not forbidden.
  public let constraints: Constraints
  /// The named values, in ascending order.
  public let values: [NamedValue]
  /// The named bits of a bit field: each value is a mask.
  public let bits: [NamedValue]
  /// The operations (read, write and events) that only an admin controller may use.
  public let adminOnly: Permissions
  /// Whether it can be used before pairing (Bluetooth LE's pairing characteristics).
  public let isUnpaired: Bool
  /// Whether Bluetooth LE accessories may broadcast it.
  public let isBroadcast: Bool
  /// The first iOS release, if known.
  public let since: String?
  /// Whether it is no longer in Apple's metadata. Such types are kept for reading old accessories, but not offered
  /// for new ones.
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
  /// Returns the word for a value, "counter-clockwise"; nil for a value without a name.
  public func word(for value: Value) -> String? {
    let number: Int?
    switch value {
    case .bool(let bool): number = bool ? 1 : 0
    case .integer: number = value.intValue
    case .null, .float, .string, .data: number = nil
    }
    return values.first { $0.value == number }?.word
  }

  /// Returns the value for a word, in the canonical form of the format; ignores case, spaces and hyphens. Nil for an
  /// unknown word.
  public func value(forWord word: String) -> Value? {
    let folded: String = foldedName(word)
    guard let named: NamedValue = values.first(where: { foldedName($0.name) == folded }) else { return nil }
    return format == .bool ? .bool(named.value != 0) : .integer(Int128(named.value))
  }
}

/// A named number: a state, or a bit of a bit field.
public struct NamedValue: Hashable, Sendable {
  /// The number, or the mask of the bit.
  public let value: Int
  /// The name in the catalogue, "Counter Clockwise".
  public let name: String

  init(_ value: Int, _ name: String) {
    self.value = value
    self.name = name
  }

  /// The name in profiles: lower case, hyphens for spaces, "counter-clockwise".
  public var word: String { slug(name) }
}
