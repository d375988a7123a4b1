import HAPModel
import HAPWire

extension LintRun {
  /// ADB-17 to ADB-21, and the values of ADB-25 and ADB-26.
  mutating func judgeValue(_ characteristic: SeenCharacteristic, of service: SeenService, _ spot: LintSpot) {
    // ADB-07 speaks of it.
    if characteristic.type == .identify { return }
    judgePresence(characteristic, spot)
    guard let content = characteristic.content, let format = characteristic.format else { return }
    if content.isNull { return judgeNull(characteristic, format, spot) }
    let place = spot.member("value")
    switch format {
    case .bool:
      if content.bool == nil, content.integer != 0, content.integer != 1 { wrongKind(content, format, place) }
    case .uint8, .uint16, .uint32, .uint64, .int: judgeInteger(content, format, of: characteristic, place)
    case .float:
      if let number = content.double, number.isFinite {
        judgeNumber(number, of: characteristic, place)
      } else {
        wrongKind(content, format, place)
      }
    case .string:
      if let text = content.string {
        judgeLength(text, of: characteristic, service, place)
      } else {
        wrongKind(content, format, place)
      }
    case .tlv8, .data:
      if let text = content.string {
        judgeBytes(text, format, of: characteristic, place)
      } else {
        wrongKind(content, format, place)
      }
    }
  }

  // MARK: ADB-17, ADB-18

  private mutating func judgePresence(_ characteristic: SeenCharacteristic, _ spot: LintSpot) {
    guard let perms = characteristic.perms, !perms.isEmpty else { return }
    // What answers a write, or only tells events, may do as it likes.
    if perms.contains(.writeResponse) || characteristic.isEventOnly { return }
    if perms.contains(.pairedRead), characteristic.content == nil {
      // A read that fails may say so instead.
      if let status = characteristic.value["status"]?.integer, status != 0 { return }
      report(.valuePresence, "missing", at: spot, Remark(.must, "it can be read (pr), and has no value"))
    }
    if !perms.contains(.pairedRead), !perms.contains(.events), characteristic.content != nil {
      report(
        .valuePresence, "unreadable", at: spot.member("value"),
        Remark(.must, "it has a value, and can't be read (pr is missing)", fix: "leave \"value\" out"))
    }
  }

  private mutating func judgeNull(_ characteristic: SeenCharacteristic, _ format: Format, _ spot: LintSpot) {
    // A NaN was put right as null, and told as what it is.
    if characteristic.isEventOnly || lint.reading.faults.contains(where: { $0.fault == .notANumber }) { return }
    let place = spot.member("value")
    if characteristic.perms?.contains(.writeResponse) == true {
      report(
        .valueNull, "write-response", at: place,
        Remark(
          .info, "it is null; an empty string is safer in what answers writes",
          source: "esp-homekit-sdk: Apple's tester is reported to refuse the null"))
      return
    }
    guard characteristic.perms?.contains(.pairedRead) != false else { return }
    let hint = format == .tlv8 ? "; an empty tlv8 is \"\"" : ""
    guard let again = facts.nullAgain else {
      report(
        .valueNull, "once", at: place,
        Remark(
          .nonStrict, "the value is null, which is right only while a read fails: read again to know\(hint)",
          source: "HomeKitADK says so of a failed read"))
      return
    }
    let id = AttributeID(aid: spot.aid ?? 0, iid: characteristic.iid ?? 0)
    if again.contains(id) {
      report(
        .valueNull, "always", at: place,
        Remark(.should, "the value is null, read after read\(hint)", fix: "give it a value, or take pr away"))
    }
  }

  // MARK: ADB-19

  private mutating func wrongKind(_ content: SeenValue, _ format: Format, _ place: LintSpot) {
    report(
      .valueKind, "kind", at: place,
      Remark(.must, "\(content.words) is \(content.kindName), which is no value of format \(format.rawValue)"))
  }

  private mutating func judgeInteger(
    _ content: SeenValue, _ format: Format, of characteristic: SeenCharacteristic, _ place: LintSpot
  ) {
    guard let number = content.double, let range = format.integerRange else {
      return wrongKind(content, format, place)
    }
    guard number.isFinite, number == number.rounded() else {
      // Too large for a double is too large for a format.
      if number.isFinite { return wrongKind(content, format, place) }
      return outside("the format \(format.rawValue)", content.words, place)
    }
    let integer = content.integer
    if integer == nil, number.magnitude < 0x1p64 {
      report(
        .valueKind, "fraction", at: place,
        Remark(
          .nonStrict, "the whole number \(numberText(number)) is written with a fraction or exponent",
          source: "JSON itself does not tell the two apart; libraries that print doubles write it so"))
    }
    // Doubles are exact enough for all but the widest format, whose integers are there as such.
    let isInside =
      integer.map(range.contains) ?? (number >= Double(range.lowerBound) && number <= Double(range.upperBound))
    guard isInside else { return outside("the format \(format.rawValue)", content.words, place) }
    judgeNumber(number, integer, of: characteristic, place)
  }

  // MARK: ADB-20, ADB-21

  private mutating func outside(_ what: String, _ value: String, _ place: LintSpot, isNear: Bool = false) {
    report(
      .valueRange, "outside", at: place,
      Remark(
        .must, "the value \(value) is outside \(what)" + (isNear ? ", by the rounding of a float" : ""), ios: .rejects,
        source: isNear ? "Pylo#3" : "homebridge#178, homebridge#995",
        fix: isNear
          ? "round the value, or compute limits and values alike" : "keep the value within the limits, or widen them"))
  }

  private mutating func judgeNumber(
    _ number: Double, _ integer: Int128? = nil, of characteristic: SeenCharacteristic, _ place: LintSpot
  ) {
    let low = characteristic.minValue?.double
    let high = characteristic.maxValue?.double
    // Metadata that contradicts itself has a finding of its own.
    if let low, let high, low > high { return }
    func isNear(_ limit: Double) -> Bool { abs(number - limit) <= max(abs(limit), 1) * 1e-6 }
    if let low, number < low {
      return outside("minValue \(numberText(low))", numberText(number), place, isNear: isNear(low))
    }
    if let high, number > high {
      return outside("maxValue \(numberText(high))", numberText(number), place, isNear: isNear(high))
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
            "the value \(numberText(number)) is \(limit), and no limits are stated",
            fix: "state minValue and maxValue"))
      }
    }
    judgeStep(number, integer, low, high, of: characteristic, place)
  }

  private mutating func judgeStep(
    _ number: Double, _ integer: Int128?, _ low: Double?, _ high: Double?, of characteristic: SeenCharacteristic,
    _ place: LintSpot
  ) {
    guard let step = characteristic.minStep?.double, step > 0, step.isFinite, number != high else { return }
    func isOnGrid(from start: Double) -> Bool {
      if let integer, let step = characteristic.minStep?.integer, let start = Int128(exactly: start) {
        let (distance, isTooFar) = integer.subtractingReportingOverflow(start)
        if !isTooFar { return distance % step == 0 }
      }
      let steps = (number - start) / step
      // What floats of 32 bits make of a number, and a tenth of a step besides, as HomeKitADK lets pass.
      let slack = max(0.1, max(abs(number), abs(start)) * 1e-6 / step)
      return !steps.isFinite || abs(steps - steps.rounded()) <= slack
    }
    let start = low ?? 0
    if isOnGrid(from: start) { return }
    // Where no minimum is stated, Apple's may be meant.
    if low == nil, let low = characteristic.definition.flatMap({ AppleRange($0).low }), isOnGrid(from: low) { return }
    report(
      .valueStep, "off-grid", at: place,
      Remark(
        .should,
        "the value \(numberText(number)) is not on the grid of minStep \(numberText(step)) from \(numberText(start))",
        source: "home-assistant/core#37083"))
  }

  // MARK: ADB-25, ADB-26

  private mutating func judgeLength(
    _ text: String, of characteristic: SeenCharacteristic, _ service: SeenService, _ place: LintSpot
  ) {
    let stated = characteristic.value["maxLen"]?.count
    let most = stated ?? Int128(Constraints.defaultMaxLen)
    guard Int128(text.utf8.count) > most else { return }
    // ADB-08 speaks of these.
    if service.type == .information, most >= 64, Self.judgedByLength.contains(characteristic.type) { return }
    report(
      .maxLen, "too-long", at: place,
      Remark(
        .must,
        "\(text.utf8.count) bytes of UTF-8: \(stated == nil ? "64 is the most where maxLen is not stated" : "maxLen is \(most)")",
        ios: .rejects, source: "home-assistant/core#53420, #53913",
        fix: stated == nil ? "state maxLen, up to 256, or shorten it" : "shorten it"))
  }

  private static let judgedByLength: Set<TypeID?> = [.name, .manufacturer, .model, .serialNumber]

  private mutating func judgeBytes(
    _ text: String, _ format: Format, of characteristic: SeenCharacteristic, _ place: LintSpot
  ) {
    guard let bytes = Base64.decode(text) else {
      report(.bytes, "not-base64", at: place, Remark(.must, "\(quoted(text)) is not base64 (RFC 4648, with padding)"))
      return
    }
    if format == .data {
      let most = characteristic.value["maxDataLen"]?.count ?? Int128(Constraints.defaultMaxDataLen)
      if Int128(bytes.count) > most {
        report(.bytes, "too-long", at: place, Remark(.must, "\(bytes.count) bytes: maxDataLen is \(most)"))
      }
      return
    }
    do throws(TLV.DecodingError) { _ = try TLV(decoding: bytes) } catch {
      switch error {
      case .truncated(let offset):
        report(.bytes, "not-tlv8", at: place, Remark(.must, "this is no TLV8: the item at byte \(offset) is cut off"))
      case .adjacentSameType(let offset), .emptyContinuation(let offset):
        report(
          .bytes, "neighbours", at: place,
          Remark(
            .nonStrict, "two items of one type follow each other at byte \(offset) with no separator between",
            source: "stacks that write lists without separators are lenient readers themselves"))
      }
    }
  }
}

extension SeenCharacteristic {
  /// Its value is told by events alone: a press that was is none to be read.
  var isEventOnly: Bool { type == .switchEvent || type == .buttonEvent }
}
