import HAPModel
import HAPWire

extension ProfileJudge {
  /// Whether the metadata makes sense by itself, so that a value can be held against it.
  mutating func judgeMetadata(_ draft: CharacteristicDraft) -> Bool {
    let before = problems.count
    let constraints = draft.characteristic.constraints
    let format = draft.characteristic.format
    func node(_ members: String...) -> JSONNode { members.lazy.compactMap { draft.node[$0] }.first ?? draft.node }
    if let low = constraints.minValue?.doubleValue, let high = constraints.maxValue?.doubleValue, low > high {
      report(.metadataRange, node("minValue", "maxValue"), "the minimum is above the maximum")
    }
    if let step = constraints.minStep?.doubleValue, step <= 0 {
      report(.metadataRange, node("minStep"), "a step is above 0")
    }
    if let range = format.integerRange {
      for (member, value) in [("minValue", constraints.minValue), ("maxValue", constraints.maxValue)] {
        if case .integer(let integer)? = value, !range.contains(integer) {
          report(.metadataRange, node(member), "\(integer) is outside the format \(format.rawValue)")
        }
      }
      judgeValidValues(draft, range)
    }
    if let maxLen = constraints.maxLen, maxLen > Constraints.greatestMaxLen {
      report(.metadataRange, node("maxLen"), "maxLen is at most \(Constraints.greatestMaxLen)")
    }
    return problems.count == before
  }

  private mutating func judgeValidValues(_ draft: CharacteristicDraft, _ format: ClosedRange<Int128>) {
    let constraints = draft.characteristic.constraints
    func isInside(_ value: Int) -> Bool {
      format.contains(Int128(value)) && Double(value) >= constraints.minValue?.doubleValue ?? -.infinity
        && Double(value) <= constraints.maxValue?.doubleValue ?? .infinity
    }
    if let values = constraints.validValues, let node = draft.node["valid-values"] {
      if values.isEmpty { report(.metadataRange, node, "at least one valid value is needed") }
      if zip(values, values.dropFirst()).contains(where: { $0 >= $1 }) {
        report(.metadataRange, node, "valid values rise, each once")
      }
      if let outside = values.first(where: { !isInside($0) }), !isWideningAllowed(draft) {
        report(.metadataRange, node, "\(outside) is outside minimum and maximum, or the format")
      }
    }
    if let range = constraints.validValuesRange, let node = draft.node["valid-values-range"] {
      if !isInside(range.lowerBound) || !isInside(range.upperBound), !isWideningAllowed(draft) {
        report(.metadataRange, node, "outside minimum and maximum, or the format")
      }
    }
  }

  /// Outside Apple's range, with that range not restated, it is a widening and told as such.
  private func isWideningAllowed(_ draft: CharacteristicDraft) -> Bool {
    guard draft.definition != nil, draft.node["minValue"] == nil, draft.node["maxValue"] == nil else { return false }
    let constraints = draft.characteristic.constraints
    let values =
      (constraints.validValues ?? []) + (constraints.validValuesRange.map { [$0.lowerBound, $0.upperBound] } ?? [])
    return values.allSatisfy { draft.characteristic.format.integerRange?.contains(Int128($0)) ?? false }
  }

  /// DB.12.
  mutating func judgeValue(_ draft: CharacteristicDraft) {
    let characteristic = draft.characteristic
    let constraints = characteristic.constraints
    let node = draft.origin("value")
    switch characteristic.value {
    case .null, .bool: break
    case .integer, .float:
      let number = characteristic.value.doubleValue ?? 0
      if case .integer(let integer) = characteristic.value, let range = characteristic.format.integerRange,
        !range.contains(integer)
      {
        return report(.valueRange, node, "\(integer) is outside the format \(characteristic.format.rawValue)")
      }
      if let low = constraints.minValue?.doubleValue, number < low {
        return report(.valueRange, node, "below the minimum \(Self.text(low))")
      }
      if let high = constraints.maxValue?.doubleValue, number > high {
        return report(.valueRange, node, "above the maximum \(Self.text(high))")
      }
      if case .integer(let integer) = characteristic.value {
        if let values = constraints.validValues, !values.contains(where: { Int128($0) == integer }) {
          return report(.valueValid, node, "\(integer) is not among the valid values")
        }
        if let range = constraints.validValuesRange,
          !(Int128(range.lowerBound)...Int128(range.upperBound)).contains(integer)
        {
          return report(.valueValid, node, "\(integer) is outside the valid range")
        }
      }
      if draft.hasWrittenValue, !characteristic.allows(characteristic.value), !isRounded(characteristic) {
        report(.valueStep, node, "off the grid of its step, where a controller could not set it")
      }
    case .string(let text):
      // The texts of Accessory Information have rules of their own.
      if draft.isAdded, !draft.hasWrittenValue { break }
      let most = constraints.maxLen ?? Constraints.defaultMaxLen
      if text.utf8.count > most, ![.name, .manufacturer, .model, .serialNumber].contains(characteristic.type) {
        report(.valueLength, node, "\(text.utf8.count) bytes: \(most) is the most")
      }
    case .data(let bytes):
      let most = constraints.maxDataLen ?? Constraints.defaultMaxDataLen
      if bytes.count > most { report(.valueLength, node, "\(bytes.count) bytes: \(most) is the most") }
    }
  }

  /// Whether a float is on its grid but for the noise of binary fractions.
  private func isRounded(_ characteristic: Characteristic) -> Bool {
    guard characteristic.format == .float, let admitted = try? characteristic.admit(characteristic.value) else {
      return false
    }
    guard let near = admitted.doubleValue, let number = characteristic.value.doubleValue else { return false }
    return (near - number).magnitude <= 1e-9 * max(1, number.magnitude)
  }

  private static func text(_ number: Double) -> String { JSONWriter.text { $0.double(number) } }
}
