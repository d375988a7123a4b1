extension Characteristic {
  /// Checks a written value and returns the canonical value to store.
  ///
  /// HAP R2 §6.6.3 and §6.7.2.2; where the specification is silent, the ADK's behaviour (protocol.md §6, §11):
  /// - bool accepts true, false, 1 and 0.
  /// - Integers refuse all numbers written with a fraction or exponent, even `1.0`, and numbers between two steps.
  /// - Floats accept integers. A value at most a tenth of a step away from a step is rounded to that step; others are
  ///   refused. NaN is always refused.
  /// - Strings are at most `maxLen` UTF-8 *bytes* (the ADK counts bytes), by default 64.
  /// - tlv8 and data values are base64 text (`.string`) or already decoded (`.data`); `maxDataLen` counts decoded
  ///   bytes. It isn't checked whether the bytes are TLV8, because the model does not depend on the wire format.
  /// - null is refused: the caller must decide first whether null is a bad request or a bad value.
  /// - Parameters:
  ///   - value: the value from the wire: a JSON integer as `.integer`, `1.0` as `.float`, base64 as `.string`.
  ///   - quirks: whether to reject or clamp, and how far a float is rounded.
  /// - Throws: `.invalidValue` (-70410), no other status.
  public func admit(_ value: Value, quirks: ValueQuirks = ValueQuirks()) throws(HAPStatus) -> Value {
    switch format {
    case .bool:
      guard let truth: Bool = value.truth else { throw .invalidValue }
      return .bool(truth)
    case .uint8, .uint16, .uint32, .uint64, .int: return try admitInteger(value, valueRules, quirks)
    case .float: return try admitFloat(value, valueRules, quirks)
    case .string:
      guard case .string(let text) = value else { throw .invalidValue }
      if valueRules.violation(ofText: text) == nil { return value }
      guard quirks.outOfRange == .clamp else { throw .invalidValue }
      return .string(valueRules.prefix(ofText: text))
    case .tlv8, .data:
      let bytes: [UInt8]
      switch value {
      case .data(let decoded): bytes = decoded
      case .string(let text):
        guard let decoded: [UInt8] = bytesOfBase64(text) else { throw .invalidValue }
        bytes = decoded
      case .null, .bool, .integer, .float: throw .invalidValue
      }
      guard valueRules.violation(ofByteCount: bytes.count) == nil else { throw .invalidValue }
      return .data(bytes)
    }
  }

  /// Returns whether a value could be written unchanged: it is canonical and within the constraints.
  public func allows(_ value: Value) -> Bool {
    guard let admitted: Value = try? admit(value) else { return false }
    return admitted == value
  }

  private func admitInteger(_ value: Value, _ rules: ValueRules, _ quirks: ValueQuirks) throws(HAPStatus) -> Value {
    let number: Int128
    switch value {
    case .integer(let written): number = written
    case .bool(let written) where quirks.takesBooleansAsNumbers: number = written ? 1 : 0
    case .float(let written) where quirks.takesFractions:
      let isRounded: Bool = quirks.outOfRange == .clamp && quirks.checksSteps && constraints.minStep != nil
      let kept: Double = written.rounded(isRounded ? .toNearestOrEven : .towardZero)
      guard let whole: Int128 = Int128(exactly: kept) else { throw .invalidValue }
      number = whole
    case .float(let written) where quirks.takesWholeFloats:
      guard let whole: Int128 = Int128(exactly: written) else { throw .invalidValue }
      number = whole
    case .null, .bool, .float, .string, .data: throw .invalidValue
    }
    switch quirks.outOfRange {
    case .reject:
      guard rules.violation(ofInteger: number, checking: quirks.valueChecks) == nil else { throw .invalidValue }
      return .integer(number)
    case .clamp:
      guard let nearest: Int128 = rules.nearest(toInteger: number, checking: quirks.valueChecks) else {
        throw .invalidValue
      }
      return .integer(nearest)
    }
  }

  private func admitFloat(_ value: Value, _ rules: ValueRules, _ quirks: ValueQuirks) throws(HAPStatus) -> Value {
    let number: Double
    switch value {
    case .float(let written): number = written
    case .integer(let written): number = Double(fast: written)
    case .bool(let written) where quirks.takesBooleansAsNumbers: number = written ? 1 : 0
    case .null, .bool, .string, .data: throw .invalidValue
    }
    switch quirks.outOfRange {
    case .reject:
      let tolerance: Double = quirks.floatSnapFraction
      guard rules.violation(ofFloat: number, checking: quirks.valueChecks, tolerance: tolerance) == nil else {
        throw .invalidValue
      }
      return .float(quirks.checksSteps ? rules.onGrid(number, isClamping: false) : number)
    case .clamp:
      guard let nearest: Double = rules.nearest(toFloat: number, checking: quirks.valueChecks) else {
        throw .invalidValue
      }
      return .float(nearest)
    }
  }
}

extension ValueQuirks {
  /// The rules for numbers that apply to a written value.
  fileprivate var valueChecks: ValueChecks {
    var checks: ValueChecks = .all
    if !checksSteps { checks.remove(.step) }
    if !checksValidValues {
      checks.remove(.validValuesRange)
      checks.remove(.validValues)
    }
    return checks
  }
}
