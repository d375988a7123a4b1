import HAPModel
import HAPWire

extension ProfileJudge {
  /// Checks the metadata itself. Returns whether a value can be checked against it.
  mutating func judgeMetadata(_ draft: CharacteristicDraft) -> Bool {
    let before = problems.count
    let constraints = draft.characteristic.constraints
    let (format, rules) = (draft.characteristic.format, draft.characteristic.valueRules)
    func node(_ members: String...) -> JSONNode { members.lazy.compactMap { draft.node[$0] }.first ?? draft.node }
    if let low = constraints.minValue?.doubleValue, let high = constraints.maxValue?.doubleValue, low > high {
      report(.metadataRange, node("minValue", "maxValue"), "the minimum is above the maximum")
    }
    if let step = constraints.minStep?.doubleValue, step <= 0 {
      report(.metadataRange, node("minStep"), "a step must be above 0")
    }
    if format.integerRange != nil {
      for (member, value) in [("minValue", constraints.minValue), ("maxValue", constraints.maxValue)] {
        if case .integer(let integer)? = value,
          rules.violation(of: .integer(integer), checking: .formatRange) != nil
        {
          report(.metadataRange, node(member), "\(integer) is outside the format \(format.rawValue)")
        }
      }
      judgeValidValues(draft)
    }
    if let maxLen = constraints.maxLen, maxLen > Constraints.greatestMaxLen {
      report(.metadataRange, node("maxLen"), "maxLen is at most \(Constraints.greatestMaxLen)")
    }
    return problems.count == before
  }

  private mutating func judgeValidValues(_ draft: CharacteristicDraft) {
    let constraints = draft.characteristic.constraints
    func isInside(_ value: Int) -> Bool {
      let rules = draft.characteristic.valueRules
      return rules.violation(of: .integer(Int128(value)), checking: [.formatRange, .limits]) == nil
    }
    if let values = constraints.validValues, let node = draft.node["valid-values"] {
      if values.isEmpty { report(.metadataRange, node, "at least one valid value is needed") }
      if zip(values, values.dropFirst()).contains(where: { $0 >= $1 }) {
        report(.metadataRange, node, "valid values must be in ascending order, without duplicates")
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

  /// Whether valid values outside Apple's range are reported only as a widening, because the profile does not state the range.
  private func isWideningAllowed(_ draft: CharacteristicDraft) -> Bool {
    guard draft.definition != nil, draft.node["minValue"] == nil, draft.node["maxValue"] == nil else { return false }
    let constraints = draft.characteristic.constraints
    let values =
      (constraints.validValues ?? []) + (constraints.validValuesRange.map { [$0.lowerBound, $0.upperBound] } ?? [])
    let rules = draft.characteristic.valueRules
    return values.allSatisfy { rules.violation(of: .integer(Int128($0)), checking: .formatRange) == nil }
  }

  /// DB.12.
  mutating func judgeValue(_ draft: CharacteristicDraft) {
    let characteristic = draft.characteristic
    let (rules, value) = (characteristic.valueRules, characteristic.value)
    if value.isNull { return }
    // If both `valid-values` and their range are violated, the list is reported. The step has a separate tolerance.
    let violation =
      rules.violation(of: value, checking: [.formatRange, .limits])
      ?? rules.violation(of: value, checking: .validValues) ?? rules.violation(of: value, checking: .validValuesRange)
    if let violation { return report(violation, draft) }
    if draft.hasWrittenValue, value.doubleValue != nil, !characteristic.allows(value), !isRounded(characteristic) {
      report(.valueStep, draft.origin("value"), "not on the grid of its step, so a controller could not set it")
    }
  }

  private mutating func report(_ violation: ValueViolation, _ draft: CharacteristicDraft) {
    let (node, value) = (draft.origin("value"), draft.characteristic.value)
    let written = Self.text(value)
    switch violation {
    case .formatRange:
      report(.valueRange, node, "\(written) is outside the format \(draft.characteristic.format.rawValue)")
    case .minValue(let low): report(.valueRange, node, "\(written) is below minValue \(Self.text(low))")
    case .maxValue(let high): report(.valueRange, node, "\(written) is above maxValue \(Self.text(high))")
    case .validValues(let listed):
      report(.valueValid, node, "\(written) is not one of valid-values \(Self.text(listed))")
    case .validValuesRange(let valid):
      report(.valueValid, node, "\(written) is outside valid-values-range \(valid.lowerBound) to \(valid.upperBound)")
    case .maxLen(let count, let limit):
      // Other rules apply to the texts of Accessory Information.
      if draft.isAdded, !draft.hasWrittenValue { return }
      if [.name, .manufacturer, .model, .serialNumber].contains(draft.characteristic.type) { return }
      report(.valueLength, node, "\(count) bytes: \(limit) is the most")
    case .maxDataLen(let count, let limit): report(.valueLength, node, "\(count) bytes: \(limit) is the most")
    // The reader accepts only values of the format's kind, and the step has a separate tolerance.
    case .kind, .fraction, .notFinite, .base64, .minStep: break
    }
  }

  /// A number as JSON writes it. Integers are exact, even if a double can't represent them.
  private static func text(_ value: Value) -> String {
    if case .integer(let integer) = value { return "\(integer)" }
    return JSONWriter.text { $0.double(value.doubleValue ?? 0) }
  }

  /// The first numbers of a list, and the count of the remaining ones.
  private static func text(_ listed: [Int]) -> String {
    let shown = listed.prefix(8).map(String.init).joined(separator: ", ")
    return listed.count > 8 ? "\(shown) and \(listed.count - 8) more" : shown
  }

  /// Whether a float is on its grid, apart from the rounding error of binary fractions.
  private func isRounded(_ characteristic: Characteristic) -> Bool {
    guard characteristic.format == .float, let admitted = try? characteristic.admit(characteristic.value) else {
      return false
    }
    guard let near = admitted.doubleValue, let number = characteristic.value.doubleValue else { return false }
    return (near - number).magnitude <= 1e-9 * max(1, number.magnitude)
  }
}
