import HAPModel

extension LintRun {
  /// Checks ADB-22 to ADB-26: the metadata of values, without the values.
  mutating func judgeLimits(_ characteristic: ParsedCharacteristic, _ spot: LintSpot) {
    guard let format = characteristic.format else { return }
    if format.isNumeric {
      judgeRange(characteristic, spot)
    } else {
      let limits = [
        ("minValue", characteristic.minValue), ("maxValue", characteristic.maxValue),
        ("minStep", characteristic.minStep),
      ]
      for (name, limit) in limits where limit?.isNull == false {
        report(
          .limits, "not-a-number", at: spot.member(name),
          Remark(.must, "\(name) is for numbers, not for \(format.rawValue)"))
      }
    }
    judgeValidValues(characteristic, format, spot)
    if let maxLen = characteristic.value["maxLen"]?.integer {
      if format != .string {
        report(
          .maxLen, "not-a-string", at: spot.member("maxLen"),
          Remark(.must, "maxLen is for strings, not for \(format.rawValue)"))
      } else if maxLen > Constraints.greatestMaxLen {
        report(
          .maxLen, "too-large", at: spot.member("maxLen"),
          Remark(.should, "maxLen is \(maxLen), more than \(Constraints.greatestMaxLen)"))
      }
    }
    if characteristic.value["maxDataLen"]?.integer != nil, format != .data {
      report(
        .bytes, "not-data", at: spot.member("maxDataLen"),
        Remark(.must, "maxDataLen is for data, not for \(format.rawValue)"))
    }
  }

  // MARK: ADB-22, ADB-23

  private mutating func judgeRange(_ characteristic: ParsedCharacteristic, _ spot: LintSpot) {
    let low = characteristic.minValue?.double
    let high = characteristic.maxValue?.double
    if let low, let high, low > high {
      report(
        .limits, "order", at: spot.member("minValue"),
        Remark(.must, "minValue \(numberText(low)) is above maxValue \(numberText(high))"))
    }
    if let step = characteristic.minStep?.double, step <= 0 {
      report(.limits, "step", at: spot.member("minStep"), Remark(.must, "minStep \(numberText(step)) is not above 0"))
    }
    guard let definition = characteristic.definition else { return }
    let range = AppleRange(definition)
    if let low, let limit = range.low, low < limit {
      widened(range, "minValue \(numberText(low)) is below Apple's \(numberText(limit))", spot.member("minValue"))
    }
    if let high, let limit = range.high, high > limit {
      widened(range, "maxValue \(numberText(high)) is above Apple's \(numberText(limit))", spot.member("maxValue"))
    }
  }

  private mutating func widened(_ range: AppleRange, _ message: String, _ spot: LintSpot) {
    report(
      .limitsWidened, range.isOftenWidened ? "usual" : "range", at: spot,
      range.isOftenWidened
        ? Remark(
          .nonStrict, message, ios: .tolerates, source: "certified thermostats such as the Lennox E30 do the same")
        : Remark(.must, message, fix: "stay within Apple's range, or use a custom type"))
  }

  // MARK: ADB-24

  private mutating func judgeValidValues(_ characteristic: ParsedCharacteristic, _ format: Format, _ spot: LintSpot) {
    for name in ["valid-values", "valid-values-range"] {
      guard let member = characteristic.value[name], !member.isNull else { continue }
      let spot = spot.member(name)
      guard format.integerRange != nil else {
        report(
          .validValues, "not-an-integer", at: spot, Remark(.must, "\(name) is for integers, not for \(format.rawValue)")
        )
        continue
      }
      guard let set = ValidValues(member, isRange: name == "valid-values-range") else {
        report(
          .validValues, "kind", at: spot,
          Remark(
            .must, "\(name) is not a list of \(name == "valid-values" ? "integers" : "a first and a last integer")"))
        continue
      }
      if characteristic.definition == nil || format != .uint8 {
        report(
          .validValues, "elsewhere", at: spot,
          Remark(
            .should,
            characteristic.definition == nil
              ? "\(name) is only for Apple-defined types" : "\(name) is for uint8, not for \(format.rawValue)"))
      }
      if !set.isRising {
        report(
          .validValues, "order", at: spot, Remark(.should, "\(name) are not in ascending order without duplicates"))
      }
      if let definition = characteristic.definition {
        let range = AppleRange(definition)
        if let outside = set.ends.first(where: { !range.contains(Double($0)) }) {
          report(
            .validValues, "undefined", at: spot,
            Remark(.must, "\(outside) is not a value that Apple defined for \(definition.name)"))
        }
      }
      if let value = characteristic.content?.integer, !set.contains(value) {
        report(
          .validValues, "value", at: spot.owner.member("value"),
          Remark(.must, "the value \(value) is not among \(name)"))
      }
    }
  }
}

/// The numbers of `valid-values` (a list) or `valid-values-range` (a pair, or a list of pairs).
struct ValidValues {
  private let ranges: [ClosedRange<Int128>]
  let isRising: Bool

  init?(_ member: ParsedValue, isRange: Bool) {
    guard let elements = member.elements, !elements.isEmpty else { return nil }
    var ranges: [ClosedRange<Int128>] = []
    if !isRange {
      for element in elements {
        guard let number = element.integer else { return nil }
        ranges.append(number...number)
      }
    } else {
      let pairs = elements[0].elements == nil ? [elements] : elements.map { $0.elements ?? [] }
      for pair in pairs {
        guard pair.count == 2, let first = pair[0].integer, let last = pair[1].integer, first <= last else {
          return nil
        }
        ranges.append(first...last)
      }
    }
    self.ranges = ranges
    isRising = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
  }

  /// The first and the last number of every range.
  var ends: some Sequence<Int128> { ranges.lazy.flatMap { [$0.lowerBound, $0.upperBound] } }

  func contains(_ value: Int128) -> Bool { ranges.contains { $0.contains(value) } }
}

/// The range that Apple defined for a characteristic: the widest of the catalogue's sources.
struct AppleRange {
  let low: Double?
  let high: Double?
  /// Whether certified thermostats have wider ranges.
  let isOftenWidened: Bool

  init(_ definition: CharacteristicDefinition) {
    let wider = Self.wider[definition.type]
    let constraints = definition.constraints
    low = constraints.minValue?.doubleValue.map { min($0, wider?.low ?? $0) }
    high = constraints.maxValue?.doubleValue.map { max($0, wider?.high ?? $0) }
    isOftenWidened = Self.temperatures.contains(definition.type)
  }

  func contains(_ number: Double) -> Bool { number >= low ?? -.infinity && number <= high ?? .infinity }

  /// The widest range if sources of the catalogue differ (`disagreements` in Catalogue/characteristics.json); and absolute zero for
  /// outdoor thermometers.
  private static let wider: [TypeID: (low: Double?, high: Double?)] = [
    CharacteristicDefinition.currentTemperature.type: (-273.15, 1000),
    // The certified ecobee3 has 0.
    CharacteristicDefinition.accessoryFlags.type: (0, nil),
    CharacteristicDefinition.lockLastKnownAction.type: (nil, 10),
    CharacteristicDefinition.currentSlatState.type: (nil, 3),
    CharacteristicDefinition.serviceLabelNamespace.type: (nil, 4),
    CharacteristicDefinition.colorTemperature.type: (50, 500),
    CharacteristicDefinition.imageRotation.type: (nil, 360),
    CharacteristicDefinition.siriInputType.type: (nil, 1),
    CharacteristicDefinition.targetVisibilityState.type: (nil, 2),
    CharacteristicDefinition.currentVisibilityState.type: (nil, 3),
    CharacteristicDefinition.threadStatus.type: (nil, 127),
  ]

  private static let temperatures: Set<TypeID> = [
    CharacteristicDefinition.targetTemperature.type, CharacteristicDefinition.coolingThresholdTemperature.type,
    CharacteristicDefinition.heatingThresholdTemperature.type,
  ]
}
