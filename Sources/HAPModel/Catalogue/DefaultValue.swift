extension CharacteristicDefinition {
  /// The initial value: the safe value of its type, otherwise the lowest valid one. Canonical, and valid within the
  /// definition's limits.
  public var defaultValue: Value {
    Catalogue.defaultValue(of: type, format: format, constraints: constraints)
  }
}

extension TypeID {
  /// Whether the type is Programmable Switch Event. A press is not a state, so a read returns null, and equal
  /// consecutive presses are separate events. HAP R2 §9.75 "Programmable Switch Event".
  public var readsAsNull: Bool { self == 0x73 }
}

extension Catalogue {
  /// Returns the initial value within limits that may be narrower than the catalogue's: the safe value of its type if
  /// it is allowed, otherwise the lowest valid one (0 if no minimum is stated and 0 is allowed).
  ///
  /// Safe values: doors closed, locks secured, alarms off, 20 °C, batteries full, current equal to target.
  public static func defaultValue(of type: TypeID, format: Format, constraints: Constraints) -> Value {
    if type.readsAsNull { return .null }
    let limits: Characteristic = Characteristic(iid: 1, type: type, format: format, perms: [], constraints: constraints)
    if let safe: Value = type.appleShort.flatMap(safeValue), limits.allows(safe) { return safe }
    switch format {
    case .bool: return .bool(false)
    case .uint8, .uint16, .uint32, .uint64, .int: return .integer(lowestInteger(limits))
    case .float: return .float(lowestFloat(limits))
    case .string: return .string("")
    case .tlv8, .data: return .data([])
    }
  }

  /// Returns the safe value of a type if it is not the lowest value.
  private static func safeValue(_ short: UInt32) -> Value? {
    switch short {
    case 0xE, 0x32: .integer(1)  // door: closed
    case 0x1D, 0x1E: .integer(1)  // lock: secured
    case 0x66, 0x67: .integer(3)  // security system: disarmed
    case 0x11, 0x35, 0xD, 0x12: .float(20)  // temperatures, °C
    case 0x8: .integer(100)  // brightness, for when the light is turned on
    case 0x68: .integer(100)  // battery level
    case 0xAB: .float(100)  // filter life level
    case 0x72: .integer(2)  // position state: stopped
    case 0x75: .bool(true)  // status active
    case 0xCE: .integer(140)  // colour temperature: the lowest value that all sources of the catalogue allow
    case 0xE0, 0x137: .integer(2)  // media: stopped
    case 0xE8: .integer(1)  // sleep discovery mode: always discoverable
    case 0x37: .string("1.1.0")  // protocol version
    case 0x52: .string("1.0.0")  // firmware revision
    default: nil
    }
  }

  private static func lowestInteger(_ limits: Characteristic) -> Int128 {
    var candidates: [Int128] = []
    if let listed: [Int] = limits.constraints.validValues { candidates = listed.sorted().map { Int128($0) } }
    if case .integer(let low)? = limits.constraints.minValue { candidates.append(low) } else { candidates.append(0) }
    if let valid: ClosedRange<Int> = limits.constraints.validValuesRange { candidates.append(Int128(valid.lowerBound)) }
    if let range: ClosedRange<Int128> = limits.format.integerRange { candidates.append(range.lowerBound) }
    if case .integer(let high)? = limits.constraints.maxValue { candidates.append(high) }
    return candidates.first { limits.allows(.integer($0)) } ?? 0
  }

  private static func lowestFloat(_ limits: Characteristic) -> Double {
    let low: Double = limits.constraints.minValue?.doubleValue ?? 0
    let candidates: [Double] = [low, 0, limits.constraints.maxValue?.doubleValue ?? 0]
    return candidates.first { limits.allows(.float($0)) } ?? low
  }
}
