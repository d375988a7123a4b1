import HAPModel
import HAPWire

/// Valid and invalid values for a characteristic, derived from its metadata.
package struct LegalValues {
  private let characteristic: Characteristic
  private let rules: ValueRules
  private let named: [Int]

  package init(_ characteristic: Characteristic) {
    self.characteristic = characteristic
    rules = characteristic.valueRules
    // An unnamed number of an enumeration has no meaning, even within the limits.
    named = Catalogue.characteristic(characteristic.type)?.values.map(\.value) ?? []
  }

  /// Distinct values in ascending order, at most 16. Empty if there are none, or if the metadata doesn't define any.
  package var values: [Value] {
    switch characteristic.format {
    case .bool: return [.bool(false), .bool(true)]
    case .uint8, .uint16, .uint32, .uint64, .int: return integers
    case .float: return floats
    case .string: return strings
    case .tlv8, .data: return []
    }
  }

  private var integers: [Value] {
    var candidates: [Int128]
    if let listed = characteristic.constraints.validValues {
      candidates = listed.map { Int128($0) }
    } else if !named.isEmpty {
      candidates = named.map { Int128($0) }
    } else {
      // The lowest and the highest number are on a step, so all candidates between them are too.
      guard let low = rules.firstOnStep, let high = rules.lastOnStep else { return [] }
      let step = rules.integerStep ?? 1
      let count = (high - low) / step
      candidates = []
      for part in 0...8 { candidates.append(low + count * Int128(part) / 8 * step) }
      candidates += [low + step, high]
    }
    let legal = Set(candidates.filter { characteristic.allows(.integer($0)) })
    return legal.sorted().prefix(16).map { .integer($0) }
  }

  private var floats: [Value] {
    let low = characteristic.constraints.minValue?.doubleValue ?? 0
    let high = characteristic.constraints.maxValue?.doubleValue ?? low + 100
    guard low.isFinite, high.isFinite, high > low else { return [] }
    let step = characteristic.constraints.minStep?.doubleValue ?? (high - low) / 8
    guard step > 0 else { return [] }
    let count = ((high - low) / step).rounded(.down)
    var legal: [Double] = []
    for part in 0...8 {
      let steps = (count * Double(part) / 8).rounded(.down)
      let number = ((low + steps * step) * 1e6).rounded() / 1e6
      // Use the admitted value, because a read returns that one.
      if let admitted = try? characteristic.admit(.float(number)), let number = admitted.doubleValue,
        !legal.contains(number)
      {
        legal.append(number)
      }
    }
    return legal.sorted().map { .float($0) }
  }

  private var strings: [Value] {
    guard let most = room, most > 0 else { return [] }
    // Short texts differ in their first letter.
    let texts = most < 16 ? ["a", "b", "c", "d"] : ["Haptest one", "Haptest two", "Haptest three", "Haptest four"]
    return texts.map { .string($0) }
  }

  /// Largest size of text or data in bytes; nil for other formats.
  var room: Int? { rules.byteLimit }

  /// Returns a whole number among the values, in the middle of their range if possible; nil if there is none.
  func whole(except current: Value) -> Value? {
    guard characteristic.format.integerRange != nil || characteristic.format == .float else { return nil }
    let all = values.filter { value in
      value.doubleValue.map { $0 == $0.rounded() && abs($0) < 1e15 } ?? false
        && value.doubleValue != current.doubleValue
    }
    return all.isEmpty ? nil : all[all.count / 2]
  }

  // MARK: Invalid values

  /// Text or data that is one byte too long. Text has at most 257 bytes. Data is nil without a stated maximum, or if it would exceed 16 KiB.
  var tooLong: Value? {
    switch characteristic.format {
    case .string:
      return .string(String(repeating: "x", count: min(characteristic.constraints.maxLen ?? 256, 256) + 1))
    case .tlv8, .data:
      guard let most = characteristic.constraints.maxDataLen, most < 16_384 else { return nil }
      return .data([UInt8](repeating: 1, count: most + 1))
    case .bool, .uint8, .uint16, .uint32, .uint64, .int, .float: return nil
    }
  }

  /// A number halfway between two valid integers.
  var fraction: Value? {
    guard characteristic.format.integerRange != nil, let low = values.first?.doubleValue, values.count > 1,
      abs(low) < 1e12
    else { return nil }
    return .float(low + 0.5)
  }

  /// The next value above the stated maximum; nil if the format can't represent it.
  var above: Value? { rules.justAbove }
  /// The next value below the stated minimum.
  var below: Value? { rules.justBelow }
  /// A value within the limits that is not in the list of valid values.
  var invalid: Value? { rules.unlisted }
  /// A value within the limits, between two steps.
  var offGrid: Value? { rules.offStep }
}
