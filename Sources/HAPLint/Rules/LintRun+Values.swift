import HAPModel
import HAPWire

extension LintRun {
  /// Checks ADB-17 to ADB-21, and the values of ADB-25 and ADB-26.
  mutating func judgeValue(_ characteristic: ParsedCharacteristic, of service: ParsedService, _ spot: LintSpot) {
    // ADB-07 covers Identify.
    if characteristic.type == .identify { return }
    judgePresence(characteristic, spot)
    guard let content = characteristic.content, let format = characteristic.format else { return }
    if content.isNull { return judgeNull(characteristic, format, spot) }
    let (rules, place) = (ValueRules(characteristic, format), spot.member("value"))
    if format.isBytes, let text = content.string { return judgeBytes(text, rules, place) }
    switch rules.violation(of: content.modelValue, checking: []) {
    case .kind?, .notFinite?: return wrongKind(content, format, place)
    case .maxLen(let count, let limit)?: return tooLong(count, limit, of: characteristic, service, place)
    default: break
    }
    if format == .float { judgeNumber(content, content.modelValue, rules, of: characteristic, place) }
    if format.integerRange != nil { judgeInteger(content, rules, of: characteristic, place) }
  }

  // MARK: ADB-17, ADB-18

  private mutating func judgePresence(_ characteristic: ParsedCharacteristic, _ spot: LintSpot) {
    guard let perms = characteristic.perms, !perms.isEmpty else { return }
    // Write responses and event-only characteristics may omit the value.
    if perms.contains(.writeResponse) || characteristic.isEventOnly { return }
    if perms.contains(.pairedRead), characteristic.content == nil {
      // A failed read may have a status instead.
      if let status = characteristic.value["status"]?.integer, status != 0 { return }
      report(.valuePresence, "missing", at: spot, Remark(.must, "it is readable (pr), but has no value"))
    }
    if !perms.contains(.pairedRead), !perms.contains(.events), characteristic.content != nil {
      report(
        .valuePresence, "unreadable", at: spot.member("value"),
        Remark(.must, "it has a value, but is not readable (pr is missing)", fix: "remove \"value\""))
    }
  }

  private mutating func judgeNull(_ characteristic: ParsedCharacteristic, _ format: Format, _ spot: LintSpot) {
    // A NaN was repaired to null, and is reported as a NaN.
    if characteristic.isEventOnly || lint.reading.faults.contains(where: { $0.fault == .notANumber }) { return }
    let place = spot.member("value")
    if characteristic.perms?.contains(.writeResponse) == true {
      report(
        .valueNull, "write-response", at: place,
        Remark(
          .info, "it is null; an empty string is safer in a characteristic with write response",
          source: "esp-homekit-sdk: Apple's tester is reported to refuse the null"))
      return
    }
    guard characteristic.perms?.contains(.pairedRead) != false else { return }
    let hint = format == .tlv8 ? "; an empty tlv8 is \"\"" : ""
    guard let again = facts.nullAgain else {
      report(
        .valueNull, "once", at: place,
        Remark(
          .nonStrict, "the value is null, which is correct only while a read fails: read it again to verify\(hint)",
          source: "HomeKitADK documents this for a failed read"))
      return
    }
    let id = AttributeID(aid: spot.aid ?? 0, iid: characteristic.iid ?? 0)
    if again.contains(id) {
      report(
        .valueNull, "always", at: place,
        Remark(.should, "the value is null in repeated reads\(hint)", fix: "give it a value, or remove pr"))
    }
  }

  // MARK: ADB-19

  private mutating func wrongKind(_ content: ParsedValue, _ format: Format, _ place: LintSpot) {
    report(
      .valueKind, "kind", at: place,
      Remark(.must, "\(content.words) is \(content.kindName), which is not a value of format \(format.rawValue)"))
  }

  private mutating func judgeInteger(
    _ content: ParsedValue, _ rules: ValueRules, of characteristic: ParsedCharacteristic, _ place: LintSpot
  ) {
    let (format, number) = (rules.format.rawValue, content.double ?? .nan)
    if content.integer == nil {
      // A number too large for a double is too large for every format.
      guard number.isFinite else { return outside("the format \(format)", content.words, place) }
      guard number == number.rounded() else { return wrongKind(content, rules.format, place) }
      if number.magnitude < 0x1p64 {
        report(
          .valueKind, "fraction", at: place,
          Remark(
            .nonStrict, "the whole number \(numberText(number)) is written with a fraction or exponent",
            source: "JSON itself does not distinguish the two; libraries that print doubles do this"))
      }
    }
    // Libraries that print doubles print the largest uint64 as 2⁶⁴.
    let integer = content.integer ?? (number == 0x1p64 ? Int128(UInt64.max) : Int128(exactly: number))
    guard let integer, rules.violation(of: .integer(integer), checking: .formatRange) == nil else {
      return outside("the format \(format)", content.words, place)
    }
    judgeNumber(content, .integer(integer), rules, of: characteristic, place)
  }

  // MARK: ADB-20, ADB-21

  private mutating func outside(_ what: String, _ value: String, _ place: LintSpot, isNear: Bool = false) {
    report(
      .valueRange, "outside", at: place,
      Remark(
        .must, "the value \(value) is outside \(what)" + (isNear ? ", because a float was rounded" : ""), ios: .rejects,
        source: isNear ? "Pylo#3" : "homebridge#178, homebridge#995",
        fix: isNear
          ? "round the value, or compute limits and values in the same way"
          : "keep the value within the limits, or widen them"))
  }

  private mutating func judgeNumber(
    _ content: ParsedValue, _ value: Value, _ rules: ValueRules, of characteristic: ParsedCharacteristic,
    _ place: LintSpot
  ) {
    let (number, low, high) = (content.double ?? 0, characteristic.minValue?.double, characteristic.maxValue?.double)
    // Contradictory metadata has a separate finding.
    if let low, let high, low > high { return }
    func isNear(_ limit: Double) -> Bool { abs(number - limit) <= max(abs(limit), 1) * 1e-6 }
    // Compares as doubles, because libraries that print doubles round the widest integers and their limits.
    let limits = ValueRules(format: .float, constraints: rules.constraints)
    switch limits.violation(of: .float(number), checking: .limits) {
    case .minValue?:
      let low = low ?? 0
      return outside("minValue \(numberText(low))", numberText(number), place, isNear: isNear(low))
    case .maxValue?:
      let high = high ?? 0
      return outside("maxValue \(numberText(high))", numberText(number), place, isNear: isNear(high))
    default: break
    }
    if let definition = characteristic.definition, low == nil || high == nil {
      let range = AppleRange(definition)
      let isBelow = low == nil && number < range.low ?? -.infinity
      if isBelow || (high == nil && number > range.high ?? .infinity) {
        let limit =
          isBelow
          ? "below Apple's minimum \(numberText(range.low ?? 0))"
          : "above Apple's maximum \(numberText(range.high ?? 0))"
        report(
          .valueRange, "apple-range", at: place,
          Remark(
            range.isOftenWidened ? .nonStrict : .should,
            "the value \(numberText(number)) is \(limit), but no limits are stated",
            fix: "state minValue and maxValue"))
      }
    }
    judgeStep(content, value, rules, of: characteristic, place)
  }

  private mutating func judgeStep(
    _ content: ParsedValue, _ value: Value, _ rules: ValueRules, of characteristic: ParsedCharacteristic,
    _ place: LintSpot
  ) {
    let (number, low) = (content.double ?? 0, characteristic.minValue?.double)
    guard let step = characteristic.minStep?.double, step > 0, step.isFinite,
      number != characteristic.maxValue?.double
    else { return }
    func isOnGrid(from start: Double) -> Bool {
      var rules = rules
      rules.constraints.minValue = .float(start)
      // Integers are exact only if all of them are integer literals and the start is valid for the rule.
      let isExact =
        content.integer != nil && characteristic.minStep?.integer != nil && start == start.rounded()
        && start.magnitude < 0x1p64
      if !isExact { rules.format = .float }
      // The tolerance is the error of 32-bit floats plus a tenth of a step, as in HomeKitADK.
      let slack = max(ValueRules.defaultStepTolerance, max(abs(number), abs(start)) * 1e-6 / step)
      let value = rules.format == .float ? .float(number) : value
      return rules.violation(of: value, checking: .step, stepTolerance: slack) == nil
    }
    let start = low ?? 0
    if isOnGrid(from: start) { return }
    // Without a stated minimum, Apple's minimum may be the start of the grid.
    if low == nil, let low = characteristic.definition.flatMap({ AppleRange($0).low }), isOnGrid(from: low) { return }
    report(
      .valueStep, "off-grid", at: place,
      Remark(
        .should,
        "the value \(numberText(number)) is not on the grid of minStep \(numberText(step)) from \(numberText(start))",
        source: "home-assistant/core#37083"))
  }

  // MARK: ADB-25, ADB-26

  private mutating func tooLong(
    _ count: Int, _ limit: Int, of characteristic: ParsedCharacteristic, _ service: ParsedService, _ place: LintSpot
  ) {
    // ADB-08 covers these.
    if service.type == .information, limit >= 64, Self.judgedByLength.contains(characteristic.type) { return }
    let isStated = characteristic.value["maxLen"]?.count != nil
    report(
      .maxLen, "too-long", at: place,
      Remark(
        .must,
        "\(count) bytes of UTF-8: \(isStated ? "maxLen is \(limit)" : "64 is the limit without maxLen")",
        ios: .rejects, source: "home-assistant/core#53420, #53913",
        fix: isStated ? "shorten it" : "state maxLen, up to 256, or shorten it"))
  }

  private static let judgedByLength: Set<TypeID?> = [.name, .manufacturer, .model, .serialNumber]

  private mutating func judgeBytes(_ text: String, _ rules: ValueRules, _ place: LintSpot) {
    // Stricter than the rule for written values, which ignores the unused bits of the last group.
    guard let bytes = Base64.decode(text) else {
      report(.bytes, "not-base64", at: place, Remark(.must, "\(quoted(text)) is not base64 (RFC 4648, with padding)"))
      return
    }
    if case .maxDataLen(let count, let limit)? = rules.violation(of: .data(bytes)) {
      report(.bytes, "too-long", at: place, Remark(.must, "\(count) bytes: maxDataLen is \(limit)"))
    }
    guard rules.format == .tlv8 else { return }
    do throws(TLV.DecodingError) { _ = try TLV(decoding: bytes) } catch {
      switch error {
      case .truncated(let offset):
        report(
          .bytes, "not-tlv8", at: place, Remark(.must, "this is not TLV8: the item at byte \(offset) is truncated"))
      case .adjacentSameType(let offset), .emptyContinuation(let offset):
        report(
          .bytes, "neighbours", at: place,
          Remark(
            .nonStrict, "two items of one type follow each other at byte \(offset) without a separator between them",
            source: "stacks that write lists without separators also accept them"))
      }
    }
  }
}

extension ParsedCharacteristic {
  /// Whether the value exists only in events: a press is over before it could be read.
  var isEventOnly: Bool { type == .switchEvent || type == .buttonEvent }
}

extension ValueRules {
  /// The limits that a database states. Members of the wrong type are ignored. `maxDataLen` applies only to data.
  init(_ characteristic: ParsedCharacteristic, _ format: Format) {
    var constraints = Constraints()
    func limit(_ value: ParsedValue?) -> Value? { value?.integer.map(Value.integer) ?? value?.double.map(Value.float) }
    func length(_ name: String) -> Int? { characteristic.value[name]?.count.map { Int(clamping: $0) } }
    if format.isNumeric {
      constraints = Constraints(
        minValue: limit(characteristic.minValue), maxValue: limit(characteristic.maxValue),
        minStep: limit(characteristic.minStep))
    } else if format == .string {
      constraints = Constraints(maxLen: length("maxLen"))
    } else if format == .data {
      constraints = Constraints(maxDataLen: length("maxDataLen"))
    } else if format == .tlv8 {
      constraints = Constraints(maxDataLen: .max)
    }
    self.init(format: format, constraints: constraints)
  }
}

extension ParsedValue {
  /// The value in the model's type; null for a list or an object.
  fileprivate var modelValue: Value {
    switch kind {
    case .null, .array, .object: .null
    case .bool(let bool): .bool(bool)
    case .integer(let integer): .integer(Int128(integer))
    case .unsigned(let integer): .integer(Int128(integer))
    case .number(let number): .float(number)
    case .string(let text): .string(text)
    }
  }
}
